"""How much a file may cost: every limit with its default, its strict value and the option that raises it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from xlsx_attention.errors import NotComputed, UnreadableFile

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


def _limit(own: int, strict: int, option: str, what: str, unit: str = "") -> Any:
    return field(default=own, metadata={"strict": strict, "option": option, "what": what, "unit": unit})


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits on one workbook. ``Budgets()`` is meant for one's own files, :meth:`batch` for files from anyone.

    A limit is checked while the work is done (bytes are counted as they are inflated), never against a size that the
    file claims for itself.
    """

    file_bytes: int = _limit(GIB, 256 * MIB, "--max-file", "the file on disk", "bytes")
    part_bytes: int = _limit(512 * MIB, 64 * MIB, "--max-part", "one inflated part", "bytes")
    total_bytes: int = _limit(2 * GIB, 256 * MIB, "--max-total", "all inflated parts together", "bytes")
    ratio: int = _limit(200, 200, "--max-ratio", "inflated to stored size of a part over 1 MiB")
    parts: int = _limit(2_000, 2_000, "--max-parts", "parts in the file")
    xml_depth: int = _limit(100, 100, "--max-depth", "nested XML elements")
    elements: int = _limit(100_000_000, 8_000_000, "--max-elements", "XML elements of one part")
    cells: int = _limit(16_000_000, 2_000_000, "--max-cells", "filled cells")
    formulas: int = _limit(8_000_000, 500_000, "--max-formulas", "formulas")
    formula_length: int = _limit(8_192, 8_192, "--max-formula-length", "characters in a formula")
    formula_levels: int = _limit(64, 64, "--max-formula-levels", "nested calls in a formula")
    formula_arguments: int = _limit(255, 255, "--max-formula-arguments", "arguments of a call")
    blocks: int = _limit(100_000, 20_000, "--max-blocks", "blocks of unlike formulas")
    characters: int = _limit(16_000_000, 1_000_000, "--max-characters", "characters of unlike formulas together")
    names: int = _limit(50_000, 10_000, "--max-names", "defined names")
    sheets: int = _limit(2_000, 2_000, "--max-sheets", "sheets")
    links: int = _limit(20_000_000, 2_000_000, "--max-links", "dependencies between blocks or cells")
    array_elements: int = _limit(1 << 25, 1 << 23, "--max-array", "elements of the arrays that one step needs")
    call_steps: int = _limit(100_000, 20_000, "--max-steps", "LAMBDA and name calls of one step")
    texts: int = _limit(1 << 28, 1 << 26, "--max-texts", "characters of computed texts")
    work: int = _limit(200_000_000_000, 4_000_000_000, "--max-work", "elementary operations of all formulas")

    #: A part smaller than this may be compressed as well as it likes.
    RATIO_FLOOR: ClassVar[int] = MIB

    @classmethod
    def batch(cls) -> Budgets:
        """The strict limits, for files that come from anyone."""
        return cls(**{limit.name: limit.metadata["strict"] for limit in fields(cls)})

    @classmethod
    def option(cls, name: str) -> str:
        """The command-line option that raises the limit ``name``."""
        return str(_LIMITS[name]["option"])

    def over(self, name: str, found: int, where: str) -> UnreadableFile:
        """The refusal of a file for a limit that was passed: what was found, the limit, the option that raises it."""
        return UnreadableFile("over-budget", self._sentence(name, found), where=where)

    def refuse_step(self, name: str, found: int) -> NotComputed:
        """The same for one step alone: its cells are not computed, the sheet goes on."""
        return NotComputed("over-budget", self._sentence(name, found))

    def _sentence(self, name: str, found: int) -> str:
        limit = _LIMITS[name]
        show = _bytes if limit["unit"] == "bytes" else _count
        return (
            f"{limit['what']}: found {show(found)} or more, the limit is {show(getattr(self, name))}; "
            f"raise it with {limit['option']} if you trust this file"
        )


_LIMITS = {limit.name: limit.metadata for limit in fields(Budgets)}


def limits() -> Iterator[tuple[str, int, int, str, str, str]]:
    """Every limit as (name, default, strict, option, what it limits, unit)."""
    own, strict = Budgets(), Budgets.batch()
    for name, limit in _LIMITS.items():
        yield name, getattr(own, name), getattr(strict, name), limit["option"], limit["what"], limit["unit"]


def _count(number: int) -> str:
    return f"{number:,}"


def _bytes(number: int) -> str:
    for size, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if number >= size:
            return f"{number / size:.4g} {unit}"
    return f"{number} bytes"
