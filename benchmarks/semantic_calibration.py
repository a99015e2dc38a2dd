"""From what closeness in meaning on are two memories paraphrases? What ``dedupe -o semantic=true`` merges per threshold.

    python benchmarks/semantic_calibration.py --data DIR [--embedder use-multilingual]     # or MEMOPT_DATA=DIR
    python benchmarks/semantic_calibration.py --scale 1000,10000,100000

DIR as for ``dedupe_calibration.py``. Prints Markdown tables.

1. Pairs. The share merged per threshold, by closeness alone and behind the guard. Duplicates are STS-B pairs scored 4.5 and more.
   Contradictions are SICK's and FactConsolidation's stale facts beside the current ones.
2. Words. Pairs of words of one kind (two colours, two trades, two relatives) that a threshold on single words takes for the same,
   beside pairs that do mean the same. Both lists are written for this script.
3. Pairs of memories written for this script: paraphrases and contradictions, English and Chinese.
4. Stores. Memories merged and tokens saved without ``semantic``, with it, and with ``contained`` as well; facts lost as counted
   by ``memopt.verify`` between all memories and those left.
5. ``--scale``: time and memory of the strategy, and the share of the close pairs that the forest finds of all of them.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from dedupe_calibration import read_pairs, read_stores

from memopt.memory import UserMemory
from memopt.similarity.embed import SCALES, local
from memopt.similarity.neighbours import close_pairs
from memopt.strategies.base import run
from memopt.strategies.dedupe import DedupeStrategy
from memopt.strategies.meaning import Meaning, choose
from memopt.tokens import TokenCounter
from memopt.verify import verify

THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
WORDS = (0.6, 0.65, 0.7, 0.75, 0.78, 0.8, 0.82, 0.85, 0.9)

SAME_WORDS = """bought purchased;car automobile;doctor physician;cut chop;kids children;begin start;big large;quick fast
house home;movie film;bike bicycle;phone telephone;ill sick;happy glad;attorney lawyer;flat apartment;holiday vacation
couch sofa;mom mother;dad father;speak talk;photo picture;assist help;repair fix;gift present;shop store
road street;infant baby;slice cut;jog run
error mistake;buddy friend;teen teenager;garbage trash;elevator lift;cookie biscuit;gas petrol;exam test;scared afraid;angry mad
wealthy rich;tiny small;award prize;journey trip;aircraft airplane;forest woods;taxi cab;meal food;donate give;construct build
choose select;obtain get;attempt try;rehearse practice;composer songwriter;喜欢 喜爱;汽车 轿车;手机 电话;开心 高兴;购买 买
父亲 爸爸;自行车 单车;番茄 西红柿;土豆 马铃薯"""
KINDS = """red blue green yellow black white orange purple pink brown grey
dog cat horse rabbit hamster parrot cow pig sheep goat lion tiger bear wolf
apple banana pear grape peach cherry mango lemon lime strawberry blueberry raspberry
beef pork chicken lamb turkey salmon tuna shrimp crab lobster
tea coffee juice milk water wine beer whiskey vodka soda cocoa
peanut almond walnut cashew hazelnut pistachio soy gluten lactose shellfish
piano guitar violin cello drums flute trumpet saxophone harp ukulele
tennis golf football volleyball hockey rugby badminton swimming running cycling hiking climbing skiing surfing rowing sailing
doctor nurse dentist surgeon judge teacher engineer architect designer accountant banker chef waiter waitress actor actress singer
mother father sister brother son daughter uncle aunt cousin niece nephew grandmother grandfather husband wife
breakfast lunch dinner
french spanish german italian portuguese russian chinese japanese korean arabic hindi turkish polish dutch swedish
france spain germany italy portugal russia china japan korea india turkey poland sweden norway canada mexico brazil
kitchen bedroom bathroom garage basement attic balcony garden office
shirt trousers jacket shoes boots hat gloves scarf socks dress skirt sweater
bus train bicycle motorcycle truck plane ship tram subway scooter
maths physics chemistry biology history geography literature philosophy economics law medicine psychology
diabetes cancer asthma arthritis migraine depression anxiety insomnia epilepsy eczema
jazz rock pop metal punk blues reggae techno folk opera
python java ruby rust golang javascript typescript perl php
google microsoft amazon facebook netflix tesla
london paris berlin munich madrid rome vienna boston chicago seattle tokyo
painting drawing sculpture photography pottery knitting sewing
potato tomato onion carrot cabbage spinach broccoli cucumber garlic
红色 蓝色 绿色 黄色 黑色 白色
狗 猫 兔子 马 牛 猪 鸟
苹果 香蕉 橙子 葡萄 桃子 西瓜
茶 咖啡 果汁 牛奶 啤酒
钢琴 吉他 小提琴 大提琴 长笛
医生 护士 律师 老师 工程师 设计师 厨师 司机 记者
爸爸 妈妈 哥哥 弟弟 姐姐 妹妹 儿子 女儿
北京 上海 广州 深圳 杭州 成都
网球 足球 篮球 排球 羽毛球 游泳 跑步 爬山 滑雪"""
PARAPHRASES = """User has a dog called Rex|The user owns a dog named Rex
Works as a nurse|Is employed as a nurse
User lives in Berlin|User resides in Berlin
User loves hiking in the mountains|User enjoys mountain hiking
User is allergic to peanuts|User has a peanut allergy
User bought a car|User purchased an automobile
User's sister is a doctor|User's sister works as a physician
User quit smoking|User stopped smoking
User's favourite movie is Alien|User's favorite film is Alien
User has two kids|User has two children
User commutes by bike|User commutes by bicycle
User is scared of spiders|User is afraid of spiders
User begins work at 9 am|User starts work at 9 am
User rents an apartment in Oslo|User rents a flat in Oslo
User enjoys cooking and gardening|User likes gardening and cooking
User is looking for a new job|User is searching for a new job
User's laptop is broken|The user's notebook computer does not work
User hates flying|User strongly dislikes air travel
User's mother passed away in 2019|User's mother died in 2019
User gets up at 6 every day|User wakes up at 6 every day
User speaks fluent Spanish|User is fluent in Spanish
User is a big fan of jazz|User loves jazz
User weighs 80 kg|User's weight is 80 kg
用户住在上海|用户在上海居住
用户喜欢喝茶|用户爱喝茶
用户养了一只猫|用户有一只猫
用户是一名软件工程师|用户的职业是程序员
用户对花生过敏|用户吃花生会过敏
用户买了一辆汽车|用户购买了一辆轿车
用户害怕蜘蛛|用户怕蜘蛛"""
CONTRADICTIONS = """User has 2 dogs and 3 cats|User has 3 dogs and 2 cats
The dog bites the user|The user bites the dog
User has a dog|User has dogs
User worked at Google|User works at Google
User gives money to Ann|User gets money from Ann
User likes tea more than coffee|User likes coffee more than tea
User is a vegetarian|User is a vegan
User plays the violin|User plays the cello
User's sister is a doctor|User's brother is a doctor
User has to go home early|User goes home early
User moved to Berlin|User moved from Berlin
User started smoking|User stopped smoking
User meets Ann on Monday|User meets Ann on Tuesday
User wants to buy a car|User bought a car
User is engaged to Ann|User is married to Ann
He likes tea|User likes tea
User is buying a house|User is selling a house
User speaks French|User speaks Spanish
User prefers window seats|User prefers aisle seats
User had surgery on the left knee|User had surgery on the right knee
User prefers short answers|User prefers long answers
User is a former teacher|User is a teacher
User is a doctor|User's daughter is a doctor
User works in the morning|User works in the evening
User borrows books from Tom|User lends books to Tom
User is allergic to walnuts|User is allergic to hazelnuts
User knows the teacher of her son|User knows her teacher's son
User trusts nobody but Ann|User trusts everybody but Ann
User rarely drinks|User often drinks
User passed the exam|User failed the exam
User lives with her parents|User lives near her parents
User is taller than Tom|Tom is taller than User
User takes 5 mg daily|User takes 5 mg weekly
User likes the actor|User likes the actress
User believes Ann is ill|Ann is ill
User might move to Rome|User will move to Rome
User flew to Oslo before the wedding|User flew to Oslo after the wedding
Ann's brother married Tom's sister|Tom's sister's brother married Ann
User eats no meat|User eats meat
User has finished the book|User has not finished the book
用户喜欢跑步|用户不喜欢跑步
用户养了一只猫|用户养了一只狗
用户住在上海|用户住在北京
用户会拉小提琴|用户会拉大提琴
用户的姐姐是医生|用户的妹妹是医生
用户下周去北京|用户上周去北京
用户想买房|用户买了房
用户早上跑步|用户晚上跑步
用户在卖房子|用户在买房子
用户是素食者|用户以前是素食者"""
LATER_CONTRADICTIONS = """User's flight leaves from gate 12|User's flight leaves from gate 21
User lent Tom her bike|Tom lent the user his bike
User is older than her brother|User's brother is older than she is
User's cat sleeps under the bed|User's cat sleeps on the bed
User drinks coffee without sugar|User drinks coffee with sugar
User hired a new assistant|User fired the new assistant
User prefers tea to coffee|User prefers coffee to tea
User's father is a retired pilot|User's father is a pilot
User reads before going to sleep|User reads after waking up
User got married in 2019|User got divorced in 2019
User is the manager of Ann|Ann is the manager of the user
User has been to Japan twice|User has been to Japan once
User enjoys cooking for friends|User enjoys cooking with friends
User studies medicine|User studies law
User is learning Korean|User is learning Japanese
User's rent went up|User's rent went down
User can eat shellfish|User cannot eat shellfish
User's office is upstairs|User's office is downstairs
User broke her left arm|User broke her left leg
User finished her thesis|User almost finished her thesis
User drives an electric car|User drives a diesel car
User will quit her job|User quit her job
User likes dogs but not cats|User likes cats but not dogs
User told Ann about the party|Ann told the user about the party
User's daughter goes to kindergarten|User's daughter goes to university
User takes the medicine in the morning|User takes the medicine at noon
User bought the house from her uncle|User sold the house to her uncle
User forgot her password|User remembers her password
User wants a window seat|User wants an aisle seat
User lives on the third floor|User lives on the second floor
User was born in Austria|User was born in Australia
User is allergic to cats|User is allergic to bees
User's team won the final|User's team lost the final
User supports the proposal|User opposes the proposal
User is a night owl|User is an early bird
User hates Mondays|User hates Sundays
User has a twin sister|User has a twin brother
User's wife is pregnant|User's sister is pregnant
User refuses to fly|User agrees to fly
User uses light mode|User uses dark mode
User has high blood pressure|User has low blood pressure
User avoids dairy|User eats dairy
User's visa expires in June|User's visa expires in July
User owns two cars|User owns two bikes
User is left-handed|User is right-handed
User speaks a little German|User speaks German
User would like to adopt a dog|User adopted a dog
User met her husband in Rome|User's husband met her sister in Rome
User needs a visa for China|User needs no visa for China
User works as a cook|User works as a waiter
User's favourite season is spring|User's favourite season is autumn
User is afraid of heights|User is afraid of depths
User trains three times a week|User trains three times a month
User swims faster than Tom|User swims slower than Tom
User is fond of classical music|User is fond of modern music
用户每天喝两杯咖啡|用户每天喝三杯咖啡
用户比哥哥高|哥哥比用户高
用户已经结婚|用户还没结婚
用户的左手受伤了|用户的右手受伤了
用户在学英语|用户在教英语
用户喜欢吃辣|用户不能吃辣
用户的女儿上小学|用户的女儿上大学
用户打算辞职|用户辞职了
用户把车卖给了小王|小王把车卖给了用户
用户是左撇子|用户是右撇子
用户爱喝红茶|用户爱喝绿茶
用户昨天见了张伟|用户明天见张伟
用户家里有两个孩子|用户家里有三个孩子
用户只吃素|用户也吃素
用户住在三楼|用户住在二楼"""
"""Written when the guard was done."""


def main() -> None:
    """Read the arguments, print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("MEMOPT_DATA"))
    parser.add_argument("--embedder", default="use-multilingual")
    parser.add_argument("--scale", metavar="SIZES", help="only time and memory, at these sizes")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SIZE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.one[0], int(given.one[1]), given.embedder)
        return
    if given.scale:
        scale_table([int(size) for size in given.scale.split(",")], given.embedder)
        return
    meaning = choose(None, given.embedder, None)
    print(f"Embedder {given.embedder}, {SCALES[given.embedder]}\n")
    word_table(given.embedder)
    by_hand(meaning)
    if given.data:
        pair_table(Path(given.data) / "bench", meaning)
        store_table(Path(given.data), given.embedder)


def closeness(pairs: list[tuple[str, str]], embedder: str) -> list[float]:
    """Cosines of pairs of texts."""
    model = local(embedder)
    left, right = model.embed([one for one, _ in pairs]), model.embed([two for _, two in pairs])
    return [float(value) for value in (left * right).sum(axis=1)]


def word_table(embedder: str) -> None:
    """Table 2."""
    same = [(pair.split()[0], pair.split()[1]) for line in SAME_WORDS.split("\n") for pair in line.split(";")]
    kind = [pair for line in KINDS.split("\n") for pair in itertools.combinations(line.split(), 2)]
    one, other = closeness(same, embedder), closeness(kind, embedder)
    print(f"## Single words\n\n| from | mean the same ({len(same)}) | of one kind ({len(kind)}) |\n| ---: | ---: | ---: |")
    for place in WORDS:
        share = [100 * sum(value >= place for value in values) / len(values) for values in (one, other)]
        print(f"| {place:.2f} | {share[0]:.1f} % | {share[1]:.2f} % |")
    print()


def by_hand(meaning: Meaning) -> None:
    """Table 3."""
    print("## Pairs of memories written for this script\n")
    for name, text in (
        ("paraphrases", PARAPHRASES),
        ("contradictions", CONTRADICTIONS),
        ("later contradictions", LATER_CONTRADICTIONS),
    ):
        pairs = [tuple(line.split("|")) for line in text.split("\n")]
        close = closeness(pairs, meaning.name)  # type: ignore[arg-type]
        reasons = [meaning.apart(one, two) for one, two in pairs]
        merged = [reason is None and value >= meaning.threshold for reason, value in zip(reasons, close, strict=True)]
        alone = sum(value >= meaning.threshold for value in close)
        contained = sum(meaning.lacks(one, two) is None or meaning.lacks(two, one) is None for one, two in pairs)
        print(f"{len(pairs)} {name}: {sum(merged)} merged, {contained} with contained ({alone} by closeness alone)\n")
        for (one, two), reason, value, gone in zip(pairs, reasons, close, merged, strict=True):
            if gone != (name == "paraphrases"):
                print(f"- {value:.2f} *{one}* / *{two}*: {reason or 'merged' if gone else reason or 'not close enough'}")
        print()


def pair_table(bench: Path, meaning: Meaning) -> None:
    """Table 1."""
    kinds = read_pairs(bench)
    close = {kind: closeness(pairs, meaning.name) for kind, pairs in kinds.items()}
    through = {kind: [meaning.apart(*pair) is None for pair in pairs] for kind, pairs in kinds.items()}
    for title, lets in (("closeness alone", {k: [True] * len(v) for k, v in kinds.items()}), ("behind the guard", through)):
        print(f"## Pairs, {title}\n")
        print("| threshold | " + " | ".join(f"{kind} ({len(pairs)})" for kind, pairs in kinds.items()) + " |")
        print("| ---: |" + " ---: |" * len(kinds))
        for place in THRESHOLDS:
            row = []
            for kind in kinds:
                merged = sum(value >= place and good for value, good in zip(close[kind], lets[kind], strict=True))
                row.append(f"{100 * merged / len(close[kind]):.1f} %")
            print(f"| {place:.2f} | {' | '.join(row)} |")
        print()


def store_table(data: Path, embedder: str) -> None:
    """Table 4."""
    count = TokenCounter().text
    print(
        "## Stores\n\n| store | memories | tokens | what | merged | paraphrases | tokens saved | facts | facts lost | seconds |"
    )
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    low = SCALES[embedder].threshold - 0.1
    shown: list[str] = []
    for name, users in read_stores(data).items():
        total = sum(count(item.memory) for user in users for item in user)
        ways: dict[str, dict[str, object]] = {
            "dedupe": {},
            "semantic": {"semantic": True, "embedding_model": embedder},
            f"semantic {low:.2f}": {"semantic": True, "embedding_model": embedder, "semantic_threshold": low},
            "semantic, contained": {"semantic": True, "contained": True, "embedding_model": embedder},
        }
        for label, options in ways.items():
            start = time.perf_counter()
            gone = saved = words = facts = lost = 0
            for user in users:
                after, _ = run(DedupeStrategy(**options), user, None)
                kept = {item.memory_id for item in after.memories}
                by_id = {item.memory_id: item for item in user}
                dropped = [item for item in user if item.memory_id not in kept]
                gone += len(dropped)
                saved += sum(count(item.memory) for item in dropped)
                for memory_id, decision in after.decisions.items():
                    if decision.into is not None and "other words" in decision.reason:
                        words += 1
                        pair = f"- {name}, {label}: *{by_id[decision.into].memory}* for *{by_id[memory_id].memory}*"
                        shown.append(pair)
                if dropped:
                    report = verify(user, list(after.memories))
                    facts += report.facts
                    lost += len(report.lost)
            seconds = time.perf_counter() - start
            print(
                f"| {name} | {sum(map(len, users))} | {total} | {label} | {gone} | {words} | {100 * saved / total:.2f} % | "
                f"{facts or ''} | {lost} | {seconds:.1f} |",
                flush=True,
            )
    print("\nThe paraphrases:\n\n" + "\n".join(dict.fromkeys(shown)) + "\n")


# ------------------------------------------------------------------------------------------------------------------ scale


def scale_text(kind: str, chance: random.Random, number: int, vocabulary: list[str]) -> str:
    """The text of memory NUMBER."""
    if kind == "template":
        return f"User wants to learn {chance.choice(vocabulary)} {number} this quarter"
    who = chance.choice(("User", "User's sister", "User's boss Tom", "User's friend Ann", "User's neighbour"))
    verb = chance.choice(("likes", "loves", "bought", "purchased", "repairs", "fixes", "wants", "collects", "sells", "studies"))
    thing = " ".join(chance.sample(vocabulary, chance.randint(1, 3)))
    where = chance.choice(
        ("", " in the house", " at home", " on Mondays", f" since {chance.randint(1990, 2025)}", " in the city")
    )
    return f"{who} {verb} {thing}{where}."


def measure(kind: str, size: int, embedder: str) -> None:
    """Make one store, run the strategy, print seconds, memories left, peak memory in MiB and the recall of the forest."""
    chance = random.Random(2)
    vocabulary = sorted({word for line in KINDS.split("\n")[:24] for word in line.split()})
    memories = [
        UserMemory(scale_text(kind, chance, number, vocabulary), f"m{number}", created_at=chance.randrange(10**9))
        for number in range(size)
    ]
    cpu, start = time.process_time(), time.perf_counter()
    after, _ = run(DedupeStrategy(semantic=True, embedding_model=embedder), memories, None)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    recall = -1.0
    if size <= 20_000:
        texts = sorted({item.memory for item in memories})
        vectors, place = local(embedder).embed(texts), SCALES[embedder].threshold
        exact = {(at, other) for at, near in enumerate(close_pairs(vectors, place, exact=10**9)) for _, other in near[:3]}
        forest = {(at, other) for at, near in enumerate(close_pairs(vectors, place, exact=0)) for _, other in near}
        recall = len(exact & forest) / max(1, len(exact))
    print(cpu, wall, len(after.memories), peak, recall)


def scale_table(sizes: list[int], embedder: str) -> None:
    """Table 5."""
    print("| store | memories | left | CPU s | growth | wall s | peak MiB | forest finds |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in ("told", "template"):
        before: tuple[int, float] | None = None
        for size in sizes:
            command = [sys.executable, __file__, "--one", kind, str(size), "--embedder", embedder]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            cpu, wall, left, peak, recall = map(float, told)
            growth = f"{math.log(cpu / before[1]) / math.log(size / before[0]):.2f}" if before else ""
            found = f"{100 * recall:.1f} %" if recall >= 0 else ""
            print(f"| {kind} | {size} | {left:.0f} | {cpu:.1f} | {growth} | {wall:.1f} | {peak:.0f} | {found} |", flush=True)
            before = size, cpu


if __name__ == "__main__":
    main()
