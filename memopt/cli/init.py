"""``memopt init``: a commented memopt.toml to start from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from memopt.cli.options import Debug, Json
from memopt.cli.run import Work, print_document
from memopt.errors import MemoptError, UsageError
from memopt.settings import CONFIG_FILE

TEMPLATE = """\
# memopt.toml: settings and policies. memopt reads it from the folder in which it is started.
# A flag on the command line and an environment variable are stronger than what stands here.

# The store: Agno's SQLite file.
{db}
# table = "agno_memories"        # where the file holds several memory tables
# encoding = "o200k_base"        # what tokens are counted with
# lock-timeout = 5               # seconds to wait while the agent writes

# The model for strategies that ask one. Without it, memopt's own consolidator writes summaries. The key is read from
# OPENAI_API_KEY alone.
# model = "gpt-4o-mini"
# base-url = "http://localhost:11434/v1"
# context-tokens = 8192          # where memopt does not know the model
# concurrency = 4                # requests under way at a time
# price = "0.15/0.60"            # per million tokens in and out
# judge = "gpt-4o"               # asked about doubtful facts
# embedding-model = "text-embedding-3-small"  # who compares meanings; without it, one that needs no network

# How memopt search and eval rank memories; memopt tune fits these to your own questions.
# [search]
# recency = 0.25                 # share of the recency in the score
# half-life-days = 30

# A policy is run with: memopt optimize --user ID --policy nightly --apply
[policies.nightly]
users = ["*"]                                     # patterns with *, ? and [ab]
when = "tokens > 2000 or memories > 50"           # else there is nothing to do
strategies = ["dedupe"]                           # in this order; memopt strategies lists them
protect = ["topic:medical"]                       # never changed or dropped
max-drop = "50%"                                  # refused if more would go
# only = "safe"                                   # write only what provably loses nothing
# questions = "questions.jsonl"                   # labelled questions; memopt questions drafts some
# min-recall = 0.95                               # refused if less of what they ask for could still be answered

# [policies.nightly.options]                      # options of the strategies, as key or step.key
# dedupe.near = false
"""


def init(
    db: Annotated[str | None, typer.Option("--db", metavar="PATH", help="The store to write into it.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Work:
    """Write a commented memopt.toml into this folder."""
    return lambda: _init(db, as_json)


def _init(db: str | None, as_json: bool) -> int:
    import json

    quoted = json.dumps(db, ensure_ascii=False) if db else ""
    text = TEMPLATE.format(db=f"db = {quoted}" if db else '# db = "agno.db"')
    target = Path(CONFIG_FILE)
    try:
        with target.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise UsageError(f"./{CONFIG_FILE} is there already; memopt does not overwrite it") from None
    except (OSError, UnicodeError) as error:
        raise MemoptError(f"./{CONFIG_FILE} could not be written: {getattr(error, 'strerror', None) or error}") from error
    if as_json:
        print_document({"written": CONFIG_FILE})
    else:
        sys.stdout.write(f"wrote ./{CONFIG_FILE}; try: memopt optimize --user ID --policy nightly\n")
    return 0
