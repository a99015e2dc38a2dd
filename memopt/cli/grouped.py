"""Options in groups, which typer does not know: a parameter whose type is a dataclass stands for the options that are its fields.

    @dataclass(frozen=True)
    class Common:
        db: Annotated[str | None, typer.Option("--db")] = None
        tags: Annotated[tuple[str, ...], typer.Option("--tag")] = ()

    def show(name: Annotated[str, typer.Argument()], common: Common) -> None: ...

    app.command()(grouped(show))

What is an option is said once, in the dataclass, and a command that takes the group has them all, in this place of its help. A
field that is a dataclass is a group in the group; one that is neither keeps its default. What may be repeated is a tuple.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

Given = Mapping[str, Any]


class Without:
    """Beside a group's type: the command has these of its options not. They keep their defaults."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def has(self, name: str) -> bool:
        return name not in self.names

    def helps(self) -> Mapping[str, str]:
        return {}


class Only:
    """Beside a group's type: the command has these of its options alone. The others keep their defaults.

    Args:
        names: of fields, parted by blanks.
        helps: other texts for the help of some of them.
    """

    def __init__(self, names: str, **helps: str) -> None:
        self.names = frozenset(names.split())
        self._helps = helps

    def has(self, name: str) -> bool:
        return name in self.names

    def helps(self) -> Mapping[str, str]:
        return self._helps


class _Flat:
    """The parameters that typer is to see, and how the real ones are made of what it gives."""

    def __init__(self) -> None:
        self.parameters: dict[str, inspect.Parameter] = {}

    def take(self, name: str, hint: Any, default: Any, narrow: Without | Only) -> Callable[[Given], Any] | None:
        """What makes the value of a parameter or field; None where it has no option."""
        kind, extras = _parted(hint)
        if dataclasses.is_dataclass(kind):
            narrowed = next((each for each in extras if isinstance(each, Without | Only)), None)
            if narrowed is not None and (unknown := narrowed.names - set(_names(kind))):
                raise TypeError(f"{kind!r} has no {', '.join(sorted(unknown))}")
            return self._group(kind, narrowed or narrow)
        info = next((each for each in extras if isinstance(each, OptionInfo | ArgumentInfo)), None)
        if info is None or not narrow.has(name):
            return None
        if name in self.parameters:
            raise TypeError(f"two options are named {name}")
        if name in narrow.helps():
            info = copy(info)
            info.help = narrow.helps()[name]
        many = get_origin(kind) is tuple
        if many:
            kind = list[str] if default is inspect.Parameter.empty else list[str] | None
            default = default or None
        self.parameters[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
        )
        return (lambda given: tuple(given[name] or ())) if many else (lambda given: given[name])

    def _group(self, kind: Any, narrow: Without | Only) -> Callable[[Given], Any]:
        makers = {}
        for name, hint, default in _fields(kind):
            maker = self.take(name, hint, default, narrow)
            if maker is not None:
                makers[name] = maker
        return lambda given: kind(**{name: make(given) for name, make in makers.items()})


def _parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type, and what an ``Annotated`` says beside it."""
    if get_origin(hint) is Annotated:
        kind, *extras = get_args(hint)
        return kind, tuple(extras)
    return hint, ()


def _fields(kind: Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, type and default of each field."""
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        yield field.name, hints[field.name], inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default


def _names(kind: Any) -> Iterator[str]:
    """The names of all fields, those of groups in it too."""
    for name, hint, _ in _fields(kind):
        inner = _parted(hint)[0]
        yield from _names(inner) if dataclasses.is_dataclass(inner) else (name,)


def grouped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with an option of its own for each option of its groups, as typer wants it.

    Raises:
        TypeError: two options have one name, or ``Without`` or ``Only`` name one that the group has not.
    """
    hints = get_type_hints(function, include_extras=True)
    flat = _Flat()
    makers = {}
    for name, parameter in inspect.signature(function).parameters.items():
        maker = flat.take(name, hints[name], parameter.default, Without())
        assert maker is not None, name
        makers[name] = maker

    def call(**given: Any) -> Any:
        return function(**{name: make(given) for name, make in makers.items()})

    call.__name__, call.__doc__, call.__module__ = function.__name__, function.__doc__, function.__module__
    call.__signature__ = inspect.Signature(list(flat.parameters.values()))  # type: ignore[attr-defined]
    call.__annotations__ = {name: parameter.annotation for name, parameter in flat.parameters.items()}
    return call


__all__ = ["Only", "Without", "grouped"]
