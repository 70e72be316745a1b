# SPDX-License-Identifier: Apache-2.0
"""What the program does on a terminal and nowhere else: colour, a bar while it reads, the stage that a run is at.

    terminal_test.py FORETELL
"""

import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = str(ROOT / "examples/traces/train_two_streams.json.gz")
EVENT = b'{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2},\n'
BLOCK = EVENT * 4096
ESCAPE = b"\x1b"
CLEAR_LINE = b"\r\x1b[K"
PLAN = ["run", "--workload", "chain", "--size", "4K", "--explain", "fusion"]
DEADLINE_S = 60


def drained(terminal):
    """What the other side wrote until it closed."""
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux: no writer is left
            return text
        if not part:
            return text
        text += part


def run(arguments, *, out_terminal=False, err_terminal=False, environment=None, stdin=subprocess.DEVNULL):
    """(code, stdout, stderr); each stream is a terminal or a pipe."""
    streams = []
    for wanted in (out_terminal, err_terminal):
        streams.append(pty.openpty() if wanted else os.pipe())
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [BINARY, *arguments], stdin=stdin, stdout=streams[0][1], stderr=streams[1][1],
        env=plain | {"TERM": "xterm"} | (environment or {}),
    )  # fmt: skip
    texts = []
    for reading, writing in streams:
        os.close(writing)
    for reading, _ in streams:  # small outputs: neither side fills a buffer while the other is read
        texts.append(drained(reading))
        os.close(reading)
    return process.wait(), *texts


class Color(unittest.TestCase):
    def test_on_a_terminal(self):
        code, out, _ = run(["analyze", SAMPLE], out_terminal=True)

        self.assertEqual(code, 0)
        self.assertIn(ESCAPE, out)

    def test_same_text_without_the_colors(self):
        _, colored, _ = run(["analyze", SAMPLE], out_terminal=True)
        _, plain, _ = run(["analyze", SAMPLE])
        for style in (b"0", b"1", b"2", b"31", b"32", b"33"):
            colored = colored.replace(ESCAPE + b"[" + style + b"m", b"")

        self.assertNotIn(ESCAPE, colored)
        self.assertEqual(colored.replace(b"\r\n", b"\n").split(b"peak memory")[0], plain.split(b"peak memory")[0])

    def test_not_in_a_pipe(self):
        self.assertNotIn(ESCAPE, run(["analyze", SAMPLE])[1])
        self.assertNotIn(ESCAPE, run(["analyze", SAMPLE], err_terminal=True)[1])

    def test_not_where_no_color_is_set(self):
        self.assertNotIn(ESCAPE, run(["analyze", SAMPLE], out_terminal=True, environment={"NO_COLOR": "1"})[1])

    def test_not_on_a_dumb_terminal(self):
        self.assertNotIn(ESCAPE, run(["analyze", SAMPLE], out_terminal=True, environment={"TERM": "dumb"})[1])

    def test_json_never_has_any(self):
        self.assertNotIn(ESCAPE, run(["analyze", SAMPLE, "--format", "json"], out_terminal=True)[1])

    def test_files_never_have_any(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "report.txt")
            run(["analyze", SAMPLE, "-o", str(path)], out_terminal=True, err_terminal=True)

            self.assertNotIn(ESCAPE, path.read_bytes())


class Bar(unittest.TestCase):
    def test_none_for_a_short_file(self):
        self.assertEqual(run(["analyze", SAMPLE], err_terminal=True)[2], b"")

    def test_none_in_a_pipe_however_long_it_takes(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "trace.json")
            path.write_bytes(b"[" + BLOCK * 200 + b"]")
            code, _, err = run(["analyze", str(path)], out_terminal=True)

        self.assertEqual((code, err), (0, b""))

    def test_shows_the_share_of_a_long_file_and_goes_away(self):
        # A bar comes after a tenth of a second of reading: the file grows until that is reached.
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "trace.json")
            for blocks in (100, 200, 400, 800, 1600):
                path.write_bytes(b"[" + BLOCK * blocks + b"]")
                code, _, err = run(["analyze", str(path)], err_terminal=True)
                self.assertEqual(code, 0)
                if err:
                    break

        self.assertRegex(err, rb"trace\.json.* \[#* *\] +\d+ % of [\d.]+ MiB|\.\.\. \[#* *\] +\d+ % of [\d.]+ MiB")
        self.assertTrue(err.endswith(CLEAR_LINE), err[-80:])

    def test_shows_the_bytes_of_a_pipe(self):
        # Feeds the pipe until the bar is there.
        terminal, other_side = pty.openpty()
        process = subprocess.Popen(
            [BINARY, "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=other_side
        )
        os.close(other_side)
        process.stdin.write(b"[")
        for _ in range(20_000):
            process.stdin.write(BLOCK)
            if select.select([terminal], [], [], 0)[0]:
                break
        process.stdin.close()
        shown = drained(terminal)
        os.close(terminal)

        self.assertEqual(process.wait(DEADLINE_S), 0)
        self.assertRegex(shown, rb"- [\d.]+ (K|M|G)iB")
        self.assertTrue(shown.endswith(CLEAR_LINE), shown[-80:])


class Run(unittest.TestCase):
    def test_color_on_a_terminal_and_the_same_text_without(self):
        code, colored, _ = run(PLAN, out_terminal=True)
        _, plain, _ = run(PLAN)

        self.assertEqual(code, 0)
        self.assertIn(ESCAPE, colored)
        self.assertNotIn(ESCAPE, plain)
        for style in (b"0", b"1", b"2"):
            colored = colored.replace(ESCAPE + b"[" + style + b"m", b"")
        self.assertEqual(colored.replace(b"\r\n", b"\n"), plain)

    def test_no_color_where_none_is_wanted(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(ESCAPE, run(PLAN, out_terminal=True, environment=environment)[1])
        self.assertNotIn(ESCAPE, run([*PLAN, "--format", "json"], out_terminal=True)[1])

    def test_says_what_it_does_and_takes_it_back(self):
        _, _, err = run(PLAN, err_terminal=True)

        self.assertEqual(err, CLEAR_LINE + b"chain: planning" + CLEAR_LINE)

    def test_all_workloads_have_a_bar(self):
        plans = ["run", "--workload", "all", "--explain", "fusion"]
        _, out, err = run(plans, err_terminal=True)
        names = [line for line in out.split(b"\n") if line and not line.startswith((b" ", b"-", b"Fusion"))]
        total = len(names)

        self.assertGreater(total, 3)
        for done, name in enumerate(names):
            part = rb"\[#{%d} *\] %d of %d " % (30 * done // total, done, total)
            self.assertRegex(err, part + re.escape(name) + b": planning")
        self.assertTrue(err.endswith(CLEAR_LINE), err[-80:])
        self.assertEqual(run(plans, out_terminal=True)[2], b"")

    def test_says_nothing_in_a_pipe(self):
        self.assertEqual(run(PLAN, out_terminal=True)[2], b"")

    def test_stages_of_a_dump_are_text_without_color(self):
        _, out, err = run(["run", "--workload", "chain", "--dump=ir"], out_terminal=True, err_terminal=True)

        self.assertTrue(out.startswith(b"# ir"))
        self.assertNotIn(ESCAPE, out + err)


class Probe(unittest.TestCase):
    def test_color_and_stages(self):
        with tempfile.TemporaryDirectory() as directory:
            cache = {"XDG_CACHE_HOME": directory}
            code, out, err = run(["probe", "--refresh"], out_terminal=True, err_terminal=True, environment=cache)

        self.assertEqual(code, 0)
        self.assertIn(ESCAPE, out)
        for title in (b"enqueue, drain", b"host cost of an eager op", b"memcpy, plain and streaming copies"):
            self.assertIn(CLEAR_LINE + b"probing: " + title, err)
        self.assertTrue(err.replace(b"\r\n", b"\n").split(b"foretell: note:")[0].endswith(CLEAR_LINE), err[-80:])


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main()
