"""What is to be computed, in which order: the compiled form of a workbook's formulas."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Block, FormulaForm, Reference, Tree


@dataclass(frozen=True, slots=True)
class Read:
    """All cells of one sheet that a step reads through one reference, for the whole block together."""

    sheet: int
    rect: Rect
    reference: Reference


@dataclass(frozen=True, slots=True)
class Step:
    """One block, ready to run.

    ``tree`` is the block's tree with names, tables and sheets resolved. ``vectorised`` says that the whole block may
    run at once; ``growing_rows``/``growing_columns`` that a range in it grows along that axis (``$A$1:A5``), so that
    it runs line by line. ``volatile``, ``external``: what the formula itself contains. ``lacking``: functions that
    the engine does not have.
    """

    index: int
    block: Block
    tree: Tree
    reads: tuple[Read, ...]
    vectorised: bool = True
    growing_rows: bool = False
    growing_columns: bool = False
    volatile: bool = False
    external: bool = False
    dynamic: bool = False
    lacking: tuple[str, ...] = ()
    snaps: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """A cell that does not hold its block's formula although it lies in the block.

    ``step`` is the block's step (its tree is what the cell should compute), ``own`` the step of the formula that it
    holds instead, ``None`` for a constant.
    """

    sheet: int
    row: int
    column: int
    step: int
    own: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A part of a step that can run at once, after all tasks before it."""

    step: int
    rect: Rect


@dataclass(slots=True)
class Plan:
    """``tasks`` are in running order for "from the inputs"; cells on cycles are in ``cycles`` and in no task.

    ``names`` holds LAMBDAs and other names that are called or passed by name, by their resolved key. ``edges`` maps
    a step to the steps that it reads.
    """

    steps: tuple[Step, ...]
    tasks: tuple[Task, ...] = ()
    cycles: tuple[tuple[tuple[int, int, int], ...], ...] = ()
    names: dict[str, Tree] = field(default_factory=dict)
    edges: dict[int, frozenset[int]] = field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()

    def form(self, step: int) -> FormulaForm:
        return self.steps[step].block.form

    def readers(self) -> dict[int, list[int]]:
        """A step → the steps that read it: ``edges`` turned round. What nobody reads is left out."""
        found: dict[int, list[int]] = {}
        for index, before in self.edges.items():
            for precedent in before:
                found.setdefault(precedent, []).append(index)
        return found
