"""Strategies from elsewhere: by file, by import path, by entry point, and classes that were written for Agno."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import fields, make_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from memopt.errors import StrategyError, UsageError
from memopt.memory import CONTENT_FIELDS, UserMemory
from memopt.models.base import Ask, Model
from memopt.strategies.base import HAND_OVER, MemoryOptimizationStrategy, NoOptions, option, read_options
from memopt.usage import Usage

GROUP = "memopt.strategies"


def installed() -> dict[str, str]:
    """The installed strategy plugins, name to ``module:Class``, in order of their names. None of them is imported."""
    from importlib.metadata import entry_points

    return dict(sorted((each.name, each.value) for each in entry_points(group=GROUP)))


def entry_point_names() -> tuple[str, ...]:
    """The names of installed strategy plugins. None of them is imported."""
    return tuple(installed())


def load(name: str) -> type[MemoryOptimizationStrategy] | None:
    """The class that a name stands for: ``./file.py:Class``, ``package.module:Class``, or an entry point; None if it is none.

    Raises:
        UsageError: the file, the module or the class is not there, or is no strategy.
        StrategyError: importing it failed.
    """
    module_name, colon, attribute = name.rpartition(":")
    if colon and module_name:
        if not attribute:
            raise UsageError(f"{name!r} names no class: say {name}ClassName")
        module = _from_file(module_name) if module_name.endswith(".py") else _from_path(module_name)
        if not hasattr(module, attribute):
            found = [
                key
                for key, value in vars(module).items()
                if inspect.isclass(value) and value.__module__ == module.__name__ and hasattr(value, "optimize")
            ]
            raise UsageError(f"{module_name} has no class {attribute!r}; strategies in it: {', '.join(found) or 'none'}")
        return as_strategy(getattr(module, attribute), name)
    from importlib.metadata import entry_points

    for each in entry_points(group=GROUP):
        if each.name == name:
            try:
                with redirect_stdout(sys.stderr):
                    loaded = each.load()
            except (Exception, SystemExit) as error:
                raise _broken(f"the plugin {name} ({each.value})", error) from error
            return as_strategy(loaded, name)
    return None


def _broken(what: str, error: BaseException) -> StrategyError:
    said = " ".join(str(error).split()) or "no message"
    return StrategyError(f"{what} cannot be imported: {type(error).__name__}: {said}")


def _from_file(name: str) -> Any:
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(name).absolute()
    if not path.is_file():
        raise UsageError(f"there is no strategy file {name}")
    # The name tells what is in the file and not where it lies: what a run notes of its strategies holds in other processes and on
    # other machines, for as long as the file is the same.
    try:
        unique = f"memopt_plugin_{path.stem}_{sha256(path.read_bytes()).hexdigest()[:16]}"
    except OSError as error:
        raise UsageError(f"the strategy file {name} cannot be read: {error.strerror or error}") from None
    spec = spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{name} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[unique] = module
    try:
        with redirect_stdout(sys.stderr):  # standard output may be about to hold one document and nothing else
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script that ends the process is no plugin either
        del sys.modules[unique]
        raise _broken(name, error) from error
    return module


def _from_path(name: str) -> Any:
    from importlib import import_module

    try:
        with redirect_stdout(sys.stderr):
            return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise UsageError(f"there is no module {error.name!r} for the strategy {name}") from error
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def as_strategy(found: Any, name: str) -> type[MemoryOptimizationStrategy]:
    """The class itself, or one that runs an Agno strategy. Raises UsageError for anything else."""
    if inspect.isclass(found) and issubclass(found, MemoryOptimizationStrategy):
        return found if found.Options is not NoOptions or not _arguments(found) else _with_arguments(found)
    if inspect.isclass(found) and callable(getattr(found, "optimize", None)) and callable(getattr(found, "aoptimize", None)):
        return _adapted(found)
    raise UsageError(
        f"{name} is no strategy: it is neither a subclass of memopt.MemoryOptimizationStrategy nor a class with Agno's "
        "optimize() and aoptimize()"
    )


def _with_arguments(found: type[MemoryOptimizationStrategy]) -> type[MemoryOptimizationStrategy]:
    """A class whose constructor has arguments instead of Options, with these as its options, read by their annotations."""
    declared = make_dataclass(f"{found.__name__}Options", _arguments(found), frozen=True)

    def begin(self: MemoryOptimizationStrategy, **options: Any) -> None:
        read = read_options(type(self), options)
        found.__init__(self, **{item.name: getattr(read, item.name) for item in fields(read)})
        self.options = read

    body = {
        "Options": declared,
        "takes_arguments": True,
        "__init__": begin,
        "__doc__": found.__doc__,
        "__module__": found.__module__,
    }
    return type(found.__name__, (found,), body)


def _arguments(found: type[Any]) -> list[Any]:
    """The arguments of a constructor as fields of a dataclass of options."""
    declared: list[Any] = []
    for argument in inspect.signature(found.__init__).parameters.values():
        if argument.name == "self" or argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            continue
        kind = argument.annotation if argument.annotation is not argument.empty else type(argument.default)
        text = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        text = text if any(word in text for word in ("int", "float", "bool")) else "str"
        default = ... if argument.default is argument.empty else argument.default
        declared.append((argument.name, text, option(default, f"argument {argument.name} of {found.__name__}")))
    declared.sort(key=lambda item: not item[2].metadata.get("required"))  # a dataclass wants fields without a default first
    return declared


def _adapted(found: type[Any]) -> type[MemoryOptimizationStrategy]:
    """A memopt strategy around an Agno class. The arguments of its constructor are its options."""
    declared = _arguments(found)
    body = {
        "name": getattr(found, "name", "") or found.__name__,
        "summary": next(iter((inspect.getdoc(found) or "a strategy written for Agno").splitlines())),
        "needs_model": _mentions_model(found),
        "Options": make_dataclass(f"{found.__name__}Options", declared, frozen=True),
        "wrapped": found,
        "__module__": found.__module__,
    }
    return type(found.__name__, (AgnoStrategy,), body)


def _mentions_model(found: type[Any]) -> bool:
    """Whether ``optimize`` uses its model argument: only then must there be one."""
    code = getattr(found.optimize, "__code__", None)
    names = set(code.co_names) if code is not None else {"response"}
    return bool(names & {"response", "aresponse", "invoke", "ainvoke"})


class AgnoStrategy(MemoryOptimizationStrategy):
    """Runs a strategy class that was written for Agno, unchanged."""

    wrapped: ClassVar[type[Any]]
    used: Usage = Usage()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        given = {item.name: getattr(self.options, item.name) for item in fields(self.options)}
        self._inner = self.wrapped(**given)

    def get_system_prompt(self) -> str:
        """What the wrapped strategy says."""
        return str(self._inner.get_system_prompt())

    def optimize(self, memories: Sequence[UserMemory], model: Model | None = None) -> list[UserMemory]:
        """Run it with Agno's objects, and take what it changed of them."""
        given, asked = [to_agno(item) for item in memories], AgnoModel(model)
        copies = [_copy(item) for item in given]
        result = self._inner.optimize(list(given), asked)
        self.used = asked.usage
        return from_agno(memories, given, copies, result)

    async def aoptimize(self, memories: Sequence[UserMemory], model: Model | None = None) -> list[UserMemory]:
        """``optimize`` on an event loop."""
        given, asked = [to_agno(item) for item in memories], AgnoModel(model)
        copies = [_copy(item) for item in given]
        result = await self._inner.aoptimize(list(given), asked)
        self.used = asked.usage
        return from_agno(memories, given, copies, result)


def to_agno(memory: UserMemory) -> Any:
    """The memory as Agno's own class, where Agno is installed; else as an object with the same attributes."""
    values = {name: getattr(memory, name) for name in CONTENT_FIELDS} | {"memory_id": memory.memory_id}
    values["topics"] = None if memory.topics is None else list(memory.topics)
    try:
        from agno.db.schemas import UserMemory as AgnoMemory
    except ImportError:
        from types import SimpleNamespace

        return SimpleNamespace(**values)
    return AgnoMemory(**values)


def _copy(item: Any) -> dict[str, Any]:
    values = {name: getattr(item, name, None) for name in (*CONTENT_FIELDS, "memory_id")}
    values["topics"] = None if values["topics"] is None else list(values["topics"])
    return values


def from_agno(
    memories: Sequence[UserMemory], given: Sequence[Any], copies: Sequence[dict[str, Any]], returned: Any
) -> list[UserMemory]:
    """What an Agno strategy returned, as memories.

    Only what it changed is taken: Agno's class fills in dates of its own, which would make untouched memories look revised.

    Raises:
        StrategyError: it returned something that is not a list of memories.
    """
    if returned is None or isinstance(returned, str | bytes | dict) or not hasattr(returned, "__iter__"):
        raise StrategyError(f"returned {type(returned).__name__} instead of a list of memories")
    known = {id(item): place for place, item in enumerate(given)}
    by_id = {item.memory_id: place for place, item in enumerate(memories) if item.memory_id is not None}
    out: list[UserMemory] = []
    for item in returned:
        if isinstance(item, UserMemory):
            out.append(item)
            continue
        if not hasattr(item, "memory"):
            raise StrategyError(f"returned {type(item).__name__} among the memories")
        now = _copy(item)
        place = known.get(id(item), by_id.get(now["memory_id"]))
        if place is None:
            out.append(UserMemory(**now))
            continue
        changed = {name: value for name, value in now.items() if value != copies[place][name]}
        out.append(memories[place].but(**changed) if changed else memories[place])
    return out


class AgnoModel:
    """A memopt model with the face of an Agno model: ``response(messages)`` and ``aresponse(messages)``."""

    def __init__(self, model: Model | None) -> None:
        self._model = model
        self.id = model.name if model is not None else ""
        self.usage = Usage()

    def response(self, messages: Sequence[Any], **_: Any) -> Any:
        """Ask; the answer's text is in ``content``."""
        reply = self._asked().answer(_ask(messages))
        self.usage += reply.usage
        return _response(reply.text)

    async def aresponse(self, messages: Sequence[Any], **_: Any) -> Any:
        """``response`` on an event loop."""
        reply = await self._asked().aanswer(_ask(messages))
        self.usage += reply.usage
        return _response(reply.text)

    def _asked(self) -> Model:
        if self._model is None:
            raise UsageError(f"the strategy asks a model, and none was given: {HAND_OVER}")
        return self._model


def _ask(messages: Sequence[Any]) -> Ask:
    texts: dict[bool, list[str]] = {True: [], False: []}
    for message in messages:
        role, content = (
            (message.get("role"), message.get("content"))
            if isinstance(message, dict)
            else (getattr(message, "role", "user"), getattr(message, "content", ""))
        )
        texts[role in ("system", "developer")].append(str(content or ""))
    return Ask(system="\n\n".join(texts[True]), prompt="\n\n".join(texts[False]), purpose="answer")


def _response(text: str) -> Any:
    from types import SimpleNamespace

    return SimpleNamespace(content=text)
