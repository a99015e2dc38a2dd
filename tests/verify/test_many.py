"""Many memories and long rewrites: what is looked up by an index is what a plain search finds, and no work grows faster than they do."""

import gc
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.memory import UserMemory
from memopt.verify import Verifier, holding, verify
from memopt.verify.collector import paused
from memopt.verify.findings import Gone, split_outdated
from memopt.verify.holding import Copies, is_copied, stands_alone
from memopt.verify.lines import Side
from memopt.verify.order import relations
from memopt.verify.search import Search
from memopt.verify.settle import _left_hanging, settle
from memopt.verify.switched import switches

PIECES = [
    "User likes tea. ",
    "User likes ",
    "tea",
    ".",
    "!",
    "\n",
    " ",
    "-",
    "• ",
    "“",
    "；",
    "he ",
    "用户喜欢茶。",
    "1",
    ")",
    "a",
]
rewrites = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def alone(rewrite, start, end, text):
    """As it is told: cut out, with what stands on both sides of it."""
    before, after = rewrite[:start].rstrip(" \t-•*"), rewrite[end:]
    rest = after.lstrip(" \t")
    opens = not before or before[-1] in ".!?。！？…;；\n:\"”'’)" or (start > 0 and rewrite[start - 1] == "\n")
    closes = not rest or rest[0] in "\n;；" or text[-1] in '.!?。！？…"”' or (after[0] in ".!?。！？" and not rest[1:2].isalnum())
    return bool(opens and closes)


def places(rewrite, text):
    return [at for at in range(len(rewrite)) if rewrite.startswith(text, at)]


@given(rewrites, st.data())
def test_a_copy_stands_alone_by_what_is_beside_it(rewrite, data):
    start = data.draw(st.integers(0, len(rewrite)))
    end = data.draw(st.integers(start, len(rewrite)))
    if end > start:
        assert stands_alone(rewrite, start, end, rewrite[start:end]) == alone(rewrite, start, end, rewrite[start:end])


@given(rewrites, st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).map(str.strip).filter(bool))
@settings(max_examples=300)
def test_copies_are_found_in_a_long_rewrite_as_in_a_short_one(rewrite, text):
    wanted = any(alone(rewrite, at, at + len(text), text) for at in places(rewrite, text))
    with pytest.MonkeyPatch.context() as patch:
        for limit in (-1, 10**9):
            patch.setattr(holding, "_READ_THROUGH", limit)
            assert Copies(rewrite).holds(text) == wanted


@given(rewrites, st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), st.data())
def test_a_part_is_copied_where_a_whole_source_stands_around_it(rewrite, source, data):
    start = data.draw(st.integers(0, len(rewrite)))
    end = data.draw(st.integers(start, len(rewrite)))
    text = source.strip()
    wanted = len(text) > 1 and any(
        at <= start and at + len(text) >= end and alone(rewrite, at, at + len(text), text) for at in places(rewrite, text)
    )
    assert is_copied(source, rewrite, start, end) == wanted


def test_each_memory_that_says_a_lost_fact_too_is_named_once_and_in_order():
    texts = [
        "User owns a kayak. User is allergic to nuts.",
        "User is allergic to nuts.",
        "User owns a kayak.",
        "User is allergic to nuts.",
    ]
    sources = [UserMemory(text, f"m{n}") for n, text in enumerate(texts)]
    lost = verify(sources, [UserMemory("User lives in Bern.")]).lost
    assert [(item.memory_id, item.also) for item in lost] == [("m0", ("m2",)), ("m0", ("m1", "m2", "m3"))]


class Replacing:
    """What ``superseded`` finds, as far as it is asked for here."""

    def __init__(self, old, new):
        self.old_index, self.new_index, self.span, self.reason = old, new, (0, 9), f"{new} replaces {old}"


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=8), st.sets(st.integers(0, 7)))
def test_what_is_replaced_is_outdated_only_where_what_replaces_it_is_there(pairs, gone):
    newer = dict(pairs)
    sources = [UserMemory("User runs.", f"m{n}") for n in range(8)]
    lost = [Gone(index, 0, 9, "statement", "", index) for index in sorted(gone)]
    kept, outdated = split_outdated(sources, lost, [Replacing(old, new) for old, new in newer.items()])
    excused = {index for index in gone if index in newer}
    while any(newer[index] in gone - excused for index in excused):
        excused = {index for index in excused if newer[index] not in gone - excused}
    assert {item.index for item in outdated} == excused and {item.index for item in kept} == gone - excused


def test_a_long_chain_of_what_replaces_each_other_is_followed_in_no_time():
    many = 20_000
    sources = [UserMemory("User runs.", f"m{n}") for n in range(many)]
    lost = [Gone(index, 0, 9, "statement", "", index) for index in range(many)]
    kept, outdated = split_outdated(sources, lost, [Replacing(n, n + 1) for n in range(many - 1)])
    assert len(kept) == many and not outdated  # the last of them is lost


def test_the_search_for_cycles_is_as_it_was_afterwards():
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), paused():
        assert not gc.isenabled()
        with paused():
            pass
        assert not gc.isenabled()
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    try:
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_comparison_leaves_no_cycles_behind():
    sources = notes(150)
    gc.collect()
    with paused():
        settle(sources, " ".join(item.memory for item in sources[::3]) + " User owns a yacht called Nemo.")
        assert gc.collect() < 200


def notes(many, seed=5):
    dice = random.Random(seed)
    names, towns = ("Ann", "Tom", "Mia", "Leo", "Zoe"), ("Bern", "Oslo", "Riga", "Turin", "Ghent")
    acts, things = ("bought", "sold", "found", "lent"), ("kayak", "violin", "tent", "lamp", "drill")
    return [
        UserMemory(
            f"User {dice.choice(acts)} a {dice.choice(things)} with {dice.choice(names)} in {dice.choice(towns)}, order {n}.",
            f"m{n}",
            created_at=1_700_000_000 + 3600 * n,
        )
        for n in range(many)
    ]


class Plain(Search):
    """The lines that score best, with every line that shares anything put in order."""

    def candidates(self, features):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("memopt.verify.search._MANY", 10**9)
            return super().candidates(features)


def test_lines_that_are_let_go_on_the_way_are_none_of_the_best():
    items = notes(3000)
    side = Side(items)
    quick, plain = Search(side, frozenset()), Plain(side, frozenset())
    for number in range(0, len(side.units), 37):
        unit = side.units[number]
        features = {each.stem: each.weight + 0.05 for each in unit.terms} | dict.fromkeys(side.keys_of(number), 1.0)
        assert quick.candidates(features) == plain.candidates(features)


def test_a_text_that_was_read_for_a_part_of_the_memories_is_not_read_again_for_all(monkeypatch):
    from memopt.verify import check

    read = []

    class Counted(Side):
        def __init__(self, memories, *rest):
            read.append(len(memories))
            super().__init__(memories, *rest)

    monkeypatch.setattr(check, "Side", Counted)
    sources = notes(20)
    text = " ".join(item.memory for item in sources[1:])
    verifier = Verifier(sources)
    assert {item.index for item in verifier.lost_of([UserMemory(text)], range(5))} == {0}
    report = verifier([UserMemory(text, "rewrite")])
    assert read.count(1) == 1 and {item.index for item in report.lost} == {0}
    assert {item.index for item in verifier([UserMemory(text + " User owns a yacht.", "rewrite")]).lost} == {0}
    assert read.count(1) == 2


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=6))
def test_what_hangs_on_a_sentence_that_is_cut_out_is_found_however_the_cuts_overlap(cuts):
    from memopt.verify.report import Invented

    text = "User met Tom. He is ill. User owns a tent. It is red. She sings."
    made = [Invented(None, 0, "", "", "statement", "", start, start + length) for start, length in cuts]
    touched = [
        any(item.start < end and start < item.end for item in made)
        for start, end in ((0, 13), (14, 24), (25, 42), (43, 53), (54, 64))
    ]
    hanging = {item.sentence for item in _left_hanging(text, made)}
    for sentence, cut in zip(
        ("User met Tom.", "He is ill.", "User owns a tent.", "It is red.", "She sings."), touched, strict=True
    ):
        assert not (cut and sentence in hanging)
    assert bool(hanging) <= any(touched)


@pytest.mark.parametrize(
    "text",
    [
        "User drinks " + "a" * 700 + " before tea",
        "switched from " + "x" * 900 + " to y",
        "replaced " + "a&b." * 200 + " with c",
        "a.b-c" * 200 + " first then d",
        "把A换成B，" * 100,
    ],
)
def test_a_long_word_is_read_as_one(text: str) -> None:
    """A pattern that tries each way to cut it would not come to an end."""
    report = verify([UserMemory(text, memory_id="m")], [UserMemory(text)])
    assert not report.lost
    assert switches(text) == tuple(dict.fromkeys(switches(text)))
    assert len(relations(text)) <= len(text)
