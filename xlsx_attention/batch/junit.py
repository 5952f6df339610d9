"""``junit.xml`` for a course's CI: one test case a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from xlsx_attention.batch.outcome import UNJUDGED

if TYPE_CHECKING:
    from xlsx_attention.batch.reports import Overview

#: What XML 1.0 cannot hold.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {"diverges": "failure", "not-run": "skipped"}


def clean(text: str) -> str:
    """``text`` as XML can hold it: what it cannot is shown as an escape."""
    return _FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def render(overview: Overview, accused: dict[str, list[str]]) -> bytes:
    """``accused``: file → one line for each of its accused cells. Times are left out: equal batches give equal
    bytes.
    """
    sums = overview.totals
    counts = {
        "tests": str(sums["files"]),
        "failures": str(sums["diverges"]),
        "errors": str(sums["unreadable"] + sums["failed"]),
        "skipped": str(sums["not-run"]),
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": clean(overview.tool), **counts})
    for row in overview.rows:
        folder, _, base = row.name.rpartition("/")
        case = ET.SubElement(suite, "testcase", {"classname": clean(folder or "."), "name": clean(base)})
        if row.status == "agrees":
            continue
        tag = _TAGS.get(row.status, "error")
        if row.status in UNJUDGED:
            ET.SubElement(case, tag, {"message": clean(row.reason), "type": clean(row.code)})
            continue
        message = (
            f"{row.origins} origins, {row.overridden} overridden, {row.inherited} inherited, {row.findings} findings"
        )
        if row.points is not None and row.out_of is not None:
            message = f"{row.points:g} of {row.out_of:g} points; {message}"
        ET.SubElement(case, tag, {"message": message, "type": row.status}).text = clean(
            "\n".join(accused.get(row.name, []))
        )
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
