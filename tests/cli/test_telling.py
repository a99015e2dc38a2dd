"""What is told of a sentence that was made up, and beside how far a run is."""

from memopt.cli.render import _made_up


def found(detail, nearest):
    return {"sentence": "User sings.", "fact": "sings", "kind": "statement", "detail": detail, "nearest_id": nearest}


def test_a_reason_is_told_once_with_the_nearest_memory_where_one_is_known():
    for order in ([None, "m0"], ["m0", None]):
        made, _ = _made_up([found("no source says it", nearest) for nearest in order])
        assert made == {"User sings.": ["no source says it (nearest: m0)"]}


def test_other_reasons_are_told_beside_it():
    made, _ = _made_up([found("no source says it", "m0"), found("Rex: no source has it", None)])
    assert made == {"User sings.": ["no source says it (nearest: m0)", "Rex: no source has it"]}


def test_a_warning_does_not_stand_behind_how_far_it_is(monkeypatch):
    import io
    import sys

    from memopt.cli.asking import warn

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal("\r  1 of 12 answered"))
    sys.stderr.seek(0, io.SEEK_END)
    warn("it is slow")
    *_, last = sys.stderr.getvalue().split("\r")
    assert last == "memopt: it is slow\n" and " " * len("  1 of 12 answered") in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    warn("it is slow")
    assert sys.stderr.getvalue() == "memopt: it is slow\n"
