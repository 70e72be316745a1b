# SPDX-License-Identifier: Apache-2.0
"""What `foretell run --format json` and `foretell probe --format json` write: against reports/schema, which is strict,
and whether it is consistent. No time is asserted: a busy machine gives none, and says so.

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
    from schema_check import SchemaCheck, read_schema
except ModuleNotFoundError as missing:
    if missing.name != "jsonschema":
        raise
    print("run_json_test: skipped: no jsonschema module (python3-jsonschema)")
    sys.exit(77)

# One run with everything in it, as the program wrote it on a machine that was left alone.
WHOLE = json.loads((pathlib.Path(__file__).resolve().parent / "run_document.json").read_text())
QUICK = ["--time-budget", "0.05"]
EAGER = ["--variants", "eager", *QUICK]
CHAIN = ["--workload", "chain", "--size", "64K", *QUICK]
VARIANTS = ["eager", "replay", "fused", "planned", "full"]


def named(run, *names):
    return [next(variant for variant in run["variants"] if variant["name"] == name) for name in names]


class Program(unittest.TestCase):
    cache = tempfile.TemporaryDirectory(prefix="foretell_run_json_")  # probed and compiled once
    known = {}

    def done(self, *arguments, environment=None):
        environment = os.environ | {"XDG_CACHE_HOME": self.cache.name} | (environment or {})
        return subprocess.run([BINARY, *arguments], capture_output=True, env=environment, check=False)

    def output(self, *arguments, environment=None):
        done = self.done(*arguments, environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def fresh_document(self, *arguments):
        return json.loads(self.output("run", *arguments, "--format", "json"))

    def document(self, *arguments):
        if arguments not in self.known:
            self.known[arguments] = self.fresh_document(*arguments)
        return copy.deepcopy(self.known[arguments])


class RunSchema(SchemaCheck, Program):
    SCHEMA = read_schema("run")

    def test_every_workload(self):
        for arguments in (
            CHAIN,
            ["--workload", "norm-act", "--size", "64K", "--hidden", "64", *QUICK],
            ["--workload", "gemm", "--size", "32", *QUICK],
            ["--workload", "mlp-b1", "--layers", "2", "--hidden", "8", *QUICK],
            ["--workload", "churn", "--branches", "2", "--size", "4K", *QUICK],
            ["--workload", "decode", "--layers", "1", "--hidden", "8", "--length", "4", *EAGER],
            ["--workload", "mlp-train", "--layers", "1", "--hidden", "8", "--updates", "foreach", *EAGER],
            ["--workload", "transformer-train", "--layers", "1", "--hidden", "8", "--batch", "1", *EAGER],
            ["--workload", "unet", "--levels", "2", "--image", "4", "--batch", "1", *EAGER],
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
        ):
            with self.subTest(options):
                self.assert_valid(self.document(*CHAIN, *options))

    def test_a_plan(self):
        plan = self.document("--workload", "chain", "--size", "64K", "--explain", "fusion")

        self.assert_valid(plan)
        self.assertNotIn("", plan["summary"]["sentences"])

    def test_unknown_and_missing_keys_are_refused_everywhere(self):
        for key, value in WHOLE.items():
            self.assertTrue(value, f"'{key}' is empty in the document")
        self.assertNotIn(None, [variant["measured"] for variant in WHOLE["variants"]])
        self.assert_strict(WHOLE, open_kinds=[("parameters",)])  # a workload's own

    def test_wrong_values_are_refused(self):
        eager = WHOLE["variants"][0]
        for change in (
            {"window": WHOLE["window"] | {"warmup": ["a step"]}},
            {"summary": WHOLE["summary"] | {"binds": "gremlins"}},
            {"variants": [eager | {"bound": eager["bound"] | {"level": "the last-level cache"}}]},
            {"variants": [eager | {"error": "it was measured"}]},
            {"constants": [WHOLE["constants"][0] | {"provenance": "guessed"}]},
        ):
            self.assertFalse(self.validator.is_valid(WHOLE | change), change)

    def test_several_runs(self):
        good = copy.deepcopy(WHOLE)
        header = {key: good.pop(key) for key in ("schema_version", "tool")}

        self.assert_valid(header | {"runs": [good, good]})
        self.assert_valid(header | {"runs": [good, {"workload": "gemm", "error": "too little memory"}]})
        self.assertFalse(self.validator.is_valid(header | {"runs": [good]}))
        self.assertFalse(self.validator.is_valid(header | {"runs": [good, good | {"error": "it ran"}]}))

    def test_all_workloads(self):
        every = self.document("--workload", "all", "--variants", "eager", "--no-drift", *QUICK)
        one = self.document(*CHAIN)

        self.assert_valid(every)
        self.assertGreater(len(every["runs"]), 3)
        for run in every["runs"]:
            with self.subTest(run["workload"]):
                self.assertEqual(run.keys(), one.keys() - {"schema_version", "tool"})
                self.assertEqual([variant["name"] for variant in run["variants"]], ["eager"])


class ProbeSchema(SchemaCheck, Program):
    SCHEMA = read_schema("probe")

    def test_every_form(self):
        for options in ([], ["--sync"], ["--threads", "2"], ["--refresh"]):
            with self.subTest(options):
                probed = json.loads(self.output("probe", *options, "--format", "json"))
                self.assert_strict(probed)
                self.assertEqual(probed["devices"][0]["sync"], "--sync" in options)
                self.assertLessEqual(probed["rejected"], probed["samples"])
                if 5 * probed["rejected"] > probed["samples"]:
                    self.assertIsNone(probed["file"])

    def test_forms_have_files_of_their_own(self):
        probed = [json.loads(self.output("probe", *options, "--format", "json")) for options in ([], ["--sync"])]
        if None in (files := [document["file"] for document in probed]):
            self.skipTest("the machine is busy: nothing is kept")
        self.assertEqual(len(set(files)), 2)
        self.assertTrue(all(pathlib.Path(file).exists() for file in files))


class Consistency(Program):
    def test_counts_of_a_chain(self):
        run = self.document(*CHAIN, "--ops", "5")
        eager, fused = named(run, "eager", "fused")

        self.assertEqual(run["parameters"]["ops"], 5)
        self.assertEqual([variant["name"] for variant in run["variants"]], VARIANTS)
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

    def test_a_replay_is_one_launch_and_planned_memory_none(self):
        run = self.document(*CHAIN, "--ops", "5")
        eager, replay, fused, planned, full = named(run, *VARIANTS)

        self.assertEqual([replay["launches"], replay["replayed"]], [1, 5])
        self.assertEqual([full["launches"], full["replayed"]], [1, 1])
        self.assertEqual([planned["launches"], planned["replayed"]], [5, 0])
        self.assertEqual([each["allocations"] for each in (eager, replay, fused, planned, full)], [5, 0, 1, 0, 0])
        self.assertEqual([each["memory"] is None for each in run["variants"]], [True, True, True, False, False])
        self.assertEqual(planned["memory"]["arena_bytes"], 65536)  # all in place
        self.assertEqual(planned["memory"]["given_peak_bytes"], 2 * 65536)

    def test_a_host_read_cuts_a_replay(self):
        with tempfile.NamedTemporaryFile("w", suffix=".graph") as file:
            file.write("graph cut\nx = input(to=f32, shape=[8])\na = neg(x)\nb = host_read(a)\nc = exp(b)\nreturn y=c\n")
            file.flush()
            run = self.document("--workload", file.name, "--variants", "replay", *QUICK)

        self.assertEqual([blocker["op"] for blocker in run["blockers"]], ["host_read"])
        self.assertGreater(run["blockers"][0]["cost_ns"], 0)
        self.assertEqual(run["variants"][0]["launches"], 2)

    def test_times_belong_together(self):
        run = self.document(*CHAIN)
        if run["integrity"]["verdict"] == "unusable":
            self.skipTest("the machine is busy: there are no times")
        eager, fused = (variant["measured"] for variant in named(run, "eager", "fused"))

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
        eager, fused = named(run, "eager", "fused")

        self.assertEqual(run["groups"], [])
        self.assertEqual(eager["bytes"], fused["bytes"])

    def test_drift_of_a_large_chain_says_where_it_was_measured(self):
        run = self.document("--workload", "chain", "--size", "64M", "--variants", "eager", *QUICK)

        self.assertRegex(run["variants"][0]["drift"]["measured_at"], r"^size [\d.]+ MiB$")

    def test_the_second_run_finds_its_kernels_and_constants(self):
        self.document(*CHAIN)
        run = self.fresh_document(*CHAIN)

        [fused] = named(run, "fused")
        compiled = fused["compile"]
        self.assertTrue(compiled["from_cache"])
        self.assertIsNone(compiled["break_even_steps"])
        if not any("the machine was busy while it was probed" in note for note in run["notes"]):
            self.assertTrue(list(pathlib.Path(self.cache.name).glob("foretell/probe-[0-9]*.json")))

    def test_in_one_lane_the_host_has_no_time_of_its_own(self):
        run = self.document(*CHAIN, "--sync")
        for variant in run["variants"]:
            if variant["measured"] is not None:
                self.assertIsNone(variant["measured"]["host_ns"])

    def test_without_a_compiler_eager_is_measured(self):
        done = self.done("run", *CHAIN, "--format", "json", environment={"CXX": "/nowhere/c++"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"foretell: note: fused could not be run: no C++ compiler found", done.stderr)
        eager, fused = named(json.loads(done.stdout), "eager", "fused")

        self.assertEqual(eager["dispatches"], 3)
        self.assertEqual(sorted(fused), ["error", "name"])
        self.assertIn("no C++ compiler found", fused["error"])

    def test_text_has_its_sections(self):
        text = self.output("run", *CHAIN)
        for section in ("Variants", "Drift", "Ops", "Fused kernels", "Compiling", "Measuring", "Constants"):
            self.assertIn(f"\n{section}", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main()
