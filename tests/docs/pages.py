"""The pages that people read, taken apart: fenced blocks, the commands in them, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
COMMAND = "xlsx-attention"

_FENCE = re.compile(r"^```(\w*)\s*$")
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines, and the number of its first line."""

    language: str
    lines: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def pages() -> list[Path]:
    """Every page for readers."""
    found = [*PROJECT.glob("*.md"), *PROJECT.glob("docs/*.md"), PROJECT / "workbooks" / "README.md"]
    return sorted(found, key=lambda page: page.relative_to(PROJECT).as_posix())


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    language, start, lines = "", 0, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and lines is None:
            language, start, lines = fence[1], number + 1, []
        elif line == "```" and lines is not None:
            found.append(Block(language, tuple(lines), start))
            lines = None
        elif lines is not None:
            lines.append(line)
    assert lines is None, f"{page}: a fence is not closed"
    return found


def shell_lines(block: Block) -> list[str]:
    """The commands of a block: lines that end with a backslash go on, ``&&`` joins several."""
    text = block.text.replace("\\\n", " ")
    return [part.strip() for line in text.splitlines() for part in line.split(" && ") if part.strip()]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    shown, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            shown.append(line)
    return "\n".join(shown)


def arguments(line: str) -> tuple[list[str], str | None] | None:
    """Arguments of a call of the tool, and the file that its output goes to; ``None`` for another program's line."""
    words = shlex.split(line, comments=True)
    if not words or Path(words[0]).name != COMMAND:
        return None
    if ">" in words:
        at = words.index(">")
        return words[1:at], words[at + 1]
    return words[1:], None


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """Every call of the tool on a page, in fenced and in indented blocks: line of its block, arguments."""
    for block in blocks(page):
        if block.language == "sh":
            for line in shell_lines(block):
                call = arguments(line)
                if call is not None:
                    yield block.line, call[0]
    for line in prose(page).splitlines():
        if line.startswith("    " + COMMAND):
            call = arguments(line.strip())
            assert call is not None
            yield 0, call[0]


def inline(page: Path) -> list[str]:
    """Code within the text."""
    return _INLINE.findall(prose(page))


def links(page: Path) -> list[str]:
    """Where the links of a page lead, those to other sites left out."""
    return [link for link in _LINK.findall(prose(page)) if not re.match(r"[a-z]+:", link)]


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading."""
    text = prose(page).split(f"\n{heading}\n", 1)
    assert len(text) == 2, f"{page}: no heading {heading!r}"
    table: list[list[str]] = []
    for line in text[1].splitlines():
        if line.startswith("|"):
            table.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])])
        elif table or line.startswith("#"):
            break
    assert table, f"{page}: no table under {heading!r}"
    return table[2:]
