"""The HTML report in a real browser (Debian's chromium, headless): it loads nothing, runs nothing, shows the run, and fits a phone."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from support.agnofile import make_store, row, run_memopt

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
LONG = "team-blue-with-a-very-long-identifier-" + "0123456789" * 6
NASTY = (
    "<script>document.title = 'hacked'</script>",
    '"><img src="http://127.0.0.1:9/x" onerror="document.title = \'hacked\'">',
    "</style></main>",
)
START = 1_767_258_000
PHONE, DESKTOP = 360, 1200


def missing():
    if importlib.util.find_spec("selenium") is None:
        return "selenium is not installed"
    gone = [name for name in (CHROMIUM, DRIVER) if not Path(name).exists()]
    return f"{' and '.join(gone)} not there" if gone else None


@pytest.fixture(scope="module")
def browser():
    why = missing()
    if why and os.environ.get("MEMOPT_BROWSER") == "required":
        pytest.fail(f"MEMOPT_BROWSER=required: {why}")
    if why:
        pytest.skip(why)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    with tempfile.TemporaryDirectory(prefix="memopt-browser-", ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            yield driver
        finally:
            driver.quit()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A real second night over 70 users, some of which are refused: its report, and the document it is compared with."""
    folder = tmp_path_factory.mktemp("run")
    users = [*NASTY, LONG, "鳥の詩 🐦", *(f"user-{number:03}" for number in range(65))]
    rows = [
        row(
            f"{place}-{copy}",
            f"Person {place} has hobby number {copy % (3 if place < 5 else 3 + place % 9)}.",
            user=user,
            at=START + copy,
        )
        for place, user in enumerate(users)
        for copy in range(10 if place < 5 else 4 + place % 17)
    ]
    store = make_store(folder / "agno.db", rows, journal="wal")
    first = run_memopt("optimize", "--db", store, "--users", "user-00*", "-s", "dedupe", "--apply")
    assert first.returncode == 0, first.stderr
    report = folder / "report.html"
    words = ("optimize", "--db", store, "--all-users", "-s", "dedupe", "--max-drop", "8", "--apply", "--report", report)
    done = run_memopt(*words, "--json")
    assert done.returncode == 7, done.stderr
    return report, json.loads(done.stdout)


def show(browser, report, width, scheme="light"):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(report.as_uri())


def test_it_loads_nothing_runs_nothing_and_says_nothing_on_the_console(browser, run):
    report, _ = run
    show(browser, report, DESKTOP)
    assert browser.get_log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    assert report.as_uri() in urls and all(url == report.as_uri() or url.startswith("data:") for url in urls)
    assert browser.title == "memopt: Applied to 50 of 70 users"
    assert browser.execute_script("return document.scripts.length + document.images.length") == 0


def test_a_script_in_an_id_would_be_stopped_even_if_it_got_through(browser, run, tmp_path):
    report, _ = run
    broken = tmp_path / "broken.html"
    broken.write_text(
        report.read_text(encoding="utf-8").replace("<h1>", "<script>document.title = 'hacked'</script><h1>"), encoding="utf-8"
    )
    show(browser, broken, DESKTOP)
    assert browser.title == "memopt: Applied to 50 of 70 users"
    assert any("Content Security Policy" in entry["message"] for entry in browser.get_log("browser"))


def test_the_figures_of_the_run_are_on_the_page(browser, run):
    report, document = run
    show(browser, report, DESKTOP)
    text = browser.execute_script("return document.body.innerText")
    totals = document["totals"]
    for figure in (*totals["tokens"]["before"].values(), *totals["memories"].values()):
        if figure != totals["tokens"]["before"]["text"]:
            assert f"{figure:,}" in text, figure
    before, after = (totals["tokens"][side]["prompt"] for side in ("before", "after"))
    assert f"{before:,} → {after:,}" in text and f"−{before - after:,} (" in text
    failed = totals["statuses"]["failed"]
    assert failed > 0 and f"{failed} of 70 users failed" in text and f"{totals['statuses']['applied']} applied" in text
    assert document["failures"][0]["message"] in text
    cells = browser.execute_script(
        "return [...document.querySelectorAll('table.users tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"
    )
    users = {item["user_id"]: item for item in document["users"]}
    assert len(cells) == 50
    for user, what, tokens, saved, memories, *_ in cells:
        item = users[user]
        assert item["status"] in what or what in ("nothing to do", "unchanged since the last run")
        left, right = item["tokens"]["before"]["prompt"], (item["tokens"]["after"] or {}).get("prompt")
        if right is not None and right != left:
            assert (tokens, saved) == (f"{left:,} → {right:,}", f"{left - right:,}")
            assert memories == f"{item['memories']['before']} → {item['memories']['after']}"
    assert {*NASTY, LONG} <= {user for user, *_ in cells}
    assert "and 20 more users" in text and re.search(r"The last runs of \d+ users left", text)


def test_bars_are_as_long_as_their_figures(browser, run):
    report, document = run
    show(browser, report, DESKTOP)
    bars = browser.execute_script(
        "return [...document.querySelectorAll('.bars')].map(bar => [bar.querySelector('.bar-user').innerText,"
        " ...['.before', '.after'].map(name => bar.querySelector('rect' + name).getBoundingClientRect().width)])"
    )
    users = {item["user_id"]: item["tokens"] for item in document["users"]}
    assert len(bars) == 10
    scale = {
        round(users[user][side]["prompt"] / width, 1)
        for user, *widths in bars
        for side, width in zip(("before", "after"), widths, strict=True)
    }
    assert len(scale) == 1


FITS = """
const wide = [];
const right = document.documentElement.clientWidth;
for (const element of document.querySelectorAll('body *')) {
  const box = element.getBoundingClientRect();
  if (box.width && (box.right > right + 0.5 || box.left < -0.5)) wide.push(['beyond the edge', element.outerHTML.slice(0, 80)]);
  if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline' && !element.closest('svg'))
    wide.push(['cut', element.outerHTML.slice(0, 80)]);
}
return [document.documentElement.scrollWidth, right, wide];
"""


@pytest.mark.parametrize("width", [320, PHONE, 740, DESKTOP])
def test_nothing_is_cut_and_nothing_scrolls_sideways(browser, run, width):
    report, _ = run
    show(browser, report, width)
    whole, right, wide = browser.execute_script(FITS)
    assert wide == [] and whole <= right <= width


def test_on_a_phone_every_user_is_a_card_that_can_be_read(browser, run):
    report, _ = run
    show(browser, report, PHONE)
    shown = browser.execute_script(
        "return [...document.querySelectorAll('table.users tbody tr')].slice(0, 3).map(row => [...row.cells]"
        ".map(cell => [getComputedStyle(cell).display, getComputedStyle(cell, '::before').content, cell.innerText]))"
    )
    for first, *others in shown:
        assert first[0] == "block"
        assert [(display, name) for display, name, text in others if text != "–"][1] == ("flex", '"Tokens"')
    small = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter(e => e.innerText && parseFloat(getComputedStyle(e).fontSize) < 13).length"
    )
    assert small == 0


CONTRAST = """
const light = text => { const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
  .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
let worst = 99;
for (const element of document.querySelectorAll('body *')) {
  if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
  let under = element;
  while (under && getComputedStyle(under).backgroundColor === 'rgba(0, 0, 0, 0)') under = under.parentElement;
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(under).backgroundColor)].sort((x, y) => y - x);
  worst = Math.min(worst, (a + 0.05) / (b + 0.05));
}
return [worst, getComputedStyle(document.body).backgroundColor];
"""


def test_it_can_be_read_by_day_and_by_night(browser, run):
    report, _ = run
    grounds = set()
    for scheme in ("light", "dark"):
        show(browser, report, DESKTOP, scheme)
        worst, ground = browser.execute_script(CONTRAST)
        assert worst >= 4.5, scheme  # WCAG 2.2, AA
        grounds.add(ground)
    assert len(grounds) == 2


def test_it_can_be_printed(browser, run):
    report, _ = run
    show(browser, report, DESKTOP)
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"])
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
