"""What a newer memory of the set says is over may be told as over, or left out; what only looks like it may not."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

DAY = 86_400


def check(sources, rewrite):
    memories = [UserMemory(text, f"m{n}", created_at=1_735_689_600 + n * DAY) for n, text in enumerate(sources)]
    return verify(memories, [UserMemory(rewrite)])


# memories, oldest first; what tells them; what does not
CHANGED = [
    (["用户体重75公斤。", "用户的体重现在是72公斤了。", "用户打算年底减到65公斤。"], ["用户现重72kg，打算年底减到65公斤。"], ["用户现重75kg，打算年底减到65公斤。"]),
    (["User weighs 91 kg.", "User's weight is now 86 kg.", "User has a dog called Rex."], ["The user, now 86 kg, has a dog called Rex."], ["The user, who weighs 91 kg, has a dog called Rex.", "The user has a dog called Rex."]),
    (["User's manager is Dana Whitfield.", "User's new manager since May is Piotr Zielinski.", "User works in logistics."], ["The user works in logistics; Piotr Zielinski has been the manager since May."], ["The user works in logistics and is managed by Dana Whitfield."]),
    (["用户在酒店预订了15桌婚宴。", "婚宴改成了18桌。", "婚礼在10月3日。"], ["婚礼定在10月3日，酒店婚宴共18桌。"], ["婚礼定在10月3日，酒店婚宴共15桌。"]),
    (["User lives in Leeds with two cats, Miso and Tofu.", "User moved from Leeds to York in March 2025; the cats came along."], ["Since March 2025 home has been York; before that the user was in Leeds. Two cats, Miso and Tofu, live with the user and made the move too.", "The user moved from Leeds to York in March 2025 and took along the two cats, Miso and Tofu."], ["Since March 2025 home has been York; before that the user was in Leeds."]),
    (["The team meeting is every Monday at 10.", "The team meeting is now on Tuesdays at 10.", "User is the minute taker."], ["The team meets on Tuesdays at 10, and the user takes the minutes.", "Team meetings, formerly on Mondays, now take place on Tuesdays at 10; the user is the minute taker."], ["The team meets on Mondays at 10, and the user takes the minutes."]),
    (["User lives in Lisbon.", "User likes pierogi.", "User lives in Graz."], ["The user, who now lives in Graz (formerly Lisbon), likes pierogi.", "The user used to live in Lisbon, now lives in Graz, and likes pierogi.", "The user previously lived in Lisbon, now lives in Graz, and likes pierogi."], ["The user, who now lives in Lisbon (formerly Graz), likes pierogi."]),
    (["Alice is vegetarian.", "Alice works for a bank.", "Alice eats fish again; she now calls herself pescatarian."], ["Previously vegetarian, Alice has gone back to eating fish and calls herself pescatarian. She works for a bank.", "Alice, a former vegetarian, eats fish again and now calls herself pescatarian; she works for a bank."], ["Alice is a vegetarian and works for a bank."]),
    (["用户在拼多多做后端工程师。", "用户接受了 Zalando 的录用，2025年8月1日入职。", "用户爱喝乌龙茶。"], ["用户曾是拼多多的后端工程师，后来接受了 Zalando 的录用，2025年8月1日入职；爱喝乌龙茶。", "用户原在拼多多做后端工程师，接受 Zalando 的录用后于2025-08-01入职；爱喝乌龙茶。"], ["用户曾是 Zalando 的后端工程师，后来接受了拼多多的录用，2025年8月1日入职；爱喝乌龙茶。"]),
    (["用户吃素。", "用户现在是纯素食者（以前吃蛋奶素）。"], ["用户从蛋奶素改成了纯素。", "用户以前吃蛋奶素，如今是纯素食者。"], ["用户从纯素改成了蛋奶素。"]),
    (["User drives a Honda Civic.", "User sold the Civic and bought a Toyota Yaris in June."], ["The user sold the Honda Civic and has driven a Toyota Yaris since buying it in June.", "In June the user replaced the Honda Civic with a Toyota Yaris, having sold the Civic."], ["The user sold the Toyota Yaris and bought a Honda Civic in June."]),
    (["User's phone is a Pixel 6.", "User upgraded to a Pixel 9.", "User is colour-blind."], ["The user has a Pixel 9 (up from a Pixel 6) and is colour-blind.", "The user, who is colour-blind, now uses a Pixel 9."], ["The user, who is colour-blind, uses a Pixel 6."]),
    (["用户每周一开例会。", "例会改到周三了。", "用户负责写纪要。"], ["例会现在每周三开，由用户写纪要。", "例会由周一改到了周三，纪要由用户写。"], ["例会每周一开，由用户写纪要。"]),
    (["用户住在杭州。", "用户今年三月搬到了苏州。", "用户养了一只猫。"], ["用户今年三月从杭州搬到苏州，养了一只猫。", "用户原住杭州，今年3月迁居苏州，家里有一只猫。", "用户今年三月搬到了苏州，养了一只猫。"], ["用户今年三月从苏州搬到杭州，养了一只猫。", "用户养了一只猫。"]),
    (["User went to Rome in May.", "User went to Oslo in August."], ["The user visited Rome in May and Oslo in August."], ["The user visited Oslo in August."]),
    (["用户5月去了成都。", "用户8月又去了大理。"], ["用户5月去过成都，8月又到了大理。"], ["用户8月去了大理。"]),
    (["用户养了一只狗叫豆豆。", "用户现在又养了一只猫叫咪咪。"], ["用户养了一只叫豆豆的狗，现在又养了只叫咪咪的猫。"], ["用户现在养了一只叫咪咪的猫。"]),
    (["User's rent is 900 euros.", "The rent went up to 980 euros in January.", "User shares the flat with Mo."], ["The user shares the flat with Mo and has paid 980 euros in rent since January.", "The user shares the flat with Mo; the rent rose from 900 to 980 euros in January."], ["The user shares the flat with Mo and has paid 900 euros in rent since January."]),
    (["User smokes ten cigarettes a day.", "User quit smoking in April 2024."], ["The user gave up smoking in April 2024, after ten cigarettes a day.", "The user used to smoke ten cigarettes a day but quit in April 2024.", "The user quit smoking in April 2024."], ["The user started smoking in April 2024."]),
    (["User is engaged to Marco.", "User married Marco on 7 June 2025.", "User is a nurse."], ["The user, a nurse, married Marco on 2025-06-07."], ["The user, a nurse, is engaged to Marco."]),
    (["用户打算9月跑厦门半程马拉松。", "用户跑完了厦门半程马拉松，成绩1小时58分。"], ["用户9月按计划跑完了厦门半程马拉松，成绩1:58。", "用户原打算9月跑厦门半马，后来跑完了，成绩1小时58分。"], ["用户打算9月跑厦门半程马拉松，目标1小时58分。"]),
    (["User uses Redis for caching.", "User switched from Redis to Valkey."], ["For caching the user has switched from Redis to Valkey.", "The user dropped Redis in favour of Valkey for caching.", "Valkey has replaced Redis as the user's cache."], ["Redis has replaced Valkey as the user's cache."]),
    (["用户从 Redis 换成了 DuckDB。"], ["用户已弃用 Redis，改用 DuckDB。", "用户把 Redis 换成了 DuckDB。", "用户用 DuckDB 取代了 Redis。"], ["用户已弃用 DuckDB，改用 Redis。", "用户用 Redis 取代了 DuckDB。"]),
    (["User puts £400 a month into an ISA but paused the contributions in March."], ["The user used to put £400 a month into an ISA but paused the contributions in March."], ["The user puts £400 a month into an ISA and resumed the contributions in March."]),
    (["User's landlord is Mr. Osei.", "The house was sold; the new landlord is Ms. Haddad."], ["The house has been sold and Ms. Haddad is now the landlord instead of Mr. Osei.", "The user's landlord is Ms. Haddad, since the house was sold."], ["The user's landlord is Mr. Osei, since the house was sold."]),
    (["用户的上级是王芳。", "用户的新上级是赵强，从五月开始。"], ["从五月起，用户的上级换成了赵强。", "用户的上级原是王芳，五月起换成赵强。"], ["从五月起，用户的上级换成了王芳。"]),
    (["User is learning Spanish, level A1.", "User's Spanish has reached B1."], ["The user is learning Spanish and has reached B1."], ["The user's Spanish has gone from B1 to A1."]),
    (["项目使用 Vue 2。", "项目已升级到 Vue 3。", "项目由小周维护。"], ["项目由小周维护，已从 Vue 2 升级到 Vue 3。", "项目现用 Vue 3，维护人是小周。"], ["项目由小周维护，已从 Vue 3 降到 Vue 2。"]),
    (["User plays tennis on Saturdays.", "User stopped playing tennis because of a shoulder injury.", "User swims instead."], ["The user swims now, having given up tennis because of a shoulder injury."], ["The user plays tennis on Saturdays despite a shoulder injury."]),
    (["用户每天抽一包烟。", "用户去年戒烟了。"], ["用户去年戒了烟，以前每天抽一包。", "用户去年戒烟了。"], ["用户每天抽一包烟。"]),
    (["User subscribes to Netflix.", "User cancelled the Netflix subscription in October."], ["The user cancelled Netflix in October.", "The user had a Netflix subscription until cancelling it in October."], ["The user subscribes to Netflix."]),
    (["User works as an accountant at Brightwell.", "User now works at Norvik as a controller.", "User commutes by train."], ["Formerly an accountant at Brightwell, the user is now a controller at Norvik and commutes by train.", "The user is a controller at Norvik and takes the train to work."], ["The user was a controller at Norvik and is now an accountant at Brightwell."]),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, told, _ in CHANGED for rewrite in told])
def test_what_a_newer_memory_ended_may_be_told_as_over_or_left_out(sources, rewrite):
    report = check(sources, rewrite)
    assert report.passed, (report.lost, report.invented)


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, _, wrong in CHANGED for rewrite in wrong])
def test_what_was_not_changed_so_may_not(sources, rewrite):
    assert not check(sources, rewrite).passed


def test_a_finding_in_such_a_sentence_quotes_the_rewrite_as_it_is():
    sources = ["User lives in Lisbon.", "User lives in Graz."]
    text = "Kim is a nurse. The user used to live in Lisbon and now owns a yacht in Graz."
    report = check(sources, text)
    assert {item.sentence for item in report.invented} == {
        "Kim is a nurse.",
        "The user used to live in Lisbon and now owns a yacht in Graz.",
    }
    for item in report.invented:
        assert text[item.start : item.end].strip() == item.sentence


def test_a_sentence_that_a_source_tells_with_previous_is_a_copy_whatever_a_newer_one_ends() -> None:
    texts = (
        "Nora's new film is different from her previous work.",
        "Nora quit her work at the bakery.",
        "Nora now works at a theatre.",
    )
    memories = [UserMemory(text, memory_id=f"m{at}", created_at=1_735_689_600 + 86_400 * at) for at, text in enumerate(texts)]
    report = verify(memories, [UserMemory(" ".join(texts))])
    assert not report.lost and not report.invented
