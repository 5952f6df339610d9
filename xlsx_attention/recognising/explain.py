"""A workbook as a short NumPy program: inputs as literals, then one line a step, in running order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Final, TypeAlias

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import AttentionMap, Place
from xlsx_attention.model.values import TEXT
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.inference import suppose
from xlsx_attention.recognising.numpy_functions import Words
from xlsx_attention.recognising.numpy_words import Namespace, Ragged, Writer, literal
from xlsx_attention.recognising.order import ordered
from xlsx_attention.recognising.places import rectangles
from xlsx_attention.recognising.terms import Expr, cells_of, leaves, unpack

Key: TypeAlias = tuple[int, Rect]

#: Roles that are computed; a head's own Q, K and V may be inputs.
COMPUTED: Final = frozenset({"scores", "scaled", "masked", "exp", "normaliser", "weights", "output", "row_max"})
#: A rectangle with more cells than this is written down by its numbers, not by its formula.
LARGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the program: ``name = expression   # comment``; ``rect`` on ``sheet`` holds its values.

    ``more`` are lines that follow and fill ``name`` cell by cell, where its cells have no expression in common.
    """

    name: str
    expression: str
    sheet: int
    rect: Rect
    shape: tuple[int, int]
    comment: str
    more: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        first = f"{self.name} = {self.expression}   # {self.comment}"
        return "\n".join((first, *self.more))


@dataclass(slots=True)
class Program:
    """Names for every rectangle of a workbook, and its lines in running order."""

    grid: WorkbookGrid
    cells: Cells
    attention: AttentionMap
    #: In words, a number typed over a formula leaves its matrix whole; a program that runs needs it as an input.
    meant: bool = False
    space: Namespace = field(default_factory=Namespace)
    computed: list[tuple[int, Rect]] = field(default_factory=list)
    roles: dict[tuple[int, Rect], str] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name, role, place in _named_places(self.attention):
            self._take(place, name, role)
        for other in self.attention.others:
            self._take(other.place, "", other.kind)
        for place in self.attention.unrecognised:
            self._take(place, "", "")
        for step in self.cells.plan.steps:
            if step.block.cells.size <= LARGEST:
                self._take(Place(step.block.sheet, step.block.cells), "", "")
        self._inputs()

    def _take(self, place: Place, name: str, role: str) -> None:
        """Give every rectangle of a place that is still free a name."""
        for number, rect in enumerate(place.rects):
            ids = cells_of(place.sheet, rect)
            if place.rect.size > LARGEST:
                continue
            free = [cell for cell in ids if cell not in self._taken]
            for part in rectangles(free) if free else []:
                whole = part == rect
                wanted = name if name and whole else ""
                if wanted and len(place.rects) > 1:
                    wanted = f"{name}_{number + 1}"
                owned = cells_of(place.sheet, part)
                by_formula = [self._computes(cell) for cell in owned]
                if any(by_formula) and not all(by_formula) and not self.meant:
                    # A number typed among formulas is an input of its own.
                    for flag in (True, False):
                        for mixed in _where(owned, by_formula, flag):
                            self._name(place.sheet, mixed, "", role, computed=flag)
                    continue
                self._name(place.sheet, part, wanted, role, computed=any(by_formula))

    def _computes(self, cell: int) -> bool:
        return self.cells.step_of(cell, mended=False) is not None or cell in self.cells.supposed

    def _name(self, sheet: int, rect: Rect, wanted: str, role: str, *, computed: bool) -> None:
        self._taken.update(cells_of(sheet, rect))
        self.space.add(sheet, rect, wanted or range_name(rect))
        if role:
            self.roles[sheet, rect] = role
        if computed:
            self.computed.append((sheet, rect))

    def _inputs(self) -> None:
        """Whatever formulas read that no formula computes."""
        wanted: set[int] = set()
        for sheet, rect in self.computed:
            for cell in cells_of(sheet, rect):
                body = self.cells.raw(cell)
                wanted.update(() if body is None else leaves(body))
        wanted -= self._taken
        # Texts apart from numbers: a NumPy array is of one kind.
        groups: dict[tuple[int, bool], list[int]] = {}
        for cell in wanted:
            sheet, row, column = unpack(cell)
            groups.setdefault((sheet, self.grid.value(sheet, row, column).kind == TEXT), []).append(cell)
        for (sheet, _), ids in sorted(groups.items()):
            for rect in rectangles(ids):
                self._name(sheet, rect, self._parameter(sheet, rect), "", computed=False)

    def _parameter(self, sheet: int, rect: Rect) -> str:
        """A lone cell that a defined name points at is called by it."""
        if rect.size != 1:
            return ""
        for name in self.grid.names:
            target = name.formula.replace("'", "").replace("$", "")
            usable = name.name.isidentifier() and name.name.isascii() and not iskeyword(name.name.lstrip("_"))
            if usable and target == f"{self.grid.sheets[sheet].name}!{rect.a1}":
                return name.name.lstrip("_") or name.name
        return ""

    # ---- lines

    def lines(self) -> list[Line]:
        """Inputs first, then steps, each after all that it uses."""
        computed = set(self.computed)
        inputs = [self._input(*key) for key in self.space.names if key not in computed]
        inputs.sort(key=lambda line: (line.sheet, line.rect))
        steps: list[Line] = []
        for together in ordered(self._needs()):
            if len(together) == 1:
                steps.append(self._step(*together[0]))
            else:
                steps += self._entangled(together)
        return inputs + steps

    def _needs(self) -> dict[Key, set[Key]]:
        """Rectangle → the other computed rectangles that it uses."""
        known = set(self.computed)
        needs: dict[Key, set[Key]] = {}
        for key in sorted(known):
            used = {self.space.owner(leaf) for cell in cells_of(*key) for leaf in _leaves(self.cells, cell)}
            needs[key] = {owner for owner in used if owner is not None and owner in known and owner != key}
        return needs

    def _entangled(self, keys: list[Key]) -> list[Line]:
        """Rectangles that use cells of each other: all are laid out first, then filled cell by cell in one order."""
        ids = [cell for key in keys for cell in cells_of(*key)]
        fills = self._fills(ids)
        if fills is None:
            return [self._stored(*key) for key in keys]
        lines = [self._zeros(*key) for key in keys]
        return [*lines[:-1], replace(lines[-1], more=tuple(fills))]

    def _comment(self, sheet: int, rect: Rect, note: str = "") -> str:
        place = rect.a1 if len(self.grid.sheets) == 1 else f"{self.grid.sheets[sheet].name}!{rect.a1}"
        size = f"{rect.height}×{rect.width}"
        role = self.roles.get((sheet, rect), "")
        named = self.space.names[sheet, rect]
        extra = role if role and role != named else ""
        return "  ".join(filter(None, (place, size, extra, note))).replace("\n", " ").replace("\r", " ")

    def _input(self, sheet: int, rect: Rect) -> Line:
        name = self.space.names[sheet, rect]
        return Line(name, self._literal(sheet, rect, name), sheet, rect, rect.shape, self._comment(sheet, rect))

    def _literal(self, sheet: int, rect: Rect, name: str) -> str:
        rows = []
        texts = numbers = False
        for row in range(rect.top, rect.bottom):
            line = []
            for column in range(rect.left, rect.right):
                value = self.grid.value(sheet, row, column).python
                if isinstance(value, str):
                    texts = True
                    line.append(repr(value))
                elif value is None:
                    line.append("0")
                else:
                    numbers = True
                    line.append(literal(float(value)))
            rows.append("[" + ", ".join(line) + "]")
        if rect.size == 1 and numbers:
            self.space.scalars.add(name)
            return rows[0][1:-1]
        kind = ", dtype=object" if texts else ", dtype=float"
        return f"np.array([{', '.join(rows)}]{kind})"

    def words(self, sheet: int, rect: Rect) -> Words:
        """The expression of a rectangle; raises :class:`Ragged` where its cells have none in common."""
        ids = cells_of(sheet, rect)
        exprs: list[Expr] = []
        for cell in ids:
            body = self.cells.raw(cell)
            if body is None:
                raise Ragged("a formula that is not followed")
            exprs.append(body)
        own = set(ids)
        if any(leaf in own for expr in exprs for leaf in leaves(expr)):
            raise Ragged("cells that use each other")
        return Writer(self.space).lift(exprs, rect.shape)

    def _step(self, sheet: int, rect: Rect) -> Line:
        name = self.space.names[sheet, rect]
        try:
            words = self.words(sheet, rect)
        except Ragged:
            return self._by_cells(sheet, rect)
        text = words.text
        if words.shape != rect.shape:
            text = f"np.broadcast_to({text}, ({rect.height}, {rect.width}))"
        elif rect.size == 1:
            text = f"np.reshape({text}, (1, 1))"
        return Line(name, text, sheet, rect, rect.shape, self._comment(sheet, rect))

    def _by_cells(self, sheet: int, rect: Rect) -> Line:
        """Cell by cell, each after the cells that it uses; the stored numbers where that cannot be."""
        fills = self._fills(cells_of(sheet, rect))
        return self._stored(sheet, rect) if fills is None else replace(self._zeros(sheet, rect), more=tuple(fills))

    def _zeros(self, sheet: int, rect: Rect) -> Line:
        zeros = f"np.zeros(({rect.height}, {rect.width}))"
        return Line(self.space.names[sheet, rect], zeros, sheet, rect, rect.shape, self._comment(sheet, rect))

    def _fills(self, ids: list[int]) -> list[str] | None:
        """A line for each cell, or ``None`` where one cannot be followed or some go round in a circle."""
        own = set(ids)
        needs = {cell: {leaf for leaf in _leaves(self.cells, cell) if leaf in own} for cell in ids}
        writer = Writer(self.space)
        lines = []
        for together in ordered(needs):
            cell = together[0]
            body = self.cells.raw(cell)
            owner = self.space.owner(cell)
            if len(together) > 1 or cell in needs[cell] or body is None or owner is None:
                return None
            try:
                text = writer.lift([body], (1, 1)).text
            except Ragged:
                return None
            _, row, column = unpack(cell)
            target = f"{self.space.names[owner]}[{row - owner[1].top}, {column - owner[1].left}]"
            lines.append(f"{target} = np.asarray({text}).item()")
        return lines

    def _stored(self, sheet: int, rect: Rect) -> Line:
        name = self.space.names[sheet, rect]
        text = self._literal(sheet, rect, name)
        if name in self.space.scalars:
            self.space.scalars.discard(name)
            text = f"np.array([[{text}]])"
        return Line(name, text, sheet, rect, rect.shape, self._comment(sheet, rect, "stored values"))


def _leaves(cells: Cells, cell: int) -> list[int]:
    body = cells.raw(cell)
    return [] if body is None else leaves(body)


def _where(ids: list[int], flags: list[bool], wanted: bool) -> list[Rect]:
    chosen = [cell for cell, flag in zip(ids, flags, strict=True) if flag == wanted]
    return rectangles(chosen) if chosen else []


def range_name(rect: Rect) -> str:
    """``J14:M16 → "J14_M16"``."""
    return rect.a1.replace(":", "_")


def _named_places(attention: AttentionMap) -> Iterable[tuple[str, str, Place]]:
    """Program name, role and place of all that has a role, copies after what they copy."""
    for found in attention.attentions:
        for role, place in found.shared.items():
            yield role, role, place
        for number, head in enumerate(found.heads, 1):
            suffix = f"_h{number}" if len(found.heads) > 1 else ""
            for role, place in head.roles.items():
                yield role + suffix, role, place
            for role, places in head.copies.items():
                for place in places:
                    turned = place.transposed != head.roles[role].transposed if role in head.roles else False
                    yield f"{role}{'T' if turned else '_copy'}{suffix}", role, place


def explain_program(grid: WorkbookGrid, plan: Plan, attention: AttentionMap) -> list[Line]:
    """The lines that reproduce a workbook's numbers; ``program_text`` makes a script of them."""
    return Program(grid, _with_numbers(grid, plan, attention), attention).lines()


def _with_numbers(grid: WorkbookGrid, plan: Plan, attention: AttentionMap) -> Cells:
    """Cells as their formulas say; where the steps of an attention are bare numbers, as these seem to be computed."""
    sheets = {
        place.sheet
        for found in attention.attentions
        for head in found.heads
        for role, place in head.roles.items()
        if role in COMPUTED and not place.steps
    }
    supposed: dict[int, Expr] = {}
    for sheet in sorted(sheets):
        supposed.update(suppose(sheet, Cells(grid, plan)).supposed)
    return Cells(grid, plan, supposed, mend=False)


def program_text(lines: Iterable[Line]) -> str:
    """A script for a bare interpreter with NumPy."""
    return "\n".join(("import numpy as np", "", *(line.text for line in lines))) + "\n"
