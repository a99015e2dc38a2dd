"""JSON Schema, as far as a profile needs it: reading one, checking a document against it, and putting a document in its order.

The keywords of the validation vocabulary are checked here (https://json-schema.org/draft/2020-12/json-schema-validation), with
``$ref`` into ``$defs``. A schema that uses others needs the jsonschema library (extra: profile), which then checks them;
nothing is fetched. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memopt.errors import UsageError

_CHECKED = frozenset(
    """type properties required additionalProperties items enum const anyOf oneOf allOf $ref $defs definitions minimum maximum
    exclusiveMinimum exclusiveMaximum minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties
    multipleOf""".split()
)
_TOLD = frozenset(
    "$schema $id $comment title description default examples deprecated readOnly writeOnly format discriminator".split()
)
_TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_DEPTH = 24


def read_schema(text: str) -> dict[str, Any]:
    """The schema of a document that is an object.

    Raises:
        UsageError: no JSON, no schema of an object, a reference that leads nowhere, or keywords that need jsonschema.
    """
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"profile: the schema is not JSON ({error})") from None
    if not isinstance(schema, dict):
        raise UsageError("profile: a schema is a JSON object")
    top = resolved(schema, schema)
    if top.get("type", "object") != "object" or not isinstance(top.get("properties"), dict) or not top["properties"]:
        raise UsageError("profile: the schema must be one of an object with properties, as the profile is one document")
    unknown = _unknown(schema)
    list(_keywords(schema, 0, schema))
    _check_patterns(schema)
    if unknown:
        if not _has_library():
            raise UsageError(
                f"profile: the schema uses {', '.join(unknown)}, which needs the jsonschema library: "
                "pip install 'memopt[profile]'"
            )
        list(_library_problems({}, schema))  # what the library cannot work with is told now
    return schema


def _unknown(schema: Any) -> list[str]:
    """The keywords that are not checked here."""
    return sorted(set(_keywords(schema, 0)) - _CHECKED - _TOLD)


def _has_library() -> bool:
    from importlib.util import find_spec

    return find_spec("jsonschema") is not None


def _library_problems(document: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """What the jsonschema library finds. Raises UsageError where it cannot work with the schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
        # an empty registry: a schema that names another one must not make it ask the network
        found = list(kind(schema, registry=Registry()).iter_errors(document))
    except SchemaError as error:
        raise UsageError(f"profile: the schema is none: {_path(error.absolute_path)}: {error.message}") from None
    except Unresolvable as error:
        raise UsageError(f"profile: the schema refers to {getattr(error, 'ref', error)!r}, which is not in it") from None
    except (re.error, RecursionError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"profile: the schema cannot be used: {type(error).__name__}: {error}") from None
    for each in sorted(found, key=lambda error: [str(step) for step in error.absolute_path]):
        yield f"{_path(each.absolute_path)}: {each.message}"


def _subschemas(schema: Mapping[str, Any]) -> Iterator[Any]:
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            yield from schema[key].values()
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            yield from schema[key]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]


def _keywords(schema: Any, depth: int, root: Mapping[str, Any] | None = None) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if depth > _DEPTH * 4:
        raise UsageError("profile: the schema is nested too deeply")
    if root is not None and "$ref" in schema:
        resolved(schema, root)
    yield from schema
    for each in _subschemas(schema):
        yield from _keywords(each, depth + 1, root)


def _check_patterns(schema: Any) -> None:
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("pattern"), str):
        try:
            re.compile(schema["pattern"])
        except re.error as error:
            raise UsageError(f"profile: the schema's pattern {schema['pattern']!r} is no regular expression: {error}") from None
    for each in _subschemas(schema):
        _check_patterns(each)


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the one that its ``$ref`` names put under it."""
    out = dict(schema)
    for _ in range(_DEPTH):
        ref = out.pop("$ref", None)
        if ref is None:
            return out
        target: Any = root
        if not isinstance(ref, str) or not ref.startswith("#"):
            raise UsageError(f"profile: the schema refers to {ref!r}, which is not in it")
        for step in [step for step in ref[1:].split("/") if step]:
            step = step.replace("~1", "/").replace("~0", "~")
            target = target.get(step) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            raise UsageError(f"profile: the schema refers to {ref!r}, which is not there")
        out = {**target, **out}
    raise UsageError("profile: the schema's references go round in a circle")


def problems(document: Any, schema: Mapping[str, Any]) -> list[str]:
    """What keeps a document from being valid, one line each; empty where it is."""
    found = list(_problems(document, schema, schema, (), 0))
    if found or not _unknown(schema):
        return found
    return list(_library_problems(document, schema))


def _path(path: Any) -> str:
    return ".".join(str(step) for step in path) or "the document"


def _is(value: Any, kind: str) -> bool:
    if kind == "integer":
        return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return kind in _TYPES and isinstance(value, _TYPES[kind])


def _problems(value: Any, schema: Any, root: Mapping[str, Any], path: tuple[Any, ...], depth: int) -> Iterator[str]:
    where = _path(path)
    if schema is True or depth > _DEPTH:
        return
    if schema is False:
        yield f"{where}: may not be there"
        return
    schema = resolved(schema, root)
    kinds = schema.get("type")
    if kinds is not None:
        allowed = [kinds] if isinstance(kinds, str) else list(kinds)
        if not any(_is(value, kind) for kind in allowed):
            yield f"{where}: must be {' or '.join(allowed)}"
            return
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        yield f"{where}: must be one of {json.dumps(schema['enum'], ensure_ascii=False)}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{where}: must be {json.dumps(schema['const'], ensure_ascii=False)}"
    for each in schema.get("allOf", ()):
        yield from _problems(value, each, root, path, depth + 1)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            fits = sum(not list(_problems(value, each, root, path, depth + 1)) for each in schema[key])
            if not fits or (key == "oneOf" and fits > 1):
                yield f"{where}: fits {'none' if not fits else 'more than one'} of the forms it may have"
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from _number_problems(value, schema, where)
    elif isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            yield f"{where}: must have at least {schema['minLength']} characters"
        if len(value) > schema.get("maxLength", len(value)):
            yield f"{where}: must have at most {schema['maxLength']} characters"
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{where}: must match {schema['pattern']}"
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{where}: must have at least {schema['minItems']} items"
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{where}: must have at most {schema['maxItems']} items"
        if schema.get("uniqueItems") and any(_same(a, b) for at, a in enumerate(value) for b in value[:at]):
            yield f"{where}: holds an item twice"
        for at, item in enumerate(value):
            yield from _problems(item, schema.get("items", True), root, (*path, at), depth + 1)
    elif isinstance(value, dict):
        declared = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{where}: lacks {name}"
        if len(value) < schema.get("minProperties", 0) or len(value) > schema.get("maxProperties", len(value)):
            yield f"{where}: has too few or too many entries"
        for name, item in value.items():
            if name in declared:
                yield from _problems(item, declared[name], root, (*path, name), depth + 1)
            elif schema.get("additionalProperties", True) is False:
                yield f"{_path((*path, name))}: is not in the form"
            else:
                yield from _problems(item, schema.get("additionalProperties", True), root, (*path, name), depth + 1)


def _number_problems(value: float, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if value < schema.get("minimum", value):
        yield f"{where}: must be at least {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield f"{where}: must be at most {schema['maximum']}"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield f"{where}: must be more than {schema['exclusiveMinimum']}"
    if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
        yield f"{where}: must be less than {schema['exclusiveMaximum']}"
    if "multipleOf" in schema and value % schema["multipleOf"]:
        yield f"{where}: must be a multiple of {schema['multipleOf']}"


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def branch(schema: Any, root: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The schema that a value is described by: references followed, and of several forms the first that fits."""
    if not isinstance(schema, dict):
        return {}
    out = resolved(schema, root)
    for key in ("anyOf", "oneOf"):
        for each in out.get(key, ()):
            if not list(_problems(value, each, root, (), 0)):
                return {**out, **branch(each, root, value)}
    for each in out.get("allOf", ()):
        out = {**branch(each, root, value), **out}
    return out


def tidied(value: Any, schema: Any, root: Mapping[str, Any]) -> Any:
    """The value with its keys in the schema's order (others behind, by name) and without empty ones that may be missing."""
    form = branch(schema, root, value)
    if isinstance(value, dict):
        declared = form.get("properties", {})
        required = set(form.get("required", ()))
        order = [name for name in declared if name in value] + sorted(name for name in value if name not in declared)
        extra = form.get("additionalProperties", True)
        out = {name: tidied(value[name], declared.get(name, extra), root) for name in order}
        return {name: item for name, item in out.items() if name in required or item not in (None, "", [], {})}
    if isinstance(value, list):
        return [tidied(item, form.get("items", True), root) for item in value]
    return value
