"""Reading arguments without pydantic.

typer 0.29 converts every argument through a pydantic TypeAdapter, and importing pydantic takes longer than all else that
a small preview does. Our parameters are texts, lists of texts or switches, which need no conversion. Where typer has no
such converter (older and perhaps newer ones), nothing is replaced and only the time is lost.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _Text:
    """Stands where typer would put its converter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if getattr(param, "multiple", False) or getattr(param, "nargs", 1) == -1:
            return [str(item) for item in value or ()]
        return value if value is None or isinstance(value, bool) else str(value)


def _unburden(params: list[Any]) -> None:
    for param in params:
        kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
        if kind in (str, bool, list[str]) and hasattr(param, "_runtime_param"):
            param._runtime_param = _Text()


class PlainCommand(TyperCommand):
    """A command whose texts are taken as they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _unburden(self.get_params(ctx))
        return super().parse_args(ctx, args)


class PlainGroup(TyperGroup):
    """A group whose own switches are taken as they are; typer adds those for shell completion after it is made."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _unburden(self.get_params(ctx))
        return super().parse_args(ctx, args)
