# SPDX-License-Identifier: Apache-2.0
"""Validates what `foretell analyze --format json` writes against reports/schema, and that the schema is strict.

    schema_test.py FORETELL
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("schema_test: skipped: no jsonschema module (python3-jsonschema)")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLES = sorted((ROOT / "examples/traces").glob("*.json.gz"))
SCHEMA = json.loads((ROOT / "reports/schema/analyze.schema.json").read_text())
CALL = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 12, "dur": 5}
KERNEL = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20.5, "dur": 30}
OP = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 42, "tid": 1, "ts": 10, "dur": 20}


def linked(event, correlation, **args):
    return event | {"args": {"correlation": correlation, "device": 0, "stream": 7} | args}


GRAPH = [linked(CALL | {"name": "cudaGraphLaunch"}, 1)] + [
    linked(KERNEL | {"ts": 20 + 50 * i}, 1, **{"graph node id": i}) for i in range(3)
]
INPUTS = {
    "complete": json.dumps([OP, linked(CALL, 1), linked(KERNEL, 1)]),
    "cpu_only": json.dumps([OP]),
    "no_event": json.dumps({"traceEvents": []}),
    "launches_without_kernels": json.dumps([OP, linked(CALL, 1)]),
    "graph_replay": json.dumps(GRAPH),
    "cut": json.dumps({"schemaVersion": 1, "traceEvents": [OP, OP]})[:-30],
    "repaired": json.dumps([OP]).replace('"dur": 20', '"dur": 20, "share": nan'),
    "ranks": json.dumps(
        {
            "baseTimeNanoseconds": 1_700_000_000_000_000_000,
            "distributedInfo": {"rank": 1, "world_size": 2},
            "traceEvents": [linked(CALL, 1), linked(KERNEL, 1, **{"Comms Id": 2**64 + 1, "Collective name": "allreduce"})],
        }
    ),
    "no_utf8": json.dumps([OP]).replace("aten", "at\\ud800n"),
}  # fmt: skip


def objects_of(node):
    """Every object in a document, so that each can be spoiled in its place."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects_of(child)


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

    def document(self, *files, code=0):
        done = subprocess.run([BINARY, "analyze", *files, "--format", "json"], capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def assert_valid(self, document):
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in self.validator.iter_errors(document)]
        self.assertEqual(errors, [])

    def test_is_a_schema(self):
        self.validator.check_schema(SCHEMA)

    def test_every_key_is_described(self):
        for where in objects_of(SCHEMA):
            for key, value in where.get("properties", {}).items():
                shared = SCHEMA["$defs"].get(value.get("$ref", "").rpartition("/")[2], {})
                described = "description" in value or "description" in shared or "const" in value
                self.assertTrue(described, f"'{key}' has no description")

    def test_sample_traces(self):
        self.assertTrue(SAMPLES)
        for sample in SAMPLES:
            with self.subTest(sample.name):
                self.assert_valid(self.document(sample))
        self.assert_valid(self.document(*SAMPLES))

    def test_small_inputs(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in INPUTS.items():
                with self.subTest(name):
                    path = pathlib.Path(directory, name + ".json")
                    path.write_text(text)
                    self.assert_valid(self.document(path, code=3 if name in ("launches_without_kernels", "no_event") else 0))

    def test_several_files_one_unreadable(self):
        document = self.document(SAMPLES[0], "nowhere.json", code=3)

        self.assert_valid(document)
        self.assertEqual([sorted(trace)[:2] for trace in document["traces"]][1], ["error", "source"])

    def test_no_file_readable(self):
        self.assert_valid(self.document("nowhere.json", "elsewhere.json", code=3))

    def test_unknown_and_missing_keys_are_refused_everywhere(self):
        good = self.document(SAMPLES[0])
        places = len(list(objects_of(good)))
        for place in range(places):
            for spoil in ("unknown", "missing"):
                bad = copy.deepcopy(good)
                spoiled = list(objects_of(bad))[place]
                if spoiled.keys() <= good["integrity"]["counters"].keys() or "unattributed" in spoiled:
                    continue  # their keys are open
                if spoil == "unknown":
                    spoiled["surprise"] = 1
                else:
                    spoiled.popitem()
                self.assertFalse(self.validator.is_valid(bad), f"accepted with {spoil} key: {sorted(spoiled)}")
            if place > 60:
                break  # from here on rows of the same tables

    def test_other_versions_and_wrong_types_are_refused(self):
        good = self.document(SAMPLES[0])
        for change in (
            {"schema_version": 2},
            {"schema_version": "1"},
            {"facts": good["facts"] | {"span_ns": 1.5}},
            {"facts": good["facts"] | {"linked_share": 1.5}},
            {"integrity": good["integrity"] | {"verdict": "fine"}},
            {"summary": good["summary"] | {"binds": "gremlins"}},
        ):
            self.assertFalse(self.validator.is_valid(good | change), change)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main()
