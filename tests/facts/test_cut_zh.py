"""Chinese cut into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.facts.cut_zh import cut


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("把镜子挂在墙壁上", "把 镜子 挂 在 墙壁 上"),
        ("计划在年末前全部归还", "计划 在 年末 前 全部 归还"),
        ("回复用户时请先说结论", "回复 用户 时 请 先 说 结论"),
    ],
)
def test_a_run_is_cut_where_its_words_end(run, words):
    assert [run[start:end] for start, end in cut(run)] == words.split()


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=60))
def test_the_words_are_the_whole_run_in_order(run):
    spans = cut(run)
    assert "".join(run[start:end] for start, end in spans) == run
    assert all(start < end for start, end in spans)
