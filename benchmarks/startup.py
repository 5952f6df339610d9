"""What a short call costs: ``python benchmarks/startup.py [CORPUS]`` (default ``../shared/corpus``).

Processes of their own, started in turn; the least of several runs, in wall-clock and in processor seconds:
``--version`` against a bare interpreter, ``verify`` of one lesson, and of the ten workbooks of AI by Hand in one call.
A figure of one machine on one day: quote the ratio.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

RUNS = 5
CORPUS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "corpus"
TOOL = [sys.executable, "-m", "xlsx_attention"]


def least(call: list[str]) -> tuple[float, float]:
    """Wall-clock and processor seconds of the quickest of some runs."""
    walls, processors = [], []
    for _ in range(RUNS):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls), min(processors)


def main() -> None:
    lesson = CORPUS / "ai-by-hand" / "Self-Attention.xlsx"
    lessons = sorted(map(str, (CORPUS / "ai-by-hand").glob("*.xlsx")))
    calls = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "xlsx-attention --version": [*TOOL, "--version"],
        "verify Self-Attention.xlsx": [*TOOL, "verify", str(lesson)],
        f"verify {len(lessons)} workbooks": [*TOOL, "verify", *lessons],
    }
    base = 0.0
    for name, call in calls.items():
        wall, processor = least(call)
        base = base or processor
        print(f"{name:28} {wall:7.3f} s {processor:7.3f} s of processor {processor / base:7.1f} x a bare interpreter")


if __name__ == "__main__":
    main()
