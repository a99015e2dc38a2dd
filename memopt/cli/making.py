"""The options that say what is to be done and with whom, shared by the commands that make plans."""

from __future__ import annotations

from typing import Annotated

import typer

from memopt.cli.options import complete_strategy

Strategies = Annotated[
    tuple[str, ...],
    typer.Option(
        "--strategy",
        "-s",
        metavar="NAME",
        help="What to do; repeat it for a chain. memopt strategies lists them.",
        autocompletion=complete_strategy,
    ),
]
PolicyName = Annotated[str | None, typer.Option("--policy", metavar="NAME", help="Do what this policy of ./memopt.toml says.")]
Options = Annotated[
    tuple[str, ...],
    typer.Option("--option", "-o", metavar="[STEP.]KEY=VALUE", help="An option of a strategy; repeat it for more."),
]
Users = Annotated[
    tuple[str, ...],
    typer.Option("--users", metavar="PATTERN", help="The users whose id fits, with *, ? and [ab] as in a shell; repeatable."),
]
UsersFrom = Annotated[
    str | None, typer.Option("--users-from", metavar="FILE", help="The users of a file, one id a line; - for standard input.")
]
When = Annotated[
    str | None,
    typer.Option("--when", metavar="CONDITION", help="Of many users only those, such as 'tokens > 2000 or memories > 50'."),
]
LimitUsers = Annotated[
    str | None,
    typer.Option("--limit-users", metavar="N", help="Of many users only the N most expensive that have something to do."),
]
ShardOf = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Of many users only this part, the same on every machine, such as 3/16."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Also users whose memories are what the last such run over many users left.")
]
Agents = Annotated[
    tuple[str, ...],
    typer.Option(
        "--agent",
        metavar="ID",
        help="Show the strategy only this agent's memories (none: those without); repeatable.",
    ),
]
Teams = Annotated[tuple[str, ...], typer.Option("--team", metavar="ID", help="Likewise by team; the rest is kept.")]
Topics = Annotated[tuple[str, ...], typer.Option("--topic", metavar="NAME", help="Likewise by topic; the rest is kept.")]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="The model, for strategies that ask one [MEMOPT_MODEL]."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint [MEMOPT_BASE_URL, OPENAI_BASE_URL]."),
]
OnLoss = Annotated[
    str | None,
    typer.Option(
        "--on-loss",
        metavar="WHAT",
        help="When a rewrite lost a fact: keep (its memory stays beside it; the default), repair, fail or accept.",
    ),
]
Judge = Annotated[
    str | None, typer.Option("--judge", metavar="NAME", help="Ask this model about each doubtful fact [MEMOPT_JUDGE].")
]
EmbeddingModel = Annotated[
    str | None,
    typer.Option(
        "--embedding-model", metavar="NAME", help="Who compares meanings, for -o semantic=true [MEMOPT_EMBEDDING_MODEL]."
    ),
]
PromptFile = Annotated[
    str | None, typer.Option("--prompt-file", metavar="FILE", help="Instructions for the model instead of memopt's own.")
]
Protect = Annotated[
    tuple[str, ...],
    typer.Option(
        "--protect",
        metavar="RULES",
        help="Never change or drop these: topic:medical,id:ID,match:REGEX,agent:ID,team:ID,feedback; repeatable.",
    ),
]
MaxRewrites = Annotated[
    str | None,
    typer.Option("--max-rewrites", metavar="N", help="Leave alone what models rewrote as often as this already (3)."),
]
OnlySafe = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="safe",
        help="Write only what provably loses nothing; --out FILE then keeps the rest, for memopt review FILE.",
    ),
]
Timeout = Annotated[str | None, typer.Option("--timeout", metavar="SECONDS", help="How long one request to the model may take.")]
ContextTokens = Annotated[
    str | None, typer.Option("--context-tokens", metavar="N", help="The model's context, where memopt does not know it.")
]
Concurrency = Annotated[
    str | None, typer.Option("--concurrency", metavar="N", help="How many requests may be under way at a time (4).")
]
PriceOf = Annotated[str | None, typer.Option("--price", metavar="IN/OUT", help="What a million tokens cost, such as 0.15/0.60.")]
MaxRequests = Annotated[
    str | None, typer.Option("--max-requests", metavar="N", help="Send no more requests than this, or nothing is written.")
]
MaxCost = Annotated[str | None, typer.Option("--max-cost", metavar="AMOUNT", help="Spend no more than this; needs --price.")]
