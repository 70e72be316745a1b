# SPDX-License-Identifier: Apache-2.0
"""The facts of a Kineto trace, computed a second time: slowly, exactly, and sharing nothing with the program.

Used by make_expected (which writes expected.tsv), check_corpus, the tests beside it and bench/run. Only the
standard library.

Definitions (all over complete events, ph "X"):
  kernels, memcpys, memsets, cpu_ops   rows of that category, in any of its spellings, upper or lower case
  launch_calls                         API rows that launch a kernel, by any of the runtime or driver calls
  graph_launches                       API rows that launch a graph; not among launch_calls
  steps                                distinct names ProfilerStep#N
  kernel_sum_ns                        sum of kernel durations as recorded
  kernel_busy_ns, device_busy_ns       union of the intervals of kernels (of kernels, copies and sets) per device,
                                       summed over the devices
  span_ns                              first start to last end of all rows but the categories Trace and overhead
  linked_kernels                       kernels whose non-zero correlation is that of an API row; linked_share is this
                                       number over kernels
A device record with ts 0 and dur 0 was never timed: it counts as a row and stays off the time axis.
A row without category is a cpu op where its pid is "CPU functions" (traces from before Kineto); otherwise it counts
for the span only.

Times are read as decimal text and turned into integer nanoseconds; a digit below the nanosecond is rounded
half up.
"""

import decimal
import gzip
import json
import re
from decimal import Decimal

decimal.getcontext().prec = 60

KERNEL = {"kernel"}
MEMCPY = {"gpu_memcpy", "memcpy"}
MEMSET = {"gpu_memset", "memset"}
CPU_OP = {"cpu_op", "operator"}
API = {"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "runtime", "driver"}
OFF_SPAN = {"trace", "overhead"}
OTHER_ACCELERATORS = ("mtia", "hpu", "xpu", "privateuse1")
LEGACY_OP_PID = "CPU functions"

# A driver entry point may carry its version, a per-thread-stream entry point its suffix.
SUFFIX = r"(_v\d+|_ptsz|_spt)*"
LAUNCH = re.compile(
    r"(cuda(Launch|LaunchKernel(ExC)?|LaunchCooperativeKernel(MultiDevice)?)"
    r"|cu(Launch|LaunchGrid(Async)?|LaunchKernel(Ex)?|LaunchCooperativeKernel(MultiDevice)?)"
    r"|hip(LaunchKernel(ExC)?|ExtLaunchKernel|ExtLaunchMultiKernelMultiDevice|LaunchByPtr"
    r"|(Ext|Hcc)?ModuleLaunch(Cooperative)?Kernel(MultiDevice)?|LaunchCooperativeKernel(MultiDevice)?))"
    + SUFFIX
)
GRAPH_LAUNCH = re.compile(r"(cuda|cu|hip)GraphLaunch" + SUFFIX)
STEP = re.compile(r"ProfilerStep\s*#\s*\d+")

FACTS = (
    "kernels", "memcpys", "memsets", "cpu_ops", "launch_calls", "graph_launches", "steps",
    "kernel_sum_ns", "kernel_busy_ns", "device_busy_ns", "span_ns", "linked_kernels",
)  # fmt: skip
COUNTS = FACTS[:7]
TIMES = FACTS[7:11]
COLUMNS = ("file", "exit", "verdict", *FACTS)


class NotATrace(Exception):
    """The file holds no event array."""


def to_ns(microseconds):
    return int((Decimal(microseconds) * 1000).quantize(Decimal(1), rounding=decimal.ROUND_HALF_UP))


def union_ns(intervals):
    total, reached = 0, None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            reached = start
        if end > reached:
            total += end - reached
            reached = end
    return total


def load_events(path):
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        document = json.loads(data, parse_float=Decimal, strict=False)
    except ValueError as error:
        raise NotATrace(str(error)) from error
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise NotATrace("no traceEvents")
    return [event for event in events if isinstance(event, dict)]


def correlation_of(args):
    value = args.get("correlation")
    return int(value) if value not in (None, "") else 0


def analyse(path):
    """Returns (facts, traits): the integers named in FACTS, and what the expected verdict depends on."""
    facts = dict.fromkeys(FACTS, 0)
    steps, api_correlations, kernel_correlations = set(), set(), []
    kernel_intervals, device_intervals = {}, {}
    first, last = None, None
    traits = {"stacks": False, "shapes": False, "untimed": False, "other_accelerator": False}

    for event in load_events(path):
        if event.get("ph") != "X":
            continue
        category = str(event.get("cat", "")).lower()
        name = str(event.get("name", ""))
        args = event.get("args") or {}
        start = to_ns(event["ts"])
        duration = to_ns(event.get("dur", 0))
        if STEP.fullmatch(name):
            steps.add(name)
        if category in CPU_OP or (not category and event.get("pid") == LEGACY_OP_PID):
            facts["cpu_ops"] += 1
            traits["shapes"] |= any(key.lower() == "input dims" for key in args)
        elif category in API:
            facts["launch_calls"] += bool(LAUNCH.fullmatch(name))
            facts["graph_launches"] += bool(GRAPH_LAUNCH.fullmatch(name))
            api_correlations.add(correlation_of(args))
        traits["stacks"] |= category == "python_function"
        traits["other_accelerator"] |= category.startswith(OTHER_ACCELERATORS)

        on_device = category in KERNEL or category in MEMCPY or category in MEMSET
        timed = not (on_device and start == 0 and duration == 0)
        traits["untimed"] |= not timed
        if on_device:
            device = int(args["device"] if "device" in args else event["pid"])
            if category in KERNEL:
                facts["kernels"] += 1
                facts["kernel_sum_ns"] += duration
                kernel_correlations.append(correlation_of(args))
            else:
                facts["memcpys" if category in MEMCPY else "memsets"] += 1
            if timed:
                interval = (start, start + duration)
                device_intervals.setdefault(device, []).append(interval)
                if category in KERNEL:
                    kernel_intervals.setdefault(device, []).append(interval)
        if timed and category not in OFF_SPAN:
            first = start if first is None else min(first, start)
            last = start + duration if last is None else max(last, start + duration)

    api_correlations.discard(0)
    facts["steps"] = len(steps)
    facts["kernel_busy_ns"] = sum(map(union_ns, kernel_intervals.values()))
    facts["device_busy_ns"] = sum(map(union_ns, device_intervals.values()))
    facts["span_ns"] = last - first if first is not None else 0
    facts["linked_kernels"] = sum(correlation in api_correlations for correlation in kernel_correlations)
    return facts, traits


def expectation(facts, traits):
    """(exit code, verdict or '-' where the definitions leave it open)."""
    if traits["other_accelerator"] and not facts["kernels"]:
        return 3, "refused"
    if facts["launch_calls"] + facts["graph_launches"] and not facts["kernels"]:
        return 3, "unusable"
    if facts["kernels"]:
        barely_linked = facts["linked_kernels"] * 100 < facts["kernels"] * 99
        if barely_linked or traits["untimed"] or traits["stacks"] or traits["shapes"]:
            return 0, "partial"
    return 0, "-"


def expected_row(root, path):
    """One row of expected.tsv, as text by column. A file that is no trace has no facts."""
    row = dict.fromkeys(COLUMNS, "-") | {
        "file": str(path.relative_to(root)),
        "exit": "3",
        "verdict": "refused",
    }
    try:
        facts, traits = analyse(path)
    except NotATrace:
        return row
    code, verdict = expectation(facts, traits)
    return row | {"exit": str(code), "verdict": verdict} | {fact: str(value) for fact, value in facts.items()}
