"""Denials in languages that are not read in full: told the other way round they are found, joined and reordered they are right."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

TURNED = [
    ("L'utilisateur n'aime pas les escargots.", "L'utilisateur aime les escargots."),
    ("Al usuario le gusta el regaliz.", "El usuario odia el regaliz."),
    ("El usuario no bebe vino.", "El usuario bebe vino."),
    ("O usuário é alérgico a camarão.", "O usuário não é alérgico a camarão."),
    ("L'utente non mangia pesce.", "L'utente mangia pesce."),
    ("Der Nutzer trinkt keinen Wein.", "Der Nutzer trinkt Wein."),
    ("De gebruiker eet geen vis.", "De gebruiker eet vis."),
    ("Användaren äter inte fisk.", "Användaren äter fisk."),
    ("Użytkownik nie lubi kawy.", "Użytkownik lubi kawę."),
    ("Пользователь не ест рыбу.", "Пользователь ест рыбу."),
    ("Користувач не п'є молоко.", "Користувач п'є молоко."),
    ("Kullanıcı balık yemiyor.", "Kullanıcı balık yiyor."),
    ("ユーザーは小麦アレルギーがある。", "ユーザーは小麦アレルギーがない。"),
    ("ユーザーは大阪に住んでいない。", "ユーザーは大阪に住んでいる。"),
    ("사용자는 우유를 마시지 않는다.", "사용자는 우유를 마신다."),
    ("المستخدم لا يأكل السمك.", "المستخدم يأكل السمك."),
    ("उपयोगकर्ता मछली नहीं खाता है।", "उपयोगकर्ता मछली खाता है।"),
    ("Người dùng không ăn cá.", "Người dùng ăn cá."),
    ("Pengguna tidak makan ikan.", "Pengguna makan ikan."),
]


def check(sources, rewrite):
    return verify([UserMemory(text, f"m{n}") for n, text in enumerate(sources)], [UserMemory(rewrite)])


@pytest.mark.parametrize(("source", "rewrite"), TURNED)
def test_a_denial_of_any_language_that_is_turned_is_lost_and_made_up(source, rewrite):
    for one, two in ((source, rewrite), (rewrite, source)):
        report = check([one], two)
        assert report.lost_ids == ("m0",)
        assert report.invented


@pytest.mark.parametrize(("source", "rewrite"), TURNED)
def test_texts_of_any_language_that_stand_word_for_word_are_right(source, rewrite):
    assert check([source], source).passed
    assert check([rewrite], rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["El usuario vive en Lugo.", "El usuario no bebe vino."], "El usuario vive en Lugo. No bebe vino."),
        (["L'utilisateur habite à Brest.", "L'utilisateur n'aime pas les escargots."], "L'utilisateur n'aime pas les escargots, il habite à Brest."),
        (["Пользователь живёт в Туле.", "Пользователь не ест рыбу."], "Пользователь не ест рыбу, живёт в Туле."),
        (["ユーザーは大阪に住んでいる。", "ユーザーは牛乳を飲まない。"], "ユーザーは牛乳を飲まない。大阪に住んでいる。"),
        (["사용자는 대구에 산다.", "사용자는 우유를 마시지 않는다."], "사용자는 우유를 마시지 않는다. 대구에 산다."),
    ],
)  # fmt: skip
def test_a_denial_does_not_pass_to_the_clause_beside_it(sources, rewrite):
    assert not [item for item in check(sources, rewrite).lost if item.kind == "polarity"]
