# SPDX-License-Identifier: Apache-2.0
"""The oracle on traces small enough to be computed by hand."""

import json
import pathlib
import tempfile
import unittest

import oracle


def row(category, name, ts, dur, args=None, **fields):
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "ts": ts,
        "dur": dur,
        "pid": 0,
        "tid": 7,
        "args": args or {},
    } | fields


def facts_of(events, **keys):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        path.write_text(json.dumps({"traceEvents": events} | keys))
        return oracle.analyse(path)


class OracleTest(unittest.TestCase):
    def test_kernels_that_overlap_count_once_per_device(self):
        facts, _ = facts_of([
            row("kernel", "a", 0.5, 10, {"device": 0}),
            row("Kernel", "b", 5, 10.25, {"device": 0}),
            row("kernel", "c", 5, 10, {"device": 1}),
            row("gpu_memcpy", "Memcpy HtoD", 15, 5, {"device": 0}),
            row("Memset", "Memset (Device)", 30, 1, {"device": 0}),
        ])  # fmt: skip
        self.assertEqual((facts["kernels"], facts["memcpys"], facts["memsets"]), (3, 1, 1))
        self.assertEqual(facts["kernel_sum_ns"], 30_250)
        self.assertEqual(facts["kernel_busy_ns"], 14_750 + 10_000)
        self.assertEqual(facts["device_busy_ns"], 20_500 - 1_000 + 1_000 + 10_000)
        self.assertEqual(facts["span_ns"], 30_500)

    def test_launches_of_every_spelling_and_graph_launches_apart(self):
        names = ["cudaLaunchKernel", "cudaLaunchKernelExC_v11060", "cuLaunchKernelEx", "hipExtModuleLaunchKernel",
                 "hipModuleLaunchKernel", "cuLaunchKernel_ptsz", "cudaLaunchCooperativeKernel"]  # fmt: skip
        others = ["cudaLaunchHostFunc", "hipLaunchHostFunc", "cudaStreamSynchronize", "cudaMemcpyAsync"]
        events = [row("cuda_runtime", name, 1, 1) for name in names + others]
        events += [row("cuda_driver", "cuGraphLaunch", 1, 1), row("Runtime", "cudaGraphLaunch_v10000", 1, 1)]
        events += [row("cpu_op", "cudaLaunchKernel", 1, 1)]
        facts, _ = facts_of(events)
        self.assertEqual(
            (facts["launch_calls"], facts["graph_launches"], facts["cpu_ops"]), (len(names), 2, 1)
        )

    def test_links_by_non_zero_correlation(self):
        events = [
            row("cuda_runtime", "cudaGraphLaunch", 1, 1, {"correlation": "7"}),
            row("Runtime", "x", 1, 1, {"correlation": 0}),
        ]
        events += [row("kernel", "k", 2, 1, {"correlation": number}) for number in (7, 7, 0, 8)]
        facts, traits = facts_of(events)
        self.assertEqual(facts["linked_kernels"], 2)
        self.assertEqual(oracle.expectation(facts, traits), (0, "partial"))

    def test_untimed_device_records_stay_off_the_time_axis(self):
        facts, traits = facts_of([row("kernel", "k", 0, 0), row("kernel", "k", 1000, 2)])
        self.assertEqual((facts["kernels"], facts["kernel_sum_ns"], facts["span_ns"]), (2, 2_000, 2_000))
        self.assertTrue(traits["untimed"])

    def test_bookkeeping_is_off_the_span_and_only_complete_events_count(self):
        facts, _ = facts_of([
            row("Trace", "PyTorch Profiler (0)", 0, 9000),
            row("overhead", "Activity Buffer Request", 0, 9000),
            row("user_annotation", "ProfilerStep#3", 100, 50),
            row("gpu_user_annotation", "ProfilerStep#3", 120, 50),
            row("Operator", "ProfilerStep#4", 150, 50),
            row("kernel", "k", 100, 50, ph="B"),
        ])  # fmt: skip
        self.assertEqual((facts["steps"], facts["span_ns"], facts["kernels"]), (2, 100_000, 0))

    def test_timestamps_that_a_double_cannot_hold(self):
        text = ('[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1700000000000000.001,"dur":0.002,"args":{}},'
                '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1700000000000000.010,"dur":0.003,"args":{}}]')  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json")
            path.write_text(text)
            facts, _ = oracle.analyse(path)
        self.assertEqual((facts["kernel_busy_ns"], facts["span_ns"]), (5, 12))

    def test_legacy_rows_without_category(self):
        legacy = {"ph": "X", "name": "add", "ts": 1, "dur": 2, "tid": 1}
        facts, _ = facts_of([legacy | {"pid": "CPU functions"}, legacy | {"pid": "CUDA functions"}])
        self.assertEqual((facts["cpu_ops"], facts["kernels"]), (1, 0))

    def test_what_is_refused(self):
        launches, traits = facts_of([row("cuda_runtime", "cudaLaunchKernel", 1, 1)])
        self.assertEqual(oracle.expectation(launches, traits), (3, "unusable"))
        other, traits = facts_of([row("mtia_runtime", "run", 1, 1)])
        self.assertEqual(oracle.expectation(other, traits), (3, "refused"))
        cpu_only, traits = facts_of([row("cpu_op", "aten::add", 1, 1)])
        self.assertEqual(oracle.expectation(cpu_only, traits), (0, "-"))


if __name__ == "__main__":
    unittest.main()
