"""LoCoMo as memories and labelled questions (A. Maharana et al., "Evaluating very long-term conversational memory of LLM agents",
ACL 2024; data: snap-research, CC BY-NC 4.0, not part of this repository).

    python benchmarks/locomo.py locomo10.json --out DIR [--db agno.db]

Each speaker's observations become that speaker's memories (`conv-26_caroline`), dated by their session. A question is asked of both
speakers' memories; what answers it are the observations made from the turns that the data set names as its evidence. Questions of
category 5 (adversarial) have no answer and are marked so; those whose evidence no observation was made from keep their answer alone.
DIR then holds `locomo_memories.jsonl` and `locomo_questions.jsonl`; with --db the memories are written into a new file of Agno's
form too, so that the questions can be put to memopt itself:

    memopt eval --db agno.db --questions DIR/locomo_questions.jsonl --budget 75%,50%,25%
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memopt.evaluation.questions import Question, read_questions, write_questions
from memopt.memory import UserMemory

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_TURN = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True)
class Data:
    """Memories by user, and questions that name the users they are about.

    Attributes:
        unanswerable: how many further questions the data set marks so.
    """

    users: dict[str, list[UserMemory]]
    questions: list[Question]
    unanswerable: int = 0


def convert(samples: Sequence[dict[str, Any]]) -> Data:
    """The samples of ``locomo10.json``."""
    users: dict[str, list[UserMemory]] = {}
    questions: list[Question] = []
    unanswerable = 0
    for sample in samples:
        name = sample["sample_id"]
        held: dict[str, list[str]] = defaultdict(list)
        own = []
        for memory, turns in observations(sample):
            users.setdefault(str(memory.user_id), []).append(memory)
            own.append(str(memory.user_id))
            for turn in turns:
                held[turn].append(str(memory.memory_id))
        people = tuple(dict.fromkeys(own))
        for number, row in enumerate(sample["qa"]):
            if row["category"] == 5:
                unanswerable += 1
                continue
            turns = [f"D{int(a)}:{int(b)}" for text in row["evidence"] for a, b in _TURN.findall(text)]
            ids = tuple(dict.fromkeys(memory_id for turn in turns for memory_id in held[turn]))
            answer = row.get("answer")
            questions.append(
                Question(
                    f"{name}_q{number:03d}",
                    row["question"],
                    ids,
                    None if answer is None else str(answer),
                    users=people,
                    category=CATEGORIES[row["category"]],
                )
            )
    return Data(users, [item for item in questions if item.memory_ids or item.answer], unanswerable)


def observations(sample: dict[str, Any]) -> Iterator[tuple[UserMemory, list[str]]]:
    """Each observation of a sample as a memory, with the turns that it was made from."""
    talk = sample["conversation"]
    for session, by_speaker in sample["observation"].items():
        number = int(re.findall(r"\d+", session)[0])
        when = moment(talk[f"session_{number}_date_time"])
        for speaker, listed in by_speaker.items():
            user = f"{sample['sample_id']}_{speaker.lower()}"
            for place, (text, source) in enumerate(listed):
                turns = source if isinstance(source, str) else " ".join(source)
                memory = UserMemory(
                    text,
                    f"{user}_s{number:02d}_{place:02d}",
                    topics=(f"session_{number}",),
                    user_id=user,
                    created_at=when,
                )
                yield memory, [f"D{int(a)}:{int(b)}" for a, b in _TURN.findall(turns)]


def moment(text: str) -> int:
    """``1:56 pm on 8 May, 2023`` as epoch seconds, taken as UTC."""
    return int(datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp())


def load(path: Path, *, redundant: bool = False) -> Data:
    """From ``locomo10.json``, or from a folder with ``locomo_memories.jsonl`` and ``locomo_questions.jsonl``.

    Args:
        redundant: of a folder, the memories that tell each fact two or three times.
    """
    if path.is_file():
        return convert(json.loads(path.read_text(encoding="utf-8")))
    name = "locomo_redundant_memories.jsonl" if redundant else "locomo_memories.jsonl"
    users = memories(path / name)
    given = read_questions((path / "locomo_questions.jsonl").read_text(encoding="utf-8"), "locomo_questions.jsonl")
    questions = []
    for item in given.questions:
        about = item.users or tuple(user for user in users if user.startswith(item.id.split("_")[0] + "_"))
        questions.append(
            Question(item.id, item.text, item.memory_ids, item.answer, item.stale_ids, item.also, about, item.category)
        )
    return Data(users, questions, given.unanswerable)


def memories(path: Path) -> dict[str, list[UserMemory]]:
    """The memories of a JSONL file by user."""
    out: dict[str, list[UserMemory]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        out[row["user_id"]].append(
            UserMemory(row["memory"], row["memory_id"], row.get("topics"), row["user_id"], created_at=row["created_at"])
        )
    return dict(out)


def write_agno(path: Path, users: dict[str, list[UserMemory]]) -> None:
    """A new file as Agno 3 writes it."""
    if path.exists():
        raise SystemExit(f"{path} is there already")
    with sqlite3.connect(path) as file:
        file.execute(
            "create table agno_memories (memory_id varchar not null primary key, memory json not null, input varchar, agent_id varchar, "
            "team_id varchar, user_id varchar, topics json, feedback varchar, created_at bigint not null, updated_at bigint)"
        )
        file.executemany(
            "insert into agno_memories (memory_id, memory, user_id, topics, created_at, updated_at) values (?, ?, ?, ?, ?, ?)",
            (
                (
                    item.memory_id,
                    json.dumps(item.memory),
                    item.user_id,
                    json.dumps(list(item.topics or ())),
                    item.created_at,
                    item.created_at,
                )
                for listed in users.values()
                for item in listed
            ),
        )
    file.close()


def main() -> None:
    """Convert."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="locomo10.json")
    parser.add_argument("--out", type=Path, required=True, help="folder for the two files")
    parser.add_argument("--db", type=Path, help="also a new SQLite file of Agno's form")
    given = parser.parse_args()
    data = load(given.file)
    given.out.mkdir(parents=True, exist_ok=True)
    with (given.out / "locomo_memories.jsonl").open("w", encoding="utf-8") as file:
        for listed in data.users.values():
            for item in listed:
                row = {"user_id": item.user_id, "memory_id": item.memory_id, "memory": item.memory}
                row |= {"topics": list(item.topics or ()), "created_at": item.created_at}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    (given.out / "locomo_questions.jsonl").write_text(write_questions(data.questions), encoding="utf-8")
    if given.db is not None:
        write_agno(given.db, data.users)
    answered = sum(bool(item.memory_ids) for item in data.questions)
    print(
        f"{sum(map(len, data.users.values()))} memories of {len(data.users)} users; {len(data.questions)} questions, "
        f"{answered} with evidence among the memories; {data.unanswerable} without an answer left out"
    )


if __name__ == "__main__":
    main()
