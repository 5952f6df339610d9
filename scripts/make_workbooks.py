"""Write the workbooks of the folder ``workbooks/`` anew, and what its README says of them.

    python scripts/make_workbooks.py [FOLDER]

The same script gives the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xlsx_attention.generating import generate  # noqa: E402
from xlsx_attention.model.example import ExampleSpec  # noqa: E402

COURSE = ROOT / "workbooks" / "course-reconstruction.json"
README = """\
# Workbooks

Lessons to open, to check and to change. `python scripts/make_workbooks.py` writes them anew, to the same bytes.

| workbook | what to look at |
|---|---|
{rows}

Two files of data stand beside them: `course-reconstruction.json` holds the inputs of the course example, fitted so that
every figure comes out that the course prints; `course-published.json` holds those figures with their printed decimals.

    xlsx-attention verify workbooks/course-self-attention.xlsx --published workbooks/course-published.json
    xlsx-attention verify workbooks/find-the-mistake.xlsx
"""


@dataclass(frozen=True)
class Shown:
    """One entry of the gallery: the files are ``name``.xlsx and, for exercises and mistakes, one beside it."""

    name: str
    spec: Callable[[], ExampleSpec]
    look: tuple[str, ...]  # one line for each file


def course() -> ExampleSpec:
    """The course's own example: five tokens, two of them padding, eight features."""
    data = json.loads(COURSE.read_text(encoding="utf-8"))
    tensors = {name: data[name] for name in ("X", "W_q", "W_k", "W_v", "mask")}
    return ExampleSpec(tokens=data["tokens"], tensors=tensors, name="self-attention")


def english(**fields: object) -> ExampleSpec:
    """A sentence in English with the options of one entry."""
    return ExampleSpec(**{"tokens": "I love AI", "lang": "en", "d_model": 4, **fields})  # type: ignore[arg-type]


GALLERY = (
    Shown(
        "course-self-attention",
        course,
        ("The course example, one formula a cell. The weights of both `<PAD>` columns are exactly 0.",),
    ),
    Shown(
        "english-sentence",
        lambda: english(tokens="The cat sat on the mat", length=8, seed=3),
        ("A sentence of six words, padded to eight: the same steps at another size, labels in English.",),
    ),
    Shown(
        "embedding",
        lambda: english(embedding=True, length=4, seed=4),
        ("One lesson earlier: token ids, an embedding table and positions make X, which is no input any more.",),
    ),
    Shown(
        "multi-head",
        lambda: ExampleSpec(heads=2, w_o=True, bias=True, length=4, d_model=6, seed=5),
        ("Two heads with biases, their outputs side by side, and W_o.",),
    ),
    Shown(
        "causal",
        lambda: english(mask="causal", tokens="we look back only", seed=6),
        ("A causal mask: the upper triangle of the weights is 0, and the first token sees itself alone.",),
    ),
    Shown(
        "tokens-in-columns",
        lambda: ExampleSpec(layout="columns", length=4, d_model=4, seed=7),
        ("Tokens in columns, W·X instead of X·W: every block lies turned over, and softmax runs down.",),
    ),
    Shown(
        "dynamic-arrays",
        lambda: english(style="spill", length=4, seed=8),
        ("One formula a block, which spills (Excel 365): the scores are `=MMULT(H20#,TRANSPOSE(N20#))`.",),
    ),
    Shown(
        "softmax-as-a-function",
        lambda: english(style="lambda", length=4, seed=9),
        ("SOFTMAX as a named LAMBDA (Excel 365): see Formulas > Name Manager.",),
    ),
    Shown(
        "four-lessons",
        lambda: english(lessons=("attention", "multihead", "causal", "cross"), length=4, seed=10),
        ("Self-attention, two heads, a causal mask and cross-attention, one sheet each. Change X on the first sheet.",),
    ),
    Shown(
        "exercise",
        lambda: ExampleSpec(exercise=True, length=4, d_model=4, seed=11),
        (
            "An exercise: fill the yellow cells. ✓, ✗ and … beside them say how far you are, and nothing else is open.",
            "Its key, cell by cell.",
        ),
    ),
    Shown(
        "find-the-mistake",
        lambda: ExampleSpec(
            mistakes=3,
            kinds=("wrong-range", "formula-unlike-its-block", "pasted-value"),
            length=4,
            d_model=4,
            seed=12,
        ),
        (
            "Three planted mistakes, each in one cell. Find them by eye, then let `xlsx-attention verify` find them.",
            "What is wrong, where, and what belongs there.",
        ),
    ),
)


def main(folder: Path) -> None:
    """Write the gallery and its README."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for shown in GALLERY:
        paths = generate(shown.spec(), folder / f"{shown.name}.xlsx")
        rows += [f"| `{path.name}` | {look} |" for path, look in zip(paths, shown.look, strict=True)]
    (folder / "README.md").write_text(README.format(rows="\n".join(rows)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "workbooks")
