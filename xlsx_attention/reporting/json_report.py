"""The report as JSON: keys are stable, ``schema`` is raised on a change."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.report import CellResult, FileReport, Report
from xlsx_attention.model.role import Attention, Head
from xlsx_attention.model.values import Scalar

SCHEMA = 1


def to_json(report: Report) -> str:
    """UTF-8 text; numbers as shortest decimal that reads back to the same bits."""
    return json.dumps(to_data(report), ensure_ascii=False, indent=1, allow_nan=False)


def to_data(report: Report) -> dict[str, Any]:
    return {"schema": SCHEMA, "tool": report.tool, "files": [file_data(file) for file in report.files]}


def _text(text: str) -> str:
    # A lone surrogate has no UTF-8.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _value(value: Scalar) -> Any:
    python = value.python
    return _text(python) if isinstance(python, str) else python


def _rows(numbers: npt.NDArray[np.float64]) -> list[list[float | None]]:
    """JSON has no NaN and no infinities."""
    return [[number if math.isfinite(number) else None for number in row] for row in numbers.tolist()]


def _cell(cell: CellResult, sheet: str) -> dict[str, Any]:
    return {
        "sheet": _text(sheet),
        "cell": cell.cell,
        "verdict": cell.verdict,
        "cause": cell.cause or None,
        "role": cell.role or None,
        "cached": _value(cell.cached),
        "from_precedents": _value(cell.from_precedents),
        "from_inputs": _value(cell.from_inputs),
        "formula": _text(cell.formula) or None,
        "expected_formula": _text(cell.expected) or None,
        "numpy": cell.numpy or None,
        "origins": [_text(origin) for origin in cell.origins],
    }


def _head(head: Head) -> dict[str, Any]:
    return {
        "roles": {role: place.rect.a1 for role, place in head.roles.items()},
        "d_k": head.d_k,
        "scale": head.scale,
        "mask": head.mask,
        "masked_columns": list(head.masked_columns),
    }


def _attention(file: FileReport, attention: Attention) -> dict[str, Any]:
    assert file.grid is not None
    return {
        "sheet": _text(file.grid.sheets[attention.sheet].name),
        "orientation": attention.orientation,
        "kind": attention.kind,
        "heads": [_head(head) for head in attention.heads],
        "shared": {role: place.rect.a1 for role, place in attention.shared.items()},
        "d_k": attention.heads[0].d_k if attention.heads else None,
        "mask": attention.heads[0].mask if attention.heads else None,
    }


def file_data(file: FileReport) -> dict[str, Any]:
    """One file's part of the report."""
    names = {sheet.index: sheet.name for sheet in file.sheets}
    data: dict[str, Any] = {
        "path": _text(file.path),
        "status": file.status,
        "error": None if file.error is None else {"code": file.error.code, "message": _text(file.error.message)},
    }
    if file.error is not None:
        return data
    data |= {
        "provenance": {
            "application": _text(f"{file.provenance.application} {file.provenance.version}".strip()),
            "digits": file.provenance.digits,
            "rtol": file.rtol,
            "calc_mode": file.calc_mode,
        },
        "counts": {"computed": file.computed, **file.counts},
        "bit_equal": file.bit_equal,
        "max_ulp": file.max_ulp,
        "not_computed": [{"name": _text(name), "cells": cells} for name, cells in file.not_computed.items()],
        "cells": [_cell(cell, names[cell.sheet]) for cell in file.cells],
        "findings": [
            {
                "sheet": _text(names[finding.sheet]),
                "cause": finding.cause,
                "role": finding.role or None,
                "cells": finding.rect.a1,
                "message": _text(finding.message.en),
                "message_zh": _text(finding.message.zh),
                "mended": None if finding.mended is None else _rows(finding.mended),
            }
            for finding in file.findings
        ],
        "attention": [_attention(file, attention) for attention in file.attention.attentions],
        "notices": [
            {"code": notice.code, "where": _text(notice.where), "message": _text(notice.message)}
            for notice in file.notices
        ],
    }
    if file.published:
        data["published"] = [
            {
                "step": figure.step,
                "row": figure.row,
                "column": figure.column,
                "printed": figure.printed,
                "decimals": figure.decimals,
                "recomputed": None if figure.recomputed != figure.recomputed else figure.recomputed,
                "cell": figure.cell or None,
                "agrees": figure.agrees,
            }
            for figure in file.published
        ]
    return data


def render_json(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``json``: one language for machines, no colours."""
    return to_json(report)


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of :func:`to_json`'s output, which lies in the package."""
    from importlib.resources import files

    return files("xlsx_attention.reporting").joinpath("report.schema.json").read_text("utf-8")
