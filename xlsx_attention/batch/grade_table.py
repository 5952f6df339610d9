"""``grades.csv``: one line a student, for a gradebook."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from xlsx_attention.batch.rows import Row
from xlsx_attention.batch.summary_csv import Value, to_csv

_FIXED = ("student", "file", "points", "out of", "percent", "status", "slips", "changed inputs", "reasons")
#: Reasons in one field of the table; the feedback page has all.
REASONS = 5


@dataclass(slots=True)
class GradeTable:
    """Gathers the grades of a batch; a step of the key is a column."""

    rows: list[dict[str, Value]] = field(default_factory=list)
    steps: dict[str, None] = field(default_factory=dict)

    def add(self, row: Row, record: dict[str, Any]) -> None:
        grade = record.get("grade")
        line: dict[str, Value] = {"file": row.name, "status": row.status}
        if grade is None:
            line["reasons"] = row.reason
        else:
            reasons = [
                f"{step['name']} {reason['cell']}: {reason['text']}"
                for step in grade["steps"]
                for reason in step["reasons"]
            ]
            line |= {
                "points": row.points,
                "out of": row.out_of,
                "percent": None if row.score is None else round(100 * row.score, 2),
                "slips": sum(bool(step["reasons"]) for step in grade["steps"] if not step["aside"]),
                "changed inputs": grade["changed_inputs"],
                "reasons": "; ".join(reasons[:REASONS])
                + (f"; and {len(reasons) - REASONS} more" if len(reasons) > REASONS else ""),
            }
            for step in grade["steps"]:
                if step["aside"]:
                    continue  # no points: no column of a gradebook
                name = f"{step['name']} ({step['out_of']:g})"
                self.steps.setdefault(name)
                line[name] = step["points"]
        self.rows.append(line)

    def render(self) -> str:
        header = [*_FIXED[:-1], *self.steps, _FIXED[-1]]
        names = students([str(line["file"]) for line in self.rows])
        for line, name in zip(self.rows, names, strict=True):
            line["student"] = name
        return to_csv(header, [[line.get(column) for column in header] for line in self.rows])


def students(files: list[str]) -> list[str]:
    """Who handed in each file: the file's own name, or its folder's where files are called alike, or the whole path."""
    found = [""] * len(files)
    for name in (_stem, _folder, str):
        counts = Counter(name(file) for file in files)
        found = [
            known or (name(file) if counts[name(file)] == 1 else "") for known, file in zip(found, files, strict=True)
        ]
    return [known or file for known, file in zip(found, files, strict=True)]


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _folder(file: str) -> str:
    return file.rsplit("/", 2)[-2] if file.count("/") else file
