"""Holds what became of a hazard against what its row says."""

from __future__ import annotations

from tests.security.hazards import Hazard
from tests.security.hazards.outcome import Refused
from tests.security.workshop import Run, Workshop


def verify(shop: Workshop, hazard: Hazard) -> Run:
    """``verify --untrusted`` on the hazard's file in a child."""
    (shop.folder / "hazard.xlsx").write_bytes(hazard.build())
    return shop.run("verify", "hazard.xlsx", "--untrusted", "--format", "json", *hazard.options)


def complaint(hazard: Hazard, run: Run) -> str:
    """What is wrong with the run, in one line; empty where all is as the row says."""
    if run.forbidden:
        return f"tried {run.forbidden[0]}"
    if run.code not in (0, 1, 2) or "Traceback" in run.err:
        return f"exit code {run.code}: {run.err.strip().splitlines()[-1:]}"
    file = run.file
    if isinstance(hazard.outcome, Refused):
        if file["error"] is None:
            return f"read: {_counts(file)} {file['not_computed'][:2]}"
        if run.code != 2:
            return f"exit code {run.code} for a refusal"
        if file["error"]["code"] != hazard.outcome.code or hazard.outcome.word not in file["error"]["message"]:
            return f"refused: {file['error']}"
        return ""
    if file["error"] is not None:
        return f"refused: {file['error']}"
    expected = hazard.outcome
    notices = sorted(notice["code"] for notice in file["notices"])
    if _counts(file) != dict(expected.counts) or notices != sorted(expected.notices):
        return f"counts {_counts(file)} notices {notices[:5]} {file['not_computed'][:2]}"
    reasons = " ".join(reason["name"] for reason in file["not_computed"])
    if expected.not_computed not in reasons:
        return f"reason {reasons!r}"
    return ""


def _counts(file: dict[str, object]) -> dict[str, int]:
    counts = file["counts"]
    assert isinstance(counts, dict)
    return {verdict: count for verdict, count in counts.items() if count and verdict != "computed"}
