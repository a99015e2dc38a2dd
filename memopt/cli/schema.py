"""The JSON Schema of a class in a Python file."""

from __future__ import annotations

import json

from memopt.cli.safe import native_path, shown_path
from memopt.errors import UsageError


def schema_of_class(path: str, name: str) -> str:
    """The JSON Schema of a Pydantic model, as text. The file is run.

    Args:
        path: of a Python file.
        name: of a class in it.

    Raises:
        UsageError: no such file or class, the file fails, or the class gives no schema.
    """
    import importlib.util
    import sys

    shown = shown_path(path)
    spec = importlib.util.spec_from_file_location("memopt_schema_file", native_path(path))
    if spec is None or spec.loader is None:
        raise UsageError(f"{shown} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["memopt_schema_file"] = module  # where a model looks for the names in its annotations
    try:
        spec.loader.exec_module(module)
    except FileNotFoundError:
        raise UsageError(f"there is no schema file {shown}") from None
    except Exception as error:
        raise UsageError(f"{shown} fails when it is run: {type(error).__name__}: {error}") from error
    kind = getattr(module, name, None)
    make = getattr(kind, "model_json_schema", None)
    if kind is None:
        raise UsageError(f"{shown} has no class {name}")
    if make is None:
        raise UsageError(f"{name} in {shown} is no Pydantic model (it has no model_json_schema)")
    try:
        return json.dumps(make())
    except Exception as error:
        raise UsageError(f"{name} in {shown} gives no JSON Schema: {type(error).__name__}: {error}") from error
