# SPDX-License-Identifier: Apache-2.0
"""What the tests of a JSON form share: whether its schema is one, says what each key is, and is strict."""

import copy
import json
import pathlib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read_schema(name):
    return json.loads((ROOT / "reports/schema" / f"{name}.schema.json").read_text())


def objects_of(node, kind=()):
    """(kind, object) for every object in a document; elements of one list are of one kind."""
    if isinstance(node, dict):
        yield kind, node
        for key, child in node.items():
            yield from objects_of(child, (*kind, key))
    elif isinstance(node, list):
        for child in node:
            yield from objects_of(child, (*kind, "*"))


def first_of_each_kind(node):
    firsts = {}
    for kind, found in objects_of(node):
        firsts.setdefault(kind, found)
    return firsts


class SchemaCheck:
    """Beside unittest.TestCase, with SCHEMA."""

    def setUp(self):
        super().setUp()
        self.validator = jsonschema.validators.validator_for(self.SCHEMA)(self.SCHEMA)

    def assert_valid(self, document):
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in self.validator.iter_errors(document)]
        self.assertEqual(errors, [])

    def assert_strict(self, good, open_kinds=()):
        """A key too many or too few is refused in every object of a valid document; `open_kinds` may have any."""
        self.assert_valid(good)
        for kind in set(first_of_each_kind(good)) - set(open_kinds):
            for spoil in ("unknown", "missing"):
                bad = copy.deepcopy(good)
                spoiled = first_of_each_kind(bad)[kind]
                if spoil == "unknown":
                    spoiled["surprise"] = 1
                else:
                    spoiled.popitem()
                self.assertFalse(self.validator.is_valid(bad), f"accepted with {spoil} key: {'/'.join(kind)}")

    def test_is_a_schema(self):
        self.validator.check_schema(self.SCHEMA)

    def test_every_key_is_described(self):
        for _, where in objects_of(self.SCHEMA):
            for key, value in where.get("properties", {}).items():
                shared = self.SCHEMA["$defs"].get(value.get("$ref", "").rpartition("/")[2], {})
                described = "description" in value or "description" in shared or "const" in value
                self.assertTrue(described, f"'{key}' has no description")
