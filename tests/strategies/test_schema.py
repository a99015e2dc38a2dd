"""The JSON Schema that a profile is checked against."""

from __future__ import annotations

import json

import pytest

from memopt.errors import UsageError
from memopt.strategies.schema import problems, read_schema, resolved, tidied

FORM = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "diet": {"enum": ["vegan", "other"]},
        "pets": {"type": "array", "items": {"$ref": "#/$defs/Pet"}, "maxItems": 2, "uniqueItems": True},
        "email": {"type": "string", "pattern": "^\\S+@\\S+$"},
        "height": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "extra": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {
        "Pet": {"type": "object", "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}, "required": ["name"]}
    },
}


@pytest.mark.parametrize(
    "document",
    [
        {"city": "Bern"},
        {
            "city": "Bern",
            "age": 3,
            "diet": "vegan",
            "pets": [{"name": "Rex"}],
            "email": "a@b.ch",
            "height": 1.8,
            "extra": {"x": "y"},
        },
        {"city": "Bern", "age": 3.0, "height": None},
    ],
)
def test_what_is_valid_has_no_problem(document):
    assert problems(document, FORM) == []


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({}, "lacks city"),
        ({"city": 3}, "city: must be string"),
        ({"city": "B"}, "at least 2 characters"),
        ({"city": "Bern", "age": True}, "age: must be integer"),
        ({"city": "Bern", "age": 151}, "at most 150"),
        ({"city": "Bern", "diet": "meat"}, "one of"),
        ({"city": "Bern", "pets": [{"kind": "dog"}]}, "pets.0: lacks name"),
        ({"city": "Bern", "pets": [{"name": "a"}, {"name": "a"}]}, "twice"),
        ({"city": "Bern", "pets": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}, "at most 2 items"),
        ({"city": "Bern", "email": "no"}, "must match"),
        ({"city": "Bern", "height": "tall"}, "none of the forms"),
        ({"city": "Bern", "extra": {"x": 1}}, "extra.x: must be string"),
        ({"city": "Bern", "other": 1}, "other: is not in the form"),
        ([], "must be object"),
    ],
)
def test_what_is_not_valid_is_told_with_its_place(document, told):
    found = problems(document, FORM)
    assert len(found) == 1 and told in found[0], found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON object"),
        ('{"type": "string"}', "an object with properties"),
        ('{"type": "object"}', "an object with properties"),
        ('{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}', "not there"),
        ('{"type": "object", "properties": {"a": {"$ref": "other.json"}}}', "not in it"),
        ('{"type": "object", "properties": {"a": {"pattern": "("}}}', "no regular expression"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(text, told):
    with pytest.raises(UsageError, match=told):
        read_schema(text)


def test_references_in_a_circle_are_refused_and_a_tree_may_hold_itself():
    circle = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}}
    with pytest.raises(UsageError, match="circle"):
        resolved(circle["properties"]["a"], circle)
    tree = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
    }
    read_schema(json.dumps(tree))
    assert problems({"name": "a", "children": [{"name": "b", "children": []}]}, tree) == []
    assert problems({"name": "a", "children": [{"children": []}]}, tree) == ["children.0: lacks name"]


def test_keywords_that_are_not_checked_here_need_the_library(monkeypatch):
    from memopt.strategies import schema

    monkeypatch.setattr(schema, "_has_library", lambda: False)
    text = json.dumps({"type": "object", "properties": {"a": {"if": {}, "then": {}}}})
    with pytest.raises(UsageError, match=r"memopt\[profile\]"):
        read_schema(text)


def test_a_document_gets_the_order_of_its_form_and_loses_what_is_empty():
    document = {"pets": [{"name": "Rex", "kind": ""}], "age": None, "city": "Bern", "zoo": 1, "air": 2, "extra": {}}
    out = tidied(document, FORM, FORM)
    assert list(out) == ["city", "pets", "air", "zoo"]
    assert out["pets"] == [{"name": "Rex"}]
    assert tidied({"city": ""}, FORM, FORM) == {"city": ""}  # it must be there


def _with(**more):
    return json.dumps({"type": "object", "properties": {"tags": {"type": "array"}, "a": {}, "b": {}}, **more})


@pytest.mark.parametrize(
    ("more", "good", "bad", "says"),
    [
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}, {"a": 1}, "b"),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"b": 1}, {"a": 1}, "b"),
        ({"not": {"required": ["a"]}}, {"b": 1}, {"a": 1}, "should not be valid"),
        ({"patternProperties": {"^x_": {"type": "string"}}}, {"x_1": "y"}, {"x_1": 1}, "x_1"),
        (
            {"properties": {"tags": {"type": "array", "contains": {"const": "home"}}}},
            {"tags": ["home"]},
            {"tags": ["x"]},
            "contain",
        ),
    ],
)
def test_with_the_library_all_keywords_are_checked(more, good, bad, says):
    pytest.importorskip("jsonschema")
    form = read_schema(_with(**more))
    assert problems(good, form) == []
    (problem,) = problems(bad, form)
    assert says in problem
    assert problems([], form) == ["the document: must be object"]  # in the same words, with it and without


@pytest.mark.parametrize(
    "more",
    [
        {"if": 3},
        {"dependentRequired": {"a": "b"}},
        {"patternProperties": {"(": {}}, "not": {"required": ["zz"]}},
        {"not": {"$ref": "http://127.0.0.1:9/other.json"}},
        {"not": {"$ref": "#/$defs/nowhere"}},
    ],
)
def test_a_schema_that_the_library_cannot_use_is_a_usage_error_and_nothing_is_fetched(more):
    pytest.importorskip("jsonschema")
    with pytest.raises(UsageError, match="profile: the schema"):
        form = read_schema(_with(**more))
        problems({"(": 1, "a": 1}, form)
