"""Faults of method: blocks that consistently compute something else than their role asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from xlsx_attention.comparing.cell_causes import CellCauses
from xlsx_attention.comparing.deviations import deviations
from xlsx_attention.comparing.given import Given, alike, each_alike
from xlsx_attention.comparing.left_out import left_out
from xlsx_attention.comparing.matrices import Matrices, Sheets
from xlsx_attention.comparing.nearly_causal import nearly_causal
from xlsx_attention.comparing.positions import encodings
from xlsx_attention.comparing.reference import Reference
from xlsx_attention.comparing.rounding import rounded_to
from xlsx_attention.comparing.scales import says_scale, tempered
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.steps import STEPS, Suspicion, Taught
from xlsx_attention.comparing.structure import STRUCTURE
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.comparing.totals import totals
from xlsx_attention.comparing.typed_blocks import typed_blocks
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import Floats


def find(sheets: Sheets, attention: AttentionMap, heads: Iterable[Subject]) -> tuple[Finding, ...]:
    """Every finding about what was recognised, in the order of the sheets.

    Each is held against numbers: a block is accused only where its hypothesis gives its numbers and no right way does.
    """
    found: list[Finding] = []
    for subject in heads:
        found += _of_head(subject)
    found += deviations(sheets, attention)
    found += encodings(sheets, attention)
    return tuple(sorted(found, key=lambda f: (f.sheet, f.rect, f.cause)))


def subjects(sheets: Sheets, attention: AttentionMap, reference: Reference) -> Iterator[Subject]:
    """Each recognised head with its numbers."""
    for group in attention.attentions:
        for number, head in enumerate(group.heads, 1):
            matrices = Matrices.of(group, head, sheets)
            given = Given(head, matrices, reference)
            suffix = f" {number}" if len(group.heads) > 1 else ""
            yield Subject(sheets, attention, group, head, given, suffix)


def _of_head(subject: Subject) -> Iterator[Finding]:
    found = list(_of_steps(subject))
    yield from found
    softmax = {role + subject.suffix for role in ("masked", "row_max", "shifted", "exp", "normaliser", "weights")}
    yield from nearly_causal(subject)
    yield from typed_blocks(subject)
    missing = list(left_out(subject))
    yield from missing
    if not missing and not any(finding.role in softmax for finding in found):
        yield from totals(subject)


def _of_steps(subject: Subject) -> Iterator[Finding]:
    causes = CellCauses([subject])
    structural = [finding for row in STRUCTURE for finding in row(subject)]
    yield from structural
    accused = {(f.sheet, f.rect) for f in structural}
    for taught in STEPS:
        place = subject.given.matrices.places.get(taught.role)
        if place is None or not place.steps or (place.sheet, place.rect) in accused:
            continue
        own = subject.given.matrices.own[taught.role]
        right = [matrix for matrix in taught.right(subject.given) if matrix is not None]
        if not right or any(alike(own, matrix) for matrix in right):
            continue
        finding = _of_block(taught, subject, own, right)
        if finding is not None:
            yield finding
        else:
            yield from _strays(taught.role, subject, right, causes)


def _of_block(taught: Taught, subject: Subject, own: Floats, right: list[Floats]) -> Finding | None:
    """The mistake that gives the whole block."""
    place = subject.given.matrices.places[taught.role]
    for suspicion in taught.wrong:
        if alike(own, suspicion.makes(subject.given)):
            return _accused(suspicion, taught.role, right[0], subject)
    digits = rounded_to(subject.sheets.plan, place, own, right)
    if digits is not None and taught.role not in subject.last_roles:
        message = say("rounded", cells=place.rect.a1, role=taught.role + subject.suffix, digits=str(digits))
        return subject.finding(taught.role, "rounded-value", message, right[0])
    return None


def _strays(role: str, subject: Subject, right: list[Floats], causes: CellCauses) -> Iterator[Finding]:
    """Cells with formulas of their own that give another number than the step, where all others give the step's.

    A line of a few formulas is no block that one of them could be held against; its role is.
    """
    own, place = subject.given.matrices.own[role], subject.given.matrices.places[role]
    for matrix in right:
        if matrix.size != own.size or matrix.size < 3:
            continue
        expected = matrix.reshape(own.shape)
        wrong = ~each_alike(own, expected)
        if wrong.sum() * 3 > wrong.size:
            continue
        for i, j in np.argwhere(wrong):
            row, column = subject.given.matrices.cells[role][i][j]
            cause = causes.cause((place.sheet, row, column), float(own[i, j])) or "formula-unlike-its-block"
            shown, due = f"{own[i, j]:.6g}", f"{expected[i, j]:.6g}"
            where = Rect.cell(row, column)
            message = say("stray", cells=where.a1, role=role + subject.suffix, own=shown, due=due, others=place.rect.a1)
            yield Finding(place.sheet, where, cause, message, role + subject.suffix, expected[i : i + 1, j : j + 1])
        return


def _accused(suspicion: Suspicion, role: str, right: Floats, subject: Subject) -> Finding | None:
    if suspicion.cause == "wrong-scale":
        return _wrong_scale(role, right, subject)
    says = suspicion.says
    if says == "mask-on-queries" and subject.head.mask == "causal":
        says = "mask-turned"
    message = say(says, cells=subject.where(role), role=role + subject.suffix)
    return subject.finding(role, suspicion.cause, message, right)


def _wrong_scale(role: str, right: Floats, subject: Subject) -> Finding | None:
    given = subject.given
    if subject.head.scale is None and subject.shown_otherwise(lambda other: other.scale is not None):
        # The same scores without and with a scale: a lesson about the scale, not a mistake.
        return None
    if tempered(subject):
        return None
    copy = subject.copied("scores") if subject.head.scale is None else None
    where = copy.block.cells.a1 if copy is not None else subject.where(role)
    name = "scaled" if copy is not None else role
    message = says_scale(given, where, name + subject.suffix)
    if copy is not None:
        return subject.finding_at(copy, "scores", "scaled", "wrong-scale", message, given.scaled_by(given.divisor))
    return subject.finding(role, "wrong-scale", message, right)
