"""Settings: flag > environment > memopt.toml > default. Pure: everything that is looked at is an argument."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memopt.errors import UsageError
from memopt.policy import Policy
from memopt.tokens import DEFAULT_ENCODING

CONFIG_FILE = "memopt.toml"
DEFAULT_DB = "agno.db"
DEFAULT_LOCK_TIMEOUT = 5.0
MAX_LOCK_TIMEOUT = 86_400.0
DEFAULT_CONCURRENCY = 4

VARIABLES: dict[str, tuple[str, ...]] = {
    "db": ("MEMOPT_DB",),
    "table": ("MEMOPT_TABLE",),
    "model": ("MEMOPT_MODEL",),
    "base_url": ("MEMOPT_BASE_URL", "OPENAI_BASE_URL"),
    "encoding": ("MEMOPT_ENCODING",),
    "lock_timeout": ("MEMOPT_LOCK_TIMEOUT",),
    "api_key": ("OPENAI_API_KEY",),
    "judge": ("MEMOPT_JUDGE",),
    "price": ("MEMOPT_PRICE",),
    "context_tokens": ("MEMOPT_CONTEXT_TOKENS",),
    "concurrency": ("MEMOPT_CONCURRENCY",),
    "embedding_model": ("MEMOPT_EMBEDDING_MODEL",),
}
"""The environment variables of each setting, the stronger first. An empty one counts as not set."""

POLICIES = "policies"
SEARCH = "search"
SEARCH_KEYS = ("b", "entity", "half-life-days", "k1", "lexical", "recency", "semantic")
"""The keys of the table ``[search]``: the fields of ``memopt.retrieval.Ranking``."""

FILE_KEYS = (
    "base-url",
    "concurrency",
    "context-tokens",
    "db",
    "embedding-model",
    "encoding",
    "judge",
    "lock-timeout",
    "model",
    "price",
    "table",
)
"""The keys of memopt.toml. There is none for the API key: a secret does not belong into a file that is shared."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one call of memopt.

    Attributes:
        db: path or URL of the store; None where nothing names one.
        lock_timeout: seconds to wait for a locked store.
        judge: the model that is asked about doubtful facts; None: the model itself.
        price: ``IN/OUT`` per million tokens; None: not known.
        context_tokens: how much fits into one request and its answer; None: by the model's name.
        concurrency: how many requests may be under way at a time.
        embedding_model: who compares meanings; None: the local embedder that the strategy names.
        policies: the named policies of memopt.toml.
        search: the weights of memopt.toml's table ``[search]``, by field of ``memopt.retrieval.Ranking``.
        origin: for each setting that is not the default, where its value comes from: ``--flag``, a variable, or the file.
    """

    db: str | None = None
    table: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    encoding: str = DEFAULT_ENCODING
    lock_timeout: float = DEFAULT_LOCK_TIMEOUT
    judge: str | None = None
    price: str | None = None
    context_tokens: int | None = None
    concurrency: int = DEFAULT_CONCURRENCY
    embedding_model: str | None = None
    policies: Mapping[str, Policy] = field(default_factory=dict)
    search: Mapping[str, float] = field(default_factory=dict)
    origin: Mapping[str, str] = field(default_factory=dict)

    def need_db(self) -> str:
        """The store. Raises UsageError that says how to name one."""
        if self.db is None:
            raise UsageError(
                f"no store is named and there is no ./{DEFAULT_DB} here; say --db PATH, set MEMOPT_DB, "
                f'or write db = "PATH" into ./{CONFIG_FILE}'
            )
        return self.db


def resolve(
    flags: Mapping[str, str | None],
    environ: Mapping[str, str] | None = None,
    config: str | bytes | None = None,
    *,
    default_db: bool = False,
) -> Settings:
    """Put the settings together.

    Args:
        flags: by setting's name; None where the flag was not given. An empty text is a usage error, not a missing flag.
        environ: the environment.
        config: the text of memopt.toml, None where there is none.
        default_db: whether ./agno.db exists.

    Raises:
        UsageError: an unknown key or a bad value; it names the flag, the variable, or the file and line.
    """
    found: dict[str, Any] = {}
    origin: dict[str, str] = {}

    for name, value in read_config(config).items() if config is not None else ():
        found[name], origin[name] = value, CONFIG_FILE
    for name, variables in VARIABLES.items():
        for variable in variables:
            given = (environ or {}).get(variable, "")
            if given.strip():
                found[name], origin[name] = given, variable
                break
    for name, flag_value in flags.items():
        if flag_value is not None:
            flag = "--" + name.replace("_", "-")
            if not flag_value.strip():
                raise UsageError(f"{flag} is empty")
            found[name], origin[name] = flag_value, flag

    if "db" not in found and default_db:
        found["db"] = DEFAULT_DB
    if "lock_timeout" in found:
        found["lock_timeout"] = seconds(found["lock_timeout"], origin["lock_timeout"])
    for name in ("context_tokens", "concurrency"):
        if name in found:
            found[name] = whole_number(found[name], origin[name])
    return Settings(**found, origin=origin)


def seconds(value: str | float, where: str) -> float:
    """A number of seconds, 0 to a day. Raises UsageError naming ``where``."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MAX_LOCK_TIMEOUT or (isinstance(value, str) and "_" in value):
        raise UsageError(f"{where} takes a number of seconds from 0 to {MAX_LOCK_TIMEOUT:.0f}, not {value!r}")
    return number


def whole_number(value: str | float, where: str) -> int:
    """A whole number above 0. Raises UsageError naming ``where``."""
    text = str(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and 0 < int(text) <= 10**9):
        raise UsageError(f"{where} takes a whole number above 0, not {value!r}")
    return int(text)


def read_config(config: str | bytes) -> dict[str, Any]:
    """Read memopt.toml: by setting's name, what the file says.

    Raises:
        UsageError: not TOML, an unknown key, or a value of the wrong kind, with the line and the valid keys.
    """
    import tomllib

    try:
        text = config if isinstance(config, str) else config.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{CONFIG_FILE}, line {line}: not UTF-8") from None
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{CONFIG_FILE} is not TOML: {error}") from None

    found: dict[str, Any] = {}
    for key, value in data.items():
        place = _place(text, key)
        kebab = key.replace("_", "-")
        if key == POLICIES:
            from memopt.policy import find_place, read_policies

            found[key] = read_policies(value, lambda policy, inner: find_place(text, CONFIG_FILE, policy, inner))
            continue
        if key == SEARCH:
            found[key] = _read_search(value, text)
            continue
        if kebab not in FILE_KEYS:
            hint = "; the API key is read from OPENAI_API_KEY alone" if "key" in kebab else ""
            raise UsageError(f"{place}: unknown key {key!r}; the keys are: {', '.join((*FILE_KEYS, POLICIES, SEARCH))}{hint}")
        name = kebab.replace("-", "_")
        if name in found:
            raise UsageError(f"{place}: {key!r} is given twice")
        if name == "lock_timeout":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UsageError(f"{place}: {key} takes a number of seconds, not {value!r}")
            found[name] = seconds(value, f"{place}: {key}")
        elif name in ("context_tokens", "concurrency"):
            if isinstance(value, bool) or not isinstance(value, int):
                raise UsageError(f"{place}: {key} takes a whole number, not {value!r}")
            found[name] = whole_number(value, f"{place}: {key}")
        elif not isinstance(value, str) or not value.strip():
            raise UsageError(f"{place}: {key} takes a text that is not empty, not {value!r}")
        else:
            found[name] = value
    return found


def _read_search(table: Any, text: str) -> dict[str, float]:
    if not isinstance(table, dict):
        raise UsageError(f"{_place(text, SEARCH)}: {SEARCH} is a table: [{SEARCH}], and below it recency = 0.25")
    found: dict[str, float] = {}
    for key, value in table.items():
        place = search_place(text, key)
        name = key.replace("-", "_")
        if key.replace("_", "-") not in SEARCH_KEYS:
            raise UsageError(f"{place}: unknown key {key!r} in [{SEARCH}]; the keys are: {', '.join(SEARCH_KEYS)}")
        if name in found:
            raise UsageError(f"{place}: {key!r} is given twice")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise UsageError(f"{place}: {key} takes a number from 0 on, not {value!r}")
        found[name] = float(value)
    return found


def search_place(config: str, key: str) -> str:
    """``memopt.toml, line N`` of a key of the table ``[search]``; the line of the table where the key's cannot be told."""
    begins = re.compile(rf"""\s*(?:{SEARCH}\s*\.\s*)?(["']?){re.escape(key)}\1\s*=""")
    inside = False
    for number, line in enumerate(config.splitlines(), 1):
        header = re.match(r"\s*\[\s*([^\[\]]*?)\s*\]", line)
        if header:
            inside = header[1].strip("\"'") == SEARCH
        elif begins.match(line) and (inside or SEARCH in line):
            return f"{CONFIG_FILE}, line {number}"
    return _place(config, SEARCH)


def _place(config: str, key: str) -> str:
    """``memopt.toml, line N`` of a top-level key or table; without the line where it cannot be told."""
    name = re.escape(key)
    pattern = re.compile(rf"""\s*(?:\[+\s*)?(["']?){name}\1\s*(?:=|\.|\])""")
    for number, line in enumerate(config.splitlines(), 1):
        if pattern.match(line):
            return f"{CONFIG_FILE}, line {number}"
    return CONFIG_FILE
