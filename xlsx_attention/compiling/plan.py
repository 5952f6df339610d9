"""Blocks → plan."""

from __future__ import annotations

from collections.abc import Sequence

from xlsx_attention.compiling.order import order
from xlsx_attention.compiling.owners import Owners
from xlsx_attention.compiling.repairs import find_repairs
from xlsx_attention.compiling.resolve import Names, Resolver
from xlsx_attention.compiling.survey import make_step
from xlsx_attention.model.formula import Block, Call, Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Repair, Step


def compile_plan(grid: WorkbookGrid, blocks: Sequence[Block], names: Names) -> Plan:
    """Resolve, survey and order the blocks of a workbook; ``names`` are its parsed defined names."""
    resolver = Resolver(grid, names)
    trees: list[Tree] = []
    for block in blocks:
        tree = block.form.tree
        if tree is None:
            # No formula by Excel's grammar: lacking, by the reason that the parser gave.
            trees.append(Call(f"formula not understood ({block.form.fault})", ()))
        else:
            trees.append(resolver.resolve(tree, block.sheet, block.rect.top, block.rect.left))
    used = [sheet.cached.used for sheet in grid.sheets]
    steps: tuple[Step, ...] = tuple(
        make_step(i, block, tree, grid, resolver.called, used)
        for i, (block, tree) in enumerate(zip(blocks, trees, strict=True))
    )
    owners = Owners(grid, steps)
    repairs = find_repairs(grid, steps, owners)
    return _planned(steps, owners, resolver.called, repairs)


def with_repairs(grid: WorkbookGrid, plan: Plan, more: Sequence[Repair]) -> Plan:
    """A plan with further cells that their blocks' formulas should fill."""
    repairs = sorted((*plan.repairs, *more), key=lambda repair: (repair.sheet, repair.row, repair.column))
    return _planned(plan.steps, Owners(grid, plan.steps), plan.names, tuple(repairs))


def _planned(steps: tuple[Step, ...], owners: Owners, names: dict[str, Tree], repairs: tuple[Repair, ...]) -> Plan:
    for repair in repairs:
        # From the inputs the block computes the cell, so what reads the cell waits for the block.
        owners.give(repair.sheet, repair.row, repair.column, repair.step)
    edges, tasks, cycles = order(steps, owners, repairs)
    return Plan(steps, tasks, cycles, names, edges, repairs)
