"""The page on scale reckons rightly: what is planned follows from what was measured."""

from __future__ import annotations

import re

from support.agnofile import REPO

from memopt.queue.worker import CONNECTIONS

PAGE = (REPO / "docs" / "scale.md").read_text(encoding="utf-8")
USERS, WORKERS, CORES, UNDER_WAY, ANSWER = 10_000_000, 50, 16, 1_600, 2.0


def table(name):
    body = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", PAGE, re.DOTALL)[1]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in body.strip().splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def number(text):
    return float(re.match(r"[\d.]+", text)[0])


def test_the_plan_follows_from_the_figures():
    measured, planned = table("measured"), table("planned")
    for column in (0, 1):
        one = {name: number(row[column]) for name, row in measured.items()}
        found = {name: row[column] for name, row in planned.items()}
        expected = {
            "CPU of 50 workers, a core each": f"{USERS * one['CPU of a worker, ms'] / 1000 / WORKERS / 60:.0f} min",
            "CPU of Postgres, 16 cores": f"{USERS * one['CPU of Postgres, ms'] / 1000 / CORES / 60:.0f} min",
            "WAL": f"{USERS * one['WAL, kB'] / 1e6:.0f} GB",
            "journal": f"{USERS * one['journal, kB'] / 1e6:.0f} GB",
            "the service, 1,600 requests under way, 2 s an answer": (
                f"{USERS * ANSWER / UNDER_WAY / 60:.0f} min" if one["requests to the model"] else "-"
            ),
        }
        assert found == expected


def test_the_rates_and_connections_of_the_page_follow_too():
    measured = table("measured")
    of_workers = WORKERS * 1000 / number(measured["CPU of a worker, ms"][0])
    of_server = CORES * 1000 / number(measured["CPU of Postgres, ms"][0])
    assert f"50 cores could do {round(of_workers, -2):,.0f} jobs a second" in PAGE
    assert f"16 cores of Postgres bear {round(of_server, -2):,.0f}" in PAGE
    assert f"50 x {CONNECTIONS} = {WORKERS * CONNECTIONS}" in PAGE
    assert UNDER_WAY == 32 * WORKERS
