"""What is known of one content, under whatever names it was handed in."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any

from xlsx_attention.reporting.safe import visible

#: States of a row. The first three are a report's; ``failed``: a limit, a crash or a fault of this package stopped
#: the work on it; ``not-run``: the batch ended before its turn.
STATES = ("agrees", "diverges", "unreadable", "failed", "not-run")
#: Files in these states could not be judged (exit code 4).
UNJUDGED = frozenset({"unreadable", "failed", "not-run"})


@dataclass(frozen=True, slots=True)
class Task:
    """One content to judge. ``data`` goes along where the worker may not see the submitter's files."""

    address: str
    digest: str
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """``record`` is the file's part of the JSON report, ``page`` its page; both hold :func:`path_token` for the
    path.
    """

    status: str
    record: str
    page: str

    def record_for(self, digest: str, name: str) -> dict[str, Any]:
        """The record of this content under ``name``."""
        text = self.record.replace(path_token(digest), json.dumps(name, ensure_ascii=False)[1:-1])
        data: dict[str, Any] = json.loads(text)
        return data

    def page_for(self, digest: str, name: str) -> str:
        return self.page.replace(path_token(digest), html.escape(visible(name, 400)))


def path_token(digest: str) -> str:
    """Stands for the path until the outcome is written out. No file can hold the hash of itself, so it is in no
    cell.
    """
    return f"path-of-{digest}"


def refused(digest: str, code: str, message: str, status: str = "unreadable") -> Outcome:
    """The outcome of a content that gave no report."""
    record = {"path": path_token(digest), "status": status, "error": {"code": code, "message": message}}
    return Outcome(status, json.dumps(record, ensure_ascii=False), "")
