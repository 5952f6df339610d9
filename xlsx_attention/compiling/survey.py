"""One walk over a block's tree: what it reads, whether it may run as a whole, and what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xlsx_attention.functions.table import lookup, reads_nothing
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Binary, Block, Call, External, Located, NameRef, Single, Spill, Tree, nodes
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Read, Step

#: Functions whose references are known only when they run.
_FOLLOWS_TEXT = frozenset({"OFFSET", "INDIRECT"})


@dataclass(slots=True)
class Survey:
    reads: dict[tuple[int, Rect], Read] = field(default_factory=dict)
    vectorised: bool = True
    growing_rows: bool = False
    growing_columns: bool = False
    volatile: bool = False
    external: bool = False
    dynamic: bool = False
    lacking: list[str] = field(default_factory=list)


def make_step(
    index: int,
    block: Block,
    tree: Tree,
    grid: WorkbookGrid,
    names: dict[str, Tree],
    used: Sequence[Rect] | None = None,
) -> Step:
    """Survey the resolved ``tree`` of ``block``; ``used`` are the used ranges of the sheets, where they are known."""
    if used is None:
        used = [sheet.cached.used for sheet in grid.sheets]
    survey = Survey()
    seen: set[str] = set()
    stack = [tree]
    placed: set[int] = set()
    while stack:
        for node in nodes(stack.pop()):
            if isinstance(node, Located):
                _located(node, block, used, survey, reads=id(node) not in placed)
            elif isinstance(node, External):
                survey.external = True
            elif isinstance(node, Spill):
                survey.vectorised = False
                _spill(node, block, grid, survey)
            elif isinstance(node, Single):
                survey.vectorised = survey.vectorised and isinstance(node.operand, Located)
            elif isinstance(node, Binary) and node.op in (":", " "):
                survey.vectorised = False
                survey.dynamic = survey.dynamic or node.op == ":"
            elif isinstance(node, Call):
                _call(node, survey)
                if reads_nothing(node):
                    placed.update(map(id, node.args))
            elif isinstance(node, NameRef) and node.name in names:
                if node.name in seen:
                    survey.vectorised = False
                else:
                    seen.add(node.name)
                    stack.append(names[node.name])
    return Step(
        index,
        block,
        tree,
        tuple(survey.reads.values()),
        survey.vectorised,
        survey.growing_rows,
        survey.growing_columns,
        survey.volatile,
        survey.external,
        survey.dynamic,
        tuple(dict.fromkeys(survey.lacking)),
        snaps=isinstance(tree, Binary) and tree.op in "+-" and not _in_parentheses(block.form.r1c1),
    )


def _call(node: Call, survey: Survey) -> None:
    row = lookup(node.name)
    if row is None:
        survey.lacking.append(node.name)
        return
    survey.vectorised = survey.vectorised and row.vectorised
    survey.volatile = survey.volatile or (row.volatile and node.name not in _FOLLOWS_TEXT)
    survey.dynamic = survey.dynamic or node.name in _FOLLOWS_TEXT


def _located(node: Located, block: Block, used: Sequence[Rect], survey: Survey, reads: bool) -> None:
    reference = node.reference
    if reference.top.absolute != reference.bottom.absolute:
        survey.growing_rows = True
    if reference.left.absolute != reference.right.absolute:
        survey.growing_columns = True
    if not reads:
        return
    rect = block.rect
    first = reference.at(rect.top, rect.left)
    last = first if rect.size == 1 else reference.at(rect.bottom - 1, rect.right - 1)
    if first is None or last is None:
        return
    whole = first if first is last else first.union(last)
    for sheet in node.sheets:
        # What lies behind the used range is empty and no step computes it.
        inside = whole.intersection(used[sheet])
        if inside is not None:
            survey.reads.setdefault((sheet, inside), Read(sheet, inside, reference))


def _spill(node: Spill, block: Block, grid: WorkbookGrid, survey: Survey) -> None:
    if not isinstance(node.operand, Located):
        survey.dynamic = True
        return
    reference = node.operand.reference
    sheet = node.operand.sheets[0]
    for row, column in block.rect.cells():
        anchor = reference.at(row, column)
        found = None if anchor is None else grid.sheets[sheet].arrays.get((anchor.top, anchor.left))
        if found is not None:
            survey.reads.setdefault((sheet, found.rect), Read(sheet, found.rect, reference))


def _in_parentheses(text: str) -> bool:
    """Whether one pair of parentheses holds the whole formula: Excel then keeps a tiny difference as it is."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    quoted = ""
    for position, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                return position == len(text) - 1
    return False
