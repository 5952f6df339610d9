"""Cells unlike their block: a number typed over a formula, or a formula that is not its neighbours'.

A cell is only taken for a hole where its surroundings leave little doubt, since an accusation of a right cell costs
more than anything else: it lies inside the rectangle that cells of one relative form fill but for at most a quarter,
or at the end of a line of them that another block reads, or is read, one cell longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from xlsx_attention.compiling.clusters import bounds_of, clusters, split, strange_cells
from xlsx_attention.compiling.meant import Varying, fillers, on_diagonals, skeleton, starts_anew
from xlsx_attention.compiling.owners import Owners
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Located, Tree, nodes
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Repair, Step
from xlsx_attention.model.values import EMPTY, NUMBER, TEXT

#: A rectangle with more strange cells than this share is no block with holes.
HOLES = 0.25
#: Fragments of one form beyond which a sheet is too ragged to speak of holes.
FRAGMENTS = 2_000
#: Holes of one cluster beyond which they are its habit.
MOST_HOLES = 2_000


def find_repairs(grid: WorkbookGrid, steps: Sequence[Step], owners: Owners) -> tuple[Repair, ...]:
    """Every cell that its block's formula should fill and does not; see the module's text for what counts."""
    families: dict[tuple[int, str], list[Step]] = defaultdict(list)
    for step in steps:
        if step.block.spill is None and step.block.form.tree is not None and _moves(step.tree):
            families[step.block.sheet, step.block.form.r1c1].append(step)
    search = _Search(grid, steps, owners, defaultdict(list))
    for step in steps:
        for read in step.reads:
            search.readers[read.sheet, read.rect].append(step.index)
    found: dict[tuple[int, int, int], Repair] = {}
    for family in families.values():
        if sum(step.block.rect.size for step in family) < 2 or len(family) > FRAGMENTS:
            continue
        for cluster in (part for whole in clusters(family) for part in split(whole)):
            for repair in search.holes(cluster):
                key = (repair.sheet, repair.row, repair.column)
                known = found.get(key)
                # The larger family has the say where two claim one cell.
                if known is None or steps[known.step].block.rect.size < steps[repair.step].block.rect.size:
                    found[key] = repair
    for cell in on_diagonals(grid, [cell for cell, repair in found.items() if repair.own is None]):
        del found[cell]
    # A cell cannot both be strange and set the standard for a neighbour.
    odd = {repair.own for repair in found.values() if repair.own is not None}
    return tuple(
        found[key] for key in sorted(found) if found[key].step not in odd or steps[found[key].step].block.rect.size > 1
    )


class _Search:
    def __init__(
        self,
        grid: WorkbookGrid,
        steps: Sequence[Step],
        owners: Owners,
        readers: defaultdict[tuple[int, Rect], list[int]],
    ) -> None:
        self.grid = grid
        self.steps = steps
        self.owners = owners
        self.readers = readers
        self.varying = Varying(steps)
        #: The cluster that was asked about last, how many cells it has, and the edges of its members.
        self._family: tuple[list[Step] | None, int] = (None, 0)
        self._edges: npt.NDArray[np.int64] = np.zeros((4, 0), np.int64)
        self._corner = (0, 0)

    def holes(self, cluster: list[Step]) -> list[Repair]:
        sheet = cluster[0].block.sheet
        bounds = bounds_of(cluster)
        cells = sum(step.block.rect.size for step in cluster)
        strange = bounds.size - cells
        if strange == 0:
            return self._ends(cluster, bounds)
        if strange > HOLES * bounds.size:
            return self._without_fillers(cluster, bounds, self._strips(cluster), ragged=True)
        if strange > MOST_HOLES:
            return []
        line = min(bounds.shape) == 1
        places = [(bounds.top + int(i), bounds.left + int(j)) for i, j in np.argwhere(strange_cells(cluster, bounds))]
        if len(places) > 2 and _on_a_diagonal(places):
            return []
        found = []
        for row, column in places:
            repair = self._judge(cluster, sheet, row, column, similar=line)
            if repair is not None:
                found.append(repair)
        return self._without_fillers(cluster, bounds, found, ragged=False)

    def _without_fillers(self, cluster: list[Step], bounds: Rect, found: list[Repair], ragged: bool) -> list[Repair]:
        """Without the cells that hold what fills the other strange cells as well."""
        typed = [repair for repair in found if repair.own is None]
        if not typed or bounds.size > 1_000_000:
            return found
        sheet = cluster[0].block.sheet
        places = ((bounds.top + int(i), bounds.left + int(j)) for i, j in np.argwhere(strange_cells(cluster, bounds)))
        filling = fillers(self.grid, sheet, (p for p in places if self.owners.of(sheet, *p) < 0), ragged)
        value = self.grid.sheets[sheet].cached.get
        return [r for r in found if r.own is not None or value(r.row, r.column)[0] not in filling]

    def _strips(self, cluster: list[Step]) -> list[Repair]:
        """No block as a whole, but its columns (or rows) may be lines of their own."""
        found: dict[tuple[int, int], Repair] = {}
        for upright in (True, False):
            strips: dict[tuple[int, int], list[Step]] = defaultdict(list)
            for step in cluster:
                rect = step.block.rect
                strips[(rect.left, rect.right) if upright else (rect.top, rect.bottom)].append(step)
            if len(strips) == 1:
                continue
            for strip in strips.values():
                if sum(step.block.rect.size for step in strip) > 2:
                    for repair in self.holes(strip):
                        found.setdefault((repair.row, repair.column), repair)
        return list(found.values())

    def _judge(self, cluster: list[Step], sheet: int, row: int, column: int, similar: bool) -> Repair | None:
        nearest = cluster[self._nearest(cluster, row, column)]
        own = self.owners.of(sheet, row, column)
        number, kind = self.grid.sheets[sheet].cached.get(row, column)
        if own < 0:
            if kind == TEXT and parse_number(self.grid.texts[number]) is None:
                return None
            if kind not in (NUMBER, TEXT):
                return None
            if kind == NUMBER and starts_anew(self.grid, nearest, *self._corner, row, column):
                return None
        else:
            other = self.steps[own].block
            family = self._family[1]
            if other.spill is not None or (other.rect.size > 1 and other.rect.size * 20 > family):
                return None
            if similar and skeleton(self.steps[own].tree) != skeleton(nearest.tree):
                return None
            if self.varying.habit(self.steps[own], nearest):
                return None
        if not has_precedents(self.grid, self.owners, nearest, row, column):
            return None
        return Repair(sheet, row, column, nearest.index, None if own < 0 else own)

    def _nearest(self, cluster: list[Step], row: int, column: int) -> int:
        """The position of the member that lies nearest, the first of those at one distance."""
        if self._family[0] is not cluster:
            rects = [step.block.rect for step in cluster]
            self._edges = np.array([(rect.top, rect.left, rect.bottom, rect.right) for rect in rects]).T
            self._corner = (int(self._edges[0].min()), int(self._edges[1].min()))
            self._family = (cluster, sum(rect.size for rect in rects))
        top, left, bottom, right = self._edges
        zero = np.int64(0)
        down = np.maximum(np.maximum(top - row, row - bottom + 1), zero)
        across = np.maximum(np.maximum(left - column, column - right + 1), zero)
        return int((down + across).argmin())

    def _ends(self, cluster: list[Step], bounds: Rect) -> list[Repair]:
        """The cell before or after a full line of cells, where other blocks show that the line is one longer."""
        if min(bounds.shape) != 1 or bounds.size < 2:
            return []
        sheet = cluster[0].block.sheet
        upright = bounds.width == 1
        found = []
        for end in (-1, 1):
            if upright:
                row, column = (bounds.top - 1 if end < 0 else bounds.bottom), bounds.left
            else:
                row, column = bounds.top, (bounds.left - 1 if end < 0 else bounds.right)
            if row < 0 or column < 0:
                continue
            whole = bounds.union(Rect.cell(row, column))
            if self._seeds(cluster, row, column) or not self._evidence(cluster, whole, upright):
                continue
            repair = self._judge(cluster, sheet, row, column, similar=True)
            if repair is not None:
                found.append(repair)
        return found

    def _seeds(self, cluster: list[Step], row: int, column: int) -> bool:
        """Whether the line grows out of the cell: the first value of a recurrence is an input."""
        return any(
            read.sheet == step.block.sheet and read.rect.contains(row, column)
            for step in cluster
            for read in step.reads
        )

    def _evidence(self, cluster: list[Step], whole: Rect, upright: bool) -> bool:
        sheet = cluster[0].block.sheet
        members = {step.index for step in cluster}
        if any(reader not in members for reader in self.readers.get((sheet, whole), ())):
            return True
        for read in (read for step in cluster for read in step.reads):
            bound = read.reference.top if upright else read.reference.left
            if bound.absolute:
                continue
            for owner in self.owners.within(read.sheet, read.rect):
                block = self.steps[owner].block
                span = block.cells
                shift = bound.index
                if upright:
                    matches = (span.top, span.bottom) == (whole.top + shift, whole.bottom + shift)
                else:
                    matches = (span.left, span.right) == (whole.left + shift, whole.right + shift)
                if matches and owner not in members:
                    return True
        return False


def has_precedents(grid: WorkbookGrid, owners: Owners, step: Step, row: int, column: int) -> bool:
    """Whether the block's formula, put into the cell, finds numbers where the block's own cells find them."""
    rect = step.block.rect
    for node in _located(step.tree):
        here = node.reference.at(row, column)
        there = node.reference.at(rect.top, rect.left)
        if here is None or there is None:
            return False
        for sheet in node.sheets:
            plane = grid.sheets[sheet].cached
            if here.size > 100_000:
                continue
            found, usual = plane.read(here)[1], plane.read(there)[1]
            if (usual == NUMBER).all() and not (found == NUMBER).all() and not owners.within(sheet, here):
                return False
            if (usual != EMPTY).any() and not (found != EMPTY).any():
                return False
    return True


def _located(tree: Tree) -> list[Located]:
    return [node for node in nodes(tree) if isinstance(node, Located)]


def _moves(tree: Tree) -> bool:
    """Whether a formula depends on where it stands: without a relative reference its copies are no pattern."""
    for node in _located(tree):
        reference = node.reference
        if not all(b.absolute for b in (reference.top, reference.left, reference.bottom, reference.right)):
            return True
    return False


def _on_a_diagonal(places: list[tuple[int, int]]) -> bool:
    return len({row - column for row, column in places}) == 1 or len({row + column for row, column in places}) == 1
