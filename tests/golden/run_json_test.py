# SPDX-License-Identifier: Apache-2.0
"""What `foretell run --format json` writes: against reports/schema, which is strict, and whether it is consistent. No
time is asserted: a busy machine gives none, and says so.

    run_json_test.py FORETELL
"""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("run_json_test: skipped: no jsonschema module (python3-jsonschema)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMA = json.loads((ROOT / "reports/schema/run.schema.json").read_text())
QUICK = ["--time-budget", "0.2"]
CHAIN = ["--workload", "chain", "--size", "64K", *QUICK]


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


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory(prefix="foretell_run_json_")  # probed and compiled once
        cls.addClassCleanup(cls.cache.cleanup)
        cls.known = {}

    def output(self, *arguments):
        environment = os.environ | {"XDG_CACHE_HOME": self.cache.name}
        done = subprocess.run([BINARY, "run", *arguments], capture_output=True, env=environment, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def fresh_document(self, *arguments):
        return json.loads(self.output(*arguments, "--format", "json"))

    def document(self, *arguments):
        if arguments not in self.known:
            self.known[arguments] = self.fresh_document(*arguments)
        return copy.deepcopy(self.known[arguments])


class Schema(Program):
    def setUp(self):
        self.validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

    def assert_valid(self, document):
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in self.validator.iter_errors(document)]
        self.assertEqual(errors, [])

    def test_is_a_schema(self):
        self.validator.check_schema(SCHEMA)

    def test_every_key_is_described(self):
        for _, where in objects_of(SCHEMA):
            for key, value in where.get("properties", {}).items():
                shared = SCHEMA["$defs"].get(value.get("$ref", "").rpartition("/")[2], {})
                described = "description" in value or "description" in shared or "const" in value
                self.assertTrue(described, f"'{key}' has no description")

    def test_every_workload(self):
        for arguments in (
            CHAIN,
            ["--workload", "norm-act", "--size", "64K", "--hidden", "64", *QUICK],
            ["--workload", "gemm", "--size", "32", *QUICK],
            ["--workload", "mlp-b1", "--layers", "2", "--hidden", "8", *QUICK],
        ):
            with self.subTest(arguments[1]):
                self.assert_valid(self.document(*arguments))

    def test_every_way_to_run(self):
        for options in (
            ["--variants", "eager"],
            ["--variants", "fused"],
            ["--allocator", "system"],
            ["--sync"],
            ["--threads", "2"],
            ["--no-drift"],
            ["--explain", "fusion"],
        ):
            with self.subTest(options):
                self.assert_valid(self.document(*CHAIN, *options))

    def test_unknown_and_missing_keys_are_refused_everywhere(self):
        good = self.document(*CHAIN)
        self.assert_valid(good)
        open_objects = {("parameters",)}  # a workload's own
        for kind in set(first_of_each_kind(good)) - open_objects:
            for spoil in ("unknown", "missing"):
                bad = copy.deepcopy(good)
                spoiled = first_of_each_kind(bad)[kind]
                if spoil == "unknown":
                    spoiled["surprise"] = 1
                else:
                    spoiled.popitem()
                self.assertFalse(self.validator.is_valid(bad), f"accepted with {spoil} key: {'/'.join(kind)}")

    def test_several_runs(self):
        good = self.document(*CHAIN)
        header = {key: good.pop(key) for key in ("schema_version", "tool")}

        self.assert_valid(header | {"runs": [good, good]})
        self.assertFalse(self.validator.is_valid(header | {"runs": [good]}))


class Consistency(Program):
    def test_counts_of_a_chain(self):
        run = self.document(*CHAIN, "--ops", "5")
        eager, fused = run["variants"]

        self.assertEqual(run["parameters"]["ops"], 5)
        self.assertEqual((eager["name"], fused["name"]), ("eager", "fused"))
        self.assertEqual(eager["dispatches"], 5)
        self.assertEqual(fused["dispatches"], 1)
        self.assertEqual(eager["bytes"], 5 * 2 * 65536 + 4 * 4)  # add and mul read a constant, too
        self.assertEqual(fused["bytes"], 2 * 65536)
        self.assertAlmostEqual(run["summary"]["ceiling"], 5, places=3)
        self.assertEqual([group["ops"] for group in run["groups"]], [["add", "mul", "relu", "add", "mul"]])
        for variant in run["variants"]:
            self.assertEqual(variant["bytes"], variant["bytes_read"] + variant["bytes_written"])
            self.assertEqual(sum(variant["drift"]["ulp_histogram"]), variant["drift"]["elements"])
            self.assertEqual(variant["drift"]["elements"], 65536 / 4)

    def test_times_belong_together(self):
        run = self.document(*CHAIN)
        if run["integrity"]["verdict"] == "unusable":
            self.skipTest("the machine is busy: there are no times")
        eager, fused = (variant["measured"] for variant in run["variants"])

        self.assertEqual(run["window"]["step_ns"], eager["median_ns"])
        self.assertEqual(eager["speedup"], 1)
        self.assertAlmostEqual(fused["speedup"], eager["median_ns"] / fused["median_ns"], places=2)
        for measured in (eager, fused):
            low, high = measured["ci_ns"]
            self.assertLessEqual(low, measured["median_ns"])
            self.assertLessEqual(measured["median_ns"], high)
        for variant in run["variants"]:
            times = variant["bound"]["time_ns"]
            share = max(times.values()) / variant["measured"]["median_ns"]
            self.assertAlmostEqual(variant["bound"]["explained_share"], share, places=2)

    def test_gemm_has_nothing_to_fuse(self):
        run = self.document("--workload", "gemm", "--size", "32", *QUICK)
        eager, fused = run["variants"]

        self.assertEqual(run["groups"], [])
        self.assertEqual(eager["bytes"], fused["bytes"])

    def test_drift_of_a_large_chain_says_where_it_was_measured(self):
        run = self.document("--workload", "chain", "--size", "64M", "--variants", "eager", *QUICK)

        self.assertRegex(run["variants"][0]["drift"]["measured_at"], r"^size [\d.]+ MiB$")

    def test_the_second_run_finds_its_kernels_and_constants(self):
        self.document(*CHAIN)
        run = self.fresh_document(*CHAIN)

        self.assertTrue(run["variants"][1]["compile"]["from_cache"])
        self.assertTrue((pathlib.Path(self.cache.name) / "foretell/probe.json").exists())

    def test_text_has_its_sections(self):
        text = self.output(*CHAIN)
        for section in ("Variants", "Drift", "Ops", "Fused kernels", "Compiling", "Measuring", "Constants"):
            self.assertIn(f"\n{section}", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main()
