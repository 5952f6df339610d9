"""Write the workbooks of the folder ``workbooks/`` anew. The same script gives the same bytes.

python scripts/make_workbooks.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xlsx_attention.generating import generate  # noqa: E402
from xlsx_attention.model.example import ExampleSpec  # noqa: E402

COURSE = ROOT / "workbooks" / "course-reconstruction.json"


def course() -> ExampleSpec:
    """The course's own example: five tokens, two of them padding, eight features."""
    data = json.loads(COURSE.read_text(encoding="utf-8"))
    tensors = {name: data[name] for name in ("X", "W_q", "W_k", "W_v", "mask")}
    return ExampleSpec(tokens=data["tokens"], tensors=tensors, name="self-attention")


GALLERY = {
    "course-self-attention.xlsx": course,
}


def main(folder: Path) -> None:
    for name, spec in GALLERY.items():
        for path in generate(spec(), folder / name):
            print(path.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "workbooks")
