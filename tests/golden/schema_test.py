# SPDX-License-Identifier: Apache-2.0
"""What `foretell analyze --format json` writes: against reports/schema, which is strict; its sums; and whether the
manual explains what it names.

    schema_test.py FORETELL
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    from schema_check import ROOT, SchemaCheck, read_schema
except ModuleNotFoundError as missing:
    if missing.name != "jsonschema":
        raise
    print("schema_test: skipped: no jsonschema module (python3-jsonschema)")
    sys.exit(77)

SAMPLES = sorted((ROOT / "examples/traces").glob("*.json.gz"))
WITH_MODULES = ROOT / "examples/traces/train_two_streams.json.gz"
SCHEMA = read_schema("analyze")
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


def traces_of(document):
    return document.get("traces", [document])


class Program(unittest.TestCase):
    def document(self, *files, options=(), code=0):
        command = [BINARY, "analyze", *files, *options, "--format", "json"]
        done = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)


class Schema(SchemaCheck, Program):
    SCHEMA = SCHEMA

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
        good = self.document(WITH_MODULES) | {"communicators": [{"id": "1", "records": 2}]}
        for key, value in good.items():
            self.assertTrue(value, f"'{key}' is empty in the sample")
        self.assert_strict(good, open_kinds=[("integrity", "counters")])

    def test_other_versions_and_wrong_types_are_refused(self):
        good = self.document(SAMPLES[0])
        for change in (
            {"schema_version": 2},
            {"schema_version": "1"},
            {"facts": good["facts"] | {"span_ns": 1.5}},
            {"facts": good["facts"] | {"linked_share": 1.5}},
            {"integrity": good["integrity"] | {"verdict": "fine"}},
            {"summary": good["summary"] | {"binds": "gremlins"}},
            {"checks": [good["checks"][0] | {"verdict": "maybe"}]},
            {"checks": [good["checks"][0] | {"ceiling": -1}]},
            {"kernel_classes": [good["kernel_classes"][0] | {"class": "gremlins"}]},
            {"step": good["step"] | {"idle_ns": good["step"]["idle_ns"] | {"host": -1}}},
        ):
            self.assertFalse(self.validator.is_valid(good | change), change)

    def test_idle_time_is_told_of_all_classes_or_not_at_all(self):
        good = self.document(SAMPLES[0])

        self.assert_valid(good | {"step": good["step"] | {"idle_ns": {}, "busy_in_ns": {}}})
        self.assertFalse(self.validator.is_valid(good | {"step": good["step"] | {"idle_ns": {"launch": 1}}}))


class Sums(Program):
    def test_device_and_threads(self):
        for options in ((), ("--wall-ms", "0.5")):  # between step and device work of one sample, below that of the other
            for trace in traces_of(self.document(*SAMPLES, options=options)):
                step = trace["step"]
                step_ns = trace["window"]["step_ns"]
                with self.subTest(trace["source"]["path"], options=options):
                    self.assertGreater(step["busy_ns"], 0)
                    self.assertEqual(step["busy_ns"] + sum(step["idle_ns"].values()), step["step_ns"])
                    self.assertEqual(sum(step["busy_in_ns"].values()), step["busy_ns"])
                    self.assertEqual(step["step_ns"] + step["distortion_ns"], step_ns)
                    self.assertTrue(trace["threads"])
                    for thread in trace["threads"]:
                        self.assertEqual(thread["self_cpu_ns"] + thread["untraced_ns"], step_ns, thread["name"])

    def test_shares_of_the_kernel_classes(self):
        for trace in traces_of(self.document(*SAMPLES)):
            with self.subTest(trace["source"]["path"]):
                self.assertAlmostEqual(sum(row["share"] for row in trace["kernel_classes"]), 1)


class Manual(Program):
    def test_every_check_is_explained(self):
        page = (ROOT / "docs/diagnosis.md").read_text()
        checks = self.document(SAMPLES[0])["checks"]
        self.assertGreater(len(checks), 10)
        for check in checks:
            self.assertIn(f"| `{check['id']}` | {check['title']} |", page)

    def test_every_class_is_explained(self):
        page = (ROOT / "docs/diagnosis.md").read_text()
        definitions = SCHEMA["$defs"]
        classes = definitions["kernel_classes"]["items"]["properties"]["class"]["enum"]
        for name in [*definitions["idle_ns"]["properties"], *classes]:
            self.assertIn(f"| `{name}` |", page)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main()
