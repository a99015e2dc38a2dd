"""Made-up users whose facts change, for benchmarks/supersede.py: who lives, works, eats and pays what, and when that changes.

Every fact is told in one of several ways, the old and the new one independently. Facts that hold beside others (likes, pets,
journeys, other people's facts, plans, the past) are mixed in; none of them may be touched.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from memopt.memory import UserMemory

DAY = 86_400
CITIES = "Lisbon Porto Kraków Oslo Bergen Graz Nairobi Austin Toronto Osaka Seville Leipzig Dublin Tallinn Lima".split()
FIRMS = [
    "Siemens",
    "Northwind",
    "Acme Labs",
    "Deutsche Bahn",
    "Spotify",
    "a small bakery",
    "the city library",
    "Globex",
    "Initech",
]
ROLES = [
    "data analyst",
    "nurse",
    "primary school teacher",
    "backend developer",
    "project manager",
    "chef",
    "UX designer",
    "accountant",
]
DIETS = ["vegetarian", "vegan", "pescatarian"]
LANGUAGES = ["German", "Spanish", "Italian", "Korean"]
LEVELS = ["A1", "A2", "B1", "B2", "C1"]
NAMES = ["Marta", "Jonas", "Priya", "Wei", "Aisha", "Tomás", "Ingrid"]
COLORS = ["green", "teal", "orange", "black", "yellow"]

# attribute: (how a value is told, how a change to it is told)
ENGLISH: dict[str, tuple[list[str], list[str]]] = {
    "city": (
        [
            "User lives in {v}.",
            "The user lives in {v}",
            "Lives in {v}.",
            "User is based in {v}.",
            "User currently lives in {v}.",
            "User's home city is {v}.",
            "User resides in {v}.",
        ],
        [
            "User moved to {v}.",
            "User moved from {o} to {v}.",
            "User now lives in {v}.",
            "User has relocated to {v}.",
            "User recently moved to {v} for a new start.",
            "User lives in {v} now.",
        ],
    ),
    "job": (
        [
            "User works as a {r} at {f}.",
            "User is a {r} at {f}.",
            "User works at {f} as a {r}.",
            "User is employed as a {r} at {f}.",
            "User's job: {r} at {f}",
        ],
        [
            "User now works as a {r} at {f}.",
            "User started a new job as a {r} at {f}.",
            "User joined {f} as a {r}.",
            "User works as a {r} at {f}.",
            "User switched jobs and is now a {r} at {f}.",
        ],
    ),
    "diet": (
        ["User is {v}.", "User follows a {v} diet.", "User is a {v}.", "User eats a {v} diet."],
        ["User became {v}.", "User is now {v}.", "User switched to a {v} diet.", "User has gone {v}."],
    ),
    "rent": (
        [
            "User's rent is {n} euros.",
            "User pays {n} euros in rent.",
            "User pays €{n} a month in rent.",
            "Rent is €{n} per month.",
        ],
        [
            "User's rent is now {n} euros.",
            "User's rent went up to {n} euros.",
            "User's rent increased from {m} to {n} euros.",
            "User pays €{n} a month in rent.",
        ],
    ),
    "price": (
        ["The gym membership costs ${n} a month.", "Gym membership costs ${n} a month."],
        [
            "The gym membership now costs ${n} a month.",
            "The price of the gym membership rose to ${n} a month.",
            "The gym membership costs ${n} a month.",
        ],
    ),
    "level": (
        [
            "User's {g} level is {v}.",
            "User is at level {v} in {g}.",
            "User speaks {g} at {v} level.",
            "User's level in {g} is {v}.",
        ],
        [
            "User's {g} level is now {v}.",
            "User reached {v} in {g}.",
            "User passed the {v} exam in {g}.",
            "User's {g} is now at {v}.",
        ],
    ),
    "phone": (
        ["User's phone number is {p}.", "Phone: {p}", "User's phone: {p}"],
        ["User's phone number is now {p}.", "User's new phone number is {p}.", "User changed their phone number to {p}."],
    ),
    "color": (
        ["User's favorite color is {v}.", "Favorite color: {v}"],
        ["User's favorite color is now {v}.", "User's favorite color is {v}.", "User changed their favorite color to {v}."],
    ),
    "editor": (
        ["User uses {v} as their editor.", "User's editor is {v}.", "User prefers {v} as an editor."],
        ["User switched from {o} to {v}.", "User's editor is now {v}.", "User moved from {o} to {v} for coding."],
    ),
    "liking": (
        ["User likes {v}.", "User loves {v}.", "User enjoys {v}."],
        ["User no longer likes {v}.", "User hates {v}.", "User dislikes {v} now.", "User doesn't like {v} anymore."],
    ),
    "weight": (["User weighs {n} kg.", "User's weight is {n} kg."], ["User now weighs {n} kg.", "User's weight is {n} kg."]),
    "married": (
        ["User is single.", "User is engaged to {w}.", "User is dating {w}."],
        ["User is married to {w}.", "User married {w}.", "User got married to {w}."],
    ),
    "standup": (
        ["The daily standup is at 9:{t}.", "Standup starts at 9:{t}."],
        [
            "The daily standup is at 10:{t} now.",
            "The daily standup was moved to 10:{t}.",
            "The daily standup moved from 9:{t} to 10:{t}.",
        ],
    ),
}
CHINESE: dict[str, tuple[list[str], list[str]]] = {
    "city": (
        ["用户住在{v}。", "用户目前居住在{v}", "用户现居{v}。", "用户家住{v}。"],
        ["用户搬到了{v}。", "用户从{o}搬到了{v}。", "用户现在住在{v}。", "用户最近搬家到{v}了。"],
    ),
    "job": (
        ["用户在{f}担任{r}。", "用户在{f}做{r}", "用户是{f}的{r}。"],
        ["用户跳槽到{f}担任{r}。", "用户现在在{f}做{r}。", "用户加入{f}担任{r}。", "用户换了工作，现在在{f}担任{r}。"],
    ),
    "rent": (
        ["用户的房租是{n}元。", "用户每月房租{n}元。"],
        ["用户的房租涨到了{n}元。", "用户的房租现在是{n}元。", "用户的房租从{m}元涨到{n}元。"],
    ),
    "level": (["用户的{g}水平是{v}。", "用户{g}水平为{v}。"], ["用户的{g}达到了{v}。", "用户的{g}水平现在是{v}。"]),
    "liking": (["用户喜欢{v}。", "用户很喜欢{v}"], ["用户不再喜欢{v}。", "用户讨厌{v}。", "用户现在不喜欢{v}了。"]),
    "phone": (
        ["用户的电话是{p}。", "用户的手机号是{p}"],
        ["用户的电话改成了{p}。", "用户的电话现在是{p}。", "用户换了手机号，新号码是{p}。"],
    ),
    "diet": (["用户是素食者。", "用户吃素。"], ["用户不再吃素。", "用户不吃素了。"]),
}
BESIDE = [
    "User likes {thing}.",
    "User has a {pet} called {name}.",
    "User visited {city} in 2019.",
    "User's sister {name} lives in {city}.",
    "{name} works as a {role} at {firm}.",
    "User wants to move to {city}.",
    "User may switch to {firm} next year.",
    "User used to live in {city}.",
    "User was born in {city}.",
    "User speaks {language}.",
    "User is allergic to {thing}.",
    "User's colleague {name} is {diet}.",
    "User is planning a trip to {city}.",
    "User's brother {name} is married to {other}.",
    "User read a book about {city}.",
    "User's grandmother pays {n} euros in rent.",
    "User asked about jobs at {firm}.",
    "User plays {thing} on Sundays.",
    "User owns a {color} bike.",
    "User met {name} in {city}.",
    "User's friend {name} hates {thing}.",
    "User flew from {city} to {city2}.",
    "User is learning {language}.",
    "User's goal is to weigh {n} kg.",
    "User once worked at {firm}.",
]
BESIDE_ZH = [
    "用户喜欢{zthing}。",
    "用户去过{zcity}。",
    "用户的姐姐住在{zcity}。",
    "用户想搬到{zcity}。",
    "用户养了一只猫叫{zname}。",
    "用户的同事{zname}在{zfirm}工作。",
    "用户会说{zlang}。",
    "用户计划去{zcity}旅行。",
    "用户出生于{zcity}。",
]
THINGS = [
    "olives",
    "techno",
    "chess",
    "hiking",
    "green tea",
    "crime novels",
    "sushi",
    "cilantro",
    "podcasts",
    "early meetings",
    "karaoke",
    "snow",
    "opera",
]
ZCITIES, ZFIRMS, ZROLES = (
    ["上海", "北京", "成都", "广州", "杭州", "西安"],
    ["腾讯", "美团", "华为", "小米", "字节跳动"],
    ["工程师", "产品经理", "设计师", "会计", "销售"],
)
ZTHINGS, ZLANGS, ZNAMES = ["火锅", "爬山", "咖啡", "电影", "香菜"], ["德语", "法语", "日语"], ["小明", "李娜", "王芳"]
EDITORS = ["Vim", "Emacs", "VS Code", "PyCharm", "Zed"]


@dataclass
class Case:
    """One user's memories with the ids that are outdated."""

    memories: list[UserMemory]
    stale: set[str]
    about: dict[str, str]  # id to attribute


def users(count: int, seed: int = 1, beside: int = 14) -> list[Case]:
    """So many users, half of them in Chinese. Deterministic."""
    rng = random.Random(seed)
    return [_user(rng, number, beside) for number in range(count)]


def _user(rng: random.Random, number: int, beside: int) -> Case:
    chinese = number % 2 == 1
    table = CHINESE if chinese else ENGLISH
    rows: list[tuple[str, str, bool]] = []  # text, attribute, stale
    for attribute, (told, changed) in table.items():
        if rng.random() < 0.25:
            continue
        values = _values(rng, attribute, chinese)
        changes = rng.choice([0, 1, 1, 2]) if attribute not in ("liking", "married", "diet", "standup") else rng.choice([0, 1])
        series = [rng.choice(told).format(**values(0))]
        series += [rng.choice(changed).format(**values(at)) for at in range(1, changes + 1)]
        rows += [(text, attribute, at < len(series) - 1) for at, text in enumerate(series)]
    # each template once, so that nobody's sister moves by chance
    templates = rng.sample([*BESIDE_ZH, *BESIDE[:6]] if chinese else BESIDE, min(beside, 15 if chinese else len(BESIDE)))
    others = [(_beside(rng, template), "beside", False) for template in templates]
    # changes keep their order; what stands beside goes anywhere
    for row in others:
        rows.insert(rng.randrange(len(rows) + 1), row)
    user = f"user{number}"
    memories, stale, about = [], set(), {}
    for place, (text, attribute, old) in enumerate(rows):
        memory_id = f"{user}-{place}"
        moment = 1_700_000_000 + place * DAY * 9
        memories.append(UserMemory(text, memory_id, user_id=user, created_at=moment, updated_at=moment))
        about[memory_id] = attribute
        if old:
            stale.add(memory_id)
    rng.shuffle(memories)
    return Case(memories, stale, about)


def _values(rng: random.Random, attribute: str, chinese: bool):  # type: ignore[no-untyped-def]
    cities, firms, roles = (
        rng.sample(ZCITIES if chinese else CITIES, 3),
        rng.sample(ZFIRMS if chinese else FIRMS, 3),
        rng.sample(ZROLES if chinese else ROLES, 3),
    )
    pools = {"city": cities, "color": rng.sample(COLORS, 3), "editor": rng.sample(EDITORS, 3), "diet": rng.sample(DIETS, 3)}
    level = rng.randrange(3)
    language = rng.choice(ZLANGS if chinese else LANGUAGES)
    thing = rng.choice(ZTHINGS if chinese else THINGS)
    partner = rng.choice(NAMES)
    base = rng.randrange(60, 90) * (15 if attribute == "rent" else 1)
    phones = [f"+49 30 {rng.randrange(10**6, 10**7)}" for _ in range(3)]

    def at(step: int) -> dict[str, object]:
        pool = pools.get(attribute)
        value = LEVELS[level + step] if attribute == "level" else thing if attribute == "liking" else pool[step] if pool else ""
        before = pool[step - 1] if pool and step else ""
        return {
            "v": value,
            "o": before,
            "f": firms[step],
            "r": roles[step],
            "n": base + 25 * step,
            "m": base + 25 * (step - 1),
            "g": language,
            "p": phones[step],
            "w": partner,
            "t": "15",
        }

    return at


def _beside(rng: random.Random, template: str) -> str:
    first, second = rng.sample(CITIES, 2)
    return template.format(
        thing=rng.choice(THINGS) + " bars",
        pet=rng.choice(["cat", "dog", "parrot"]),
        name=rng.choice(NAMES),
        other="Sam",
        city=first,
        city2=second,
        role=rng.choice(ROLES),
        firm=rng.choice(FIRMS[:5]),
        language=rng.choice(LANGUAGES),
        diet=rng.choice(DIETS),
        n=rng.randrange(60, 800),
        color=rng.choice(COLORS),
        zthing=rng.choice(ZTHINGS) + "片",
        zcity=rng.choice(ZCITIES),
        zname=rng.choice(ZNAMES),
        zfirm=rng.choice(ZFIRMS),
        zlang=rng.choice(ZLANGS),
    )
