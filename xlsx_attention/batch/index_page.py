"""``index.html``: every file in one table that sorts and filters without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xlsx_attention.batch.outcome import STATES
from xlsx_attention.batch.pages import render as render_page
from xlsx_attention.batch.rows import Row
from xlsx_attention.batch.words import Speech
from xlsx_attention.reporting.words import cause_words

if TYPE_CHECKING:
    from xlsx_attention.batch.reports import Overview

#: Files and cells that one line of the common slips names.
FILES = 12
CELLS = 12
#: Causes in the table of causes.
CAUSES = 12


def render(overview: Overview) -> str:
    say = Speech(overview.language)
    rows = overview.rows
    slips = [
        {
            "count": len(slip.files),
            "cause": cause_words(slip.cause, overview.language),
            "sheet": slip.sheet,
            "cells": ", ".join(slip.cells[:CELLS]) + ("…" if len(slip.cells) > CELLS else ""),
            "rows": [rows[position] for position in slip.files[:FILES]],
            "more": max(0, len(slip.files) - FILES),
        }
        for slip in overview.slips.common()
    ]
    heads = [
        (say.file, False),
        (say.status, False),
        (say.origins, True),
        (say.findings, True),
        (say.score, True),
        (say.note, False),
    ]
    return render_page(
        "index.html",
        style="page.css",
        script="index.js",
        language=overview.language,
        say=say,
        states=STATES,
        totals=overview.totals,
        causes=[
            (cause_words(cause, overview.language), count)
            for cause, count in sorted(overview.slips.causes.items(), key=lambda item: (-item[1], item[0]))[:CAUSES]
        ],
        slips=slips,
        heads=heads,
        rows=[_shown(row, say) for row in rows],
        skipped=overview.skipped,
        tool=overview.tool,
    )


def _shown(row: Row, say: Speech) -> dict[str, object]:
    score = row.score
    if score is None:
        text = ""
    elif row.points is not None:
        text = f"{row.points:g} / {row.out_of:g}"
    else:
        # Rounded down: only a file in which every cell agrees shows 100 %.
        text = f"{int(score * 1000) / 10:g} %"
    note = row.reason or (say.same.format(row.same_as) if row.same_as else "")
    return {
        "name": row.name,
        "page": row.page,
        "status": row.status,
        "accused": row.origins + row.overridden,
        "findings": row.findings,
        "value": "" if score is None else f"{score:.9f}",
        "score": text,
        "note": note,
    }
