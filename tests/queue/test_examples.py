"""The examples for Kubernetes and systemd run, and the page on the queue says what is so."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import subprocess
import time

import pytest
import yaml
from support.agnofile import REPO, row
from support.endpoint import Endpoint, say
from support.inprocess import call_memopt
from support.postgres import database
from support.queues import Queue, fleet, names

from memopt.queue import worker as queue_worker
from memopt.queue.recipe import Recipe

EXAMPLES = REPO / "examples" / "queue"
PAGE = (REPO / "docs" / "queue.md").read_text(encoding="utf-8")


def documents(name):
    return list(yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8")))


def pod():
    (deployment,) = documents("worker.yaml")
    return deployment["spec"]["template"]["spec"]


def test_what_is_enqueued_every_night_is_done_by_the_deployment(tmp_path):
    config, cron = documents("enqueue.yaml")
    nightly = cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    steps = [*nightly["initContainers"], *nightly["containers"]]
    assert [step["command"] for step in steps] == [["memopt"]] * 2
    (tmp_path / "memopt.toml").write_text(config["data"]["memopt.toml"])
    rows = [row(f"{user}-{n}", f"Likes jazz, and song {n % 3} of the album.", user=user) for user in names(3) for n in range(60)]
    with database() as db, Endpoint(say("User likes jazz, and songs 0, 1 and 2 of the album.")) as endpoint:
        db.make([*rows, *fleet(["small"])])
        queue = Queue(db, tmp_path)
        for step in steps:
            queue.call(*step["args"])
        assert queue.statuses() == {"todo": 3}  # one user is below the condition
        (tmp_path / "memopt.toml").unlink()
        args = [word.replace("/tmp", str(tmp_path)) for word in pod()["containers"][0]["args"]]
        found = queue.call(*args, "--until-empty", "--poll", "0.1", MEMOPT_BASE_URL=endpoint.base_url)
        assert found.returncode == 0
        assert queue.journal() == names(3)
        assert endpoint.requests and {request.body["model"] for request in endpoint.requests} == {"gpt-4o-mini"}


def test_the_probe_tells_a_worker_that_lives_from_one_that_hangs(tmp_path):
    shell, flag, script = pod()["containers"][0]["livenessProbe"]["exec"]["command"]
    file = tmp_path / "alive"
    script = script.replace("/tmp/alive", shlex.quote(str(file)))

    def probe():
        return subprocess.run([shell, flag, script], check=False, capture_output=True).returncode

    assert probe() != 0
    file.touch()
    assert probe() == 0
    os.utime(file, (time.time() - 600,) * 2)
    assert probe() != 0


def test_pods_have_time_to_give_their_jobs_back_and_get_secrets_from_where_they_are_kept():
    spec = pod()
    args = spec["containers"][0]["args"]
    assert spec["terminationGracePeriodSeconds"] >= float(args[args.index("--grace") + 1]) + 10
    _, cron = documents("enqueue.yaml")
    nightly = cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    for container in (*spec["containers"], *nightly["initContainers"], *nightly["containers"]):
        assert all("secretKeyRef" in each["valueFrom"] for each in container["env"])
        assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]


def test_the_systemd_unit_of_a_worker_runs(tmp_path):
    unit = configparser.RawConfigParser(strict=False)
    unit.read(EXAMPLES / "memopt-worker.service")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[0].endswith("/memopt") and unit["Service"]["Restart"] == "always"
    assert float(unit["Service"]["TimeoutStopSec"]) >= float(words[words.index("--grace") + 1]) + 10
    with database() as db:
        queue = Queue(db.make(fleet(["ann"])), tmp_path)
        queue.enqueue()
        queue.call(*words[1:], "--until-empty", "--poll", "0.1")
        assert queue.journal() == ["ann"]


def options(command):
    return set(re.findall(r"(--[a-z][a-z-]+)", call_memopt(command, "--help").stdout))


def test_every_option_that_the_page_names_exists():
    known = set().union(*(options(command) for command in ("enqueue", "worker", "jobs", "optimize", "apply")))
    for option in set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", PAGE)):
        assert option in known, option


def test_every_option_of_workers_and_jobs_is_on_the_page():
    common = {
        "--db",
        "--lock-timeout",
        "--json",
        "--debug",
        "--help",
        "--table",
        "--encoding",
        "--timeout",
        "--verbose",
        "--minutes",
    }
    for command in ("worker", "jobs"):
        for option in options(command) - common:
            assert f"`memopt {command} {option}" in PAGE or option in PAGE, option


def test_the_defaults_that_the_page_names_are_the_defaults():
    import inspect

    defaults = {name: each.default for name, each in inspect.signature(queue_worker.Worker.__init__).parameters.items()}
    assert (defaults["retries"], defaults["backoff"], defaults["heartbeat"], defaults["grace"], defaults["poll"]) == (
        5,
        10.0,
        10.0,
        30.0,
        2.0,
    )
    assert (
        f"at most {['', '', '', '', '', '', '', '', '', 'nine', 'ten', 'eleven'][queue_worker.CONNECTIONS]} connections" in PAGE
    )
    shown = call_memopt("worker", "--help").stdout
    for number in ("(32)", "(5)", "(10)", "(30)", "(2)"):
        assert number in shown


def test_what_the_page_says_of_the_library_can_be_imported():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/queue.md", "exec"), {})


@pytest.mark.parametrize("name", ["label", "strategies", "options", "model", "when", "protect"])
def test_no_field_of_a_recipe_is_for_a_secret(name):
    fields = set(Recipe.__dataclass_fields__)
    assert name in fields and not {"api_key", "password", "db"} & fields
