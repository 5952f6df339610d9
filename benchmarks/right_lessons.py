"""200 right lessons of every make through the whole tool: how many are blamed for something (none may be).

python benchmarks/right_lessons.py [COUNT] [SEED]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.comparing.planting import accused
from tests.comparing.variants import variants
from xlsx_attention.generating import generate
from xlsx_attention.pipeline import verify_file


def main(count: int = 200, seed: int = 1) -> int:
    started, blamed, heads = time.perf_counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for spec in variants(count, seed):
            [path] = generate(spec, Path(folder) / "lesson.xlsx")
            report = verify_file(path)
            heads += sum(len(attention.heads) for attention in report.attention.attentions)
            found = list(accused(report))
            if found:
                blamed += 1
                print(spec, found)
    print(f"{count} right lessons, {heads} heads: {blamed} blamed; {time.perf_counter() - started:.0f} s")
    return blamed > 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
