"""In German, Spanish, French, Italian and Portuguese a denial reaches no further than its clause, and one that moved is found."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.foreign import language

FAITHFUL = [
    (
        ["El usuario vive en Sevilla.", "El usuario no come carne.", "El usuario tiene dos hijos, Ana y Luis."],
        "El usuario vive en Sevilla, no come carne y tiene dos hijos: Ana y Luis.",
    ),
    (
        ["Der Nutzer wohnt in Köln.", "Der Nutzer isst kein Fleisch.", "Der Nutzer hat zwei Söhne, Max und Felix."],
        "Der Nutzer wohnt in Köln, isst kein Fleisch und hat zwei Söhne: Max und Felix.",
    ),
    (["Der Nutzer ist gegen Katzen allergisch."], "Der Nutzer hat eine Katzenallergie."),
    (
        ["Der Nutzer trinkt keinen Kaffee.", "Der Nutzer trinkt gern grünen Tee."],
        "Der Nutzer trinkt keinen Kaffee, aber gern grünen Tee.",
    ),
    (["Der Nutzer raucht nicht.", "Der Nutzer joggt jeden Morgen."], "Der Nutzer raucht nicht und joggt jeden Morgen."),
    (["A la usuaria le gusta el té.", "La usuaria no bebe café."], "La usuaria no bebe café, pero le gusta el té."),
    (
        ["La usuaria no tiene coche.", "La usuaria va al trabajo en bicicleta."],
        "La usuaria no tiene coche y va al trabajo en bicicleta.",
    ),
    (
        ["El usuario nunca ha estado en Japón.", "El usuario habla japonés."],
        "El usuario habla japonés, aunque nunca ha estado en Japón.",
    ),
    (
        [
            "Die Nutzerin ist Lehrerin in Bremen.",
            "Die Nutzerin mag keine Horrorfilme.",
            "Die Nutzerin hat einen Hund namens Bello.",
        ],
        "Die Nutzerin ist Lehrerin in Bremen, mag keine Horrorfilme und hat einen Hund namens Bello.",
    ),
    (
        ["Der Nutzer hat kein Auto.", "Der Nutzer fährt mit dem Rad zur Arbeit."],
        "Der Nutzer hat kein Auto und fährt mit dem Rad zur Arbeit.",
    ),
    (
        ["Der Nutzer ist gegen Pollen allergisch.", "Der Nutzer arbeitet als Koch."],
        "Der Nutzer arbeitet als Koch und hat eine Pollenallergie.",
    ),
    (
        ["El usuario es alérgico a los gatos.", "El usuario trabaja de noche."],
        "El usuario tiene alergia a los gatos y trabaja de noche.",
    ),
    (
        ["L'utilisateur ne mange pas de porc.", "L'utilisateur habite à Lyon."],
        "L'utilisateur habite à Lyon et ne mange pas de porc.",
    ),
    (
        ["L'utilisateur n'aime pas le café.", "L'utilisateur aime le thé vert."],
        "L'utilisateur n'aime pas le café mais aime le thé vert.",
    ),
    (["A usuária não come glúten.", "A usuária mora no Porto."], "A usuária mora no Porto e não come glúten."),
    (["L'utente non beve alcol.", "L'utente abita a Torino."], "L'utente non beve alcol e abita a Torino."),
]
FAULTED = [
    (
        ["El usuario vive en Sevilla.", "El usuario no come carne.", "El usuario tiene dos hijos, Ana y Luis."],
        "El usuario vive en Sevilla, come carne y no tiene dos hijos: Ana y Luis.",
    ),
    (
        ["El usuario vive en Sevilla.", "El usuario no come carne.", "El usuario tiene dos hijos, Ana y Luis."],
        "El usuario no vive en Sevilla, come carne y tiene dos hijos: Ana y Luis.",
    ),
    (
        ["Der Nutzer wohnt in Köln.", "Der Nutzer isst kein Fleisch.", "Der Nutzer hat zwei Söhne, Max und Felix."],
        "Der Nutzer wohnt in Köln, isst Fleisch und hat zwei Söhne: Max und Felix.",
    ),
    (
        ["Der Nutzer wohnt in Köln.", "Der Nutzer isst kein Fleisch.", "Der Nutzer hat zwei Söhne, Max und Felix."],
        "Der Nutzer wohnt nicht in Köln, isst kein Fleisch und hat zwei Söhne: Max und Felix.",
    ),
    (["Der Nutzer ist gegen Katzen allergisch."], "Der Nutzer hat keine Katzenallergie."),
    (["Der Nutzer ist gegen Katzen allergisch."], "Der Nutzer hat eine Hundeallergie."),
    (
        ["Der Nutzer trinkt keinen Kaffee.", "Der Nutzer trinkt gern grünen Tee."],
        "Der Nutzer trinkt Kaffee, aber keinen grünen Tee.",
    ),
    (["Der Nutzer raucht nicht.", "Der Nutzer joggt jeden Morgen."], "Der Nutzer raucht und joggt jeden Morgen."),
    (["Der Nutzer raucht nicht.", "Der Nutzer joggt jeden Morgen."], "Der Nutzer raucht nicht und joggt nicht jeden Morgen."),
    (["A la usuaria le gusta el té.", "La usuaria no bebe café."], "La usuaria bebe café, pero no le gusta el té."),
    (
        ["La usuaria no tiene coche.", "La usuaria va al trabajo en bicicleta."],
        "La usuaria tiene coche y va al trabajo en bicicleta.",
    ),
    (
        ["La usuaria no tiene coche.", "La usuaria va al trabajo en bicicleta."],
        "La usuaria no tiene coche y no va al trabajo en bicicleta.",
    ),
    (
        [
            "Die Nutzerin ist Lehrerin in Bremen.",
            "Die Nutzerin mag keine Horrorfilme.",
            "Die Nutzerin hat einen Hund namens Bello.",
        ],
        "Die Nutzerin ist Lehrerin in Bremen, mag Horrorfilme und hat keinen Hund namens Bello.",
    ),
    (
        ["Der Nutzer hat kein Auto.", "Der Nutzer fährt mit dem Rad zur Arbeit."],
        "Der Nutzer hat ein Auto und fährt nicht mit dem Rad zur Arbeit.",
    ),
    (
        ["Der Nutzer ist gegen Pollen allergisch.", "Der Nutzer arbeitet als Koch."],
        "Der Nutzer arbeitet als Koch und hat keine Pollenallergie.",
    ),
    (
        ["El usuario es alérgico a los gatos.", "El usuario trabaja de noche."],
        "El usuario no tiene alergia a los gatos y trabaja de noche.",
    ),
    (
        ["L'utilisateur ne mange pas de porc.", "L'utilisateur habite à Lyon."],
        "L'utilisateur n'habite pas à Lyon et mange du porc.",
    ),
    (
        ["L'utilisateur n'aime pas le café.", "L'utilisateur aime le thé vert."],
        "L'utilisateur aime le café mais n'aime pas le thé vert.",
    ),
    (["A usuária não come glúten.", "A usuária mora no Porto."], "A usuária não mora no Porto e come glúten."),
    (["L'utente non beve alcol.", "L'utente abita a Torino."], "L'utente beve alcol e non abita a Torino."),
    (["Der Nutzer trinkt Kaffee ohne Zucker."], "Der Nutzer trinkt Kaffee mit Zucker."),
    (["La usuaria vive sin coche."], "La usuaria vive con coche."),
]


def _found(sources: list[str], rewrite: str) -> bool:
    report = verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(("sources", "rewrite"), FAITHFUL)
def test_a_denial_ends_with_its_clause(sources: list[str], rewrite: str) -> None:
    assert not _found(sources, rewrite)


@pytest.mark.parametrize(("sources", "rewrite"), FAULTED)
def test_a_denial_that_moved_or_went_is_found(sources: list[str], rewrite: str) -> None:
    assert _found(sources, rewrite)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Der Nutzer wohnt in Köln und hat einen Hund.", "de"),
        ("El usuario vive en Sevilla y no come carne.", "es"),
        ("L'utilisateur habite à Lyon avec sa femme et ne mange pas de porc.", "fr"),
        ("User lives in Las Vegas and has a dog.", ""),
        ("User's son died in a war.", ""),
        ("用户住在南京。", ""),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, name: str) -> None:
    assert language(text) == name
