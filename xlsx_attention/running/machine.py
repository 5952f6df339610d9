"""What all blocks of one run share, and what their work costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from xlsx_attention.functions.registry import Area
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.values import Plane

Want = Literal["value", "array"]

#: What one node of a tree costs in elementary operations, however few cells it computes, and what one call of a
#: LAMBDA does.
NODE = 5_000
CALL = 40_000
#: What making one element of an array costs.
ELEMENT = 4
#: An order beyond this that is too large is refused alone.
_SMALL = 20_000_000
#: Nested calls of LAMBDAs: Excel gives up at 1,024 over the number of parameters.
CALL_DEPTH = 120


@dataclass(slots=True)
class Machine:
    """What all blocks of one run share: the workbook, the planes that are read, and the budgets.

    ``planes`` are the cached values ("from its precedents") or what has been computed so far ("from the inputs").
    ``parse`` turns reference text into a tree (INDIRECT); ``on_read`` sees every area that a reference function reads.
    """

    grid: WorkbookGrid
    planes: list[Plane]
    names: dict[str, Tree]
    parse: Callable[[str, int, int], Tree] | None = None
    on_read: Callable[[Area], None] | None = None
    used: list[Rect] = field(default_factory=list)
    formulas: dict[tuple[int, int, int], str] | None = None

    def toil(self, operations: int) -> None:
        """Count elementary operations (a few nanoseconds each); past the workbook's budget no step is computed any
        more.
        """
        wanted = self.grid.spent + operations
        if wanted > self.grid.budgets.work:
            # A large order is refused alone; where even a small one is too much, the budget is spent.
            if operations <= _SMALL:
                self.grid.spent = wanted
            raise self.grid.budgets.refuse_step("work", wanted)
        self.grid.spent = wanted

    @property
    def work(self) -> int:
        """Elementary operations spent on the workbook so far, by all runs."""
        return self.grid.spent

    @work.setter
    def work(self, operations: int) -> None:
        self.grid.spent = operations

    def exhausted(self) -> bool:
        """Whether the workbook's budget is spent."""
        return self.grid.spent > self.grid.budgets.work

    def __post_init__(self) -> None:
        if not self.used:
            self.used = [plane.used for plane in self.planes]


@dataclass(slots=True)
class Spending:
    """What one step has used so far: elements of arrays, calls of LAMBDAs, and how deep in them it is."""

    elements: int = 0
    calls: int = 0
    depth: int = 0
