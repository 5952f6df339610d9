"""``python -m tests.security.measure [--write]``: the table with what each hazard cost, printed or put into
SECURITY.md."""

from __future__ import annotations

import platform
import sys
import tempfile
import warnings
from pathlib import Path

from tests.security.hazards import HAZARDS
from tests.security.judge import complaint, verify
from tests.security.workshop import PROJECT, Workshop
from xlsx_attention.cli.limits import table as limits_table

PAGE = PROJECT / "SECURITY.md"
HAZARDS_MARK, LIMITS_MARK = (
    ("<!-- hazards -->", "<!-- end of hazards -->"),
    ("<!-- limits -->", "<!-- end of limits -->"),
)


def between(page: str, marks: tuple[str, str]) -> str:
    """What stands between two marks."""
    return page.split(marks[0])[1].split(marks[1])[0]


def cells(text: str) -> str:
    """A text as a cell of a Markdown table, on one line and without markup."""
    return (
        "".join(c if c.isprintable() else "·" for c in text)
        .replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("<", "&lt;")
    )


def limits() -> str:
    """The limits as they stand in the page."""
    return f"\n```\n{limits_table()}\n```\n"


def main() -> None:
    """Run every hazard; exit code 1 where one is not as its row says."""
    warnings.filterwarnings("ignore", "Duplicate name")
    lines = ["", "| section | hazard | outcome | peak MiB | seconds |", "|---|---|---|---:|---:|"]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder))
        for hazard in HAZARDS:
            run = verify(shop, hazard)
            fault = complaint(hazard, run)
            bad += bool(fault)
            line = f"| {hazard.section} | {cells(hazard.name)} | {cells(str(hazard.outcome))} | {run.peak >> 20} | {run.seconds:.1f} |"  # noqa: E501
            lines.append(line)
            print(line + (f"  NOT SO: {fault}" if fault else ""), flush=True)
        shop.close()
    print(
        f"{len(HAZARDS)} hazards, {bad} not as they should be; {platform.machine()}, Python {platform.python_version()}"
    )
    if "--write" in sys.argv and not bad:
        page = PAGE.read_text("utf-8")
        for marks, text in ((HAZARDS_MARK, "\n".join([*lines, ""])), (LIMITS_MARK, limits())):
            page = page.replace(marks[0] + between(page, marks) + marks[1], marks[0] + text + marks[1])
        PAGE.write_text(page, "utf-8")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
