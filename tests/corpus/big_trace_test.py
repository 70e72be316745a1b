# SPDX-License-Identifier: Apache-2.0
"""tools/make_big_trace keeps every link and every interval: its facts are the source's, times the repeats."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import oracle

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIZE = 1_000_000


class BigTraceTest(unittest.TestCase):
    def check(self, source):
        with tempfile.TemporaryDirectory() as folder:
            big = pathlib.Path(folder, "big.json")
            command = [
                sys.executable,
                ROOT / "tools/make_big_trace",
                big,
                "--source",
                source,
                "--size",
                str(SIZE),
            ]
            subprocess.run(command, check=True, capture_output=True)
            meta = json.loads(pathlib.Path(folder, "big.json.meta").read_text())
            self.assertGreaterEqual(big.stat().st_size, SIZE)
            self.assertEqual((big.stat().st_size, pathlib.Path(folder, "big.json.gz").stat().st_size),
                             (meta["json_bytes"], meta["gz_bytes"]))  # fmt: skip
            self.assertGreater(meta["repeats"], 1)
            want, _ = oracle.analyse(source)
            from_json, _ = oracle.analyse(big)
            from_gz, _ = oracle.analyse(pathlib.Path(folder, "big.json.gz"))
            self.assertEqual(from_json, from_gz)
            names = {name: len({e["name"] for e in oracle.load_events(path) if e.get("cat") == "kernel"})
                     for name, path in (("source", source), ("big", big))}  # fmt: skip
            self.assertEqual(names["big"], names["source"] * meta["repeats"])
            for fact in oracle.FACTS:
                if fact != "span_ns":  # repeats follow each other with a gap
                    self.assertEqual(from_json[fact], want[fact] * meta["repeats"], fact)

    def test_two_streams(self):
        self.check(ROOT / "examples/traces/train_two_streams.json.gz")

    def test_unusual_layout(self):
        """Keys behind the events, ids as strings in names, zero ids, an untimed record, an array in a string."""
        events = [
            {"ph": "X", "cat": "kernel", "name": "k<\"ts\": 5, ]>", "pid": 0, "tid": 7, "ts": 5, "dur": 1.5, "args": {"correlation": 3}},
            {"ph": "X", "cat": "kernel", "name": "k0", "pid": 0, "tid": 7, "ts": 0, "dur": 0, "args": {"correlation": 0}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1.25, "dur": 2, "args": {"correlation": 3}},
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#9", "pid": 1, "tid": 1, "ts": 0.5, "dur": 9, "args": {}},
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "traceEvents"}},
        ]  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "source.json")
            source.write_text(
                json.dumps({"note": '"traceEvents": [', "traceEvents": events, "traceName": "x"}, indent=1)
            )
            self.check(source)


if __name__ == "__main__":
    unittest.main()
