"""Changing one cell of a stored workbook, at the XML, as a slip would."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, unescape

from openpyxl.formula.translate import Translator


@dataclass(frozen=True)
class StoredCell:
    """A cell as its XML has it. ``formula`` is unescaped, ``None`` without one."""

    attributes: str
    formula_tag: str
    formula: str | None
    value: str | None

    def to_xml(self) -> str:
        formula = "" if self.formula is None else f"<f{self.formula_tag}>{escape(self.formula)}</f>"
        value = "" if self.value is None else f"<v>{self.value}</v>"
        return f"<c {self.attributes}>{formula}{value}</c>"


def edit(data: bytes, edits: Mapping[tuple[str, str], Callable[[StoredCell], StoredCell]]) -> bytes:
    """A copy of a workbook with some cells changed: (part name, cell) → what becomes of it. Every cell must be
    there.
    """
    parts: dict[str, dict[str, Callable[[StoredCell], StoredCell]]] = {}
    for (part, cell), change in edits.items():
        parts.setdefault(part, {})[cell] = change
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name in parts:
                content = _edit_sheet(content.decode("utf-8"), parts.pop(name)).encode("utf-8")
            target.writestr(name, content)
    assert not parts, f"no such part: {list(parts)}"
    return result.getvalue()


_CELL = r'<c (?P<attributes>[^>]*?\br="(?P<name>[A-Z]+\d+)"[^>]*?)(?<!/)>(?P<body>.*?)</c>'


def unshare(data: bytes) -> bytes:
    """A copy in which each member of a shared formula has its own text, so that one may be changed alone.

    The texts come from openpyxl's translator.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name.startswith("xl/worksheets/") and b't="shared"' in content:
                content = _unshare_sheet(content.decode("utf-8")).encode("utf-8")
            target.writestr(name, content)
    return result.getvalue()


def _unshare_sheet(xml: str) -> str:
    masters: dict[str, tuple[str, str]] = {}

    def replace(match: re.Match[str]) -> str:
        found = re.search(r"<f(?P<tag>[^>]*?)(/>|>(?P<text>.*?)</f>)", match["body"], flags=re.S)
        if not found or 't="shared"' not in found["tag"]:
            return match[0]
        index = re.search(r'si="(\d+)"', found["tag"])[1]  # type: ignore[index]
        if found["text"]:
            text = unescape(found["text"])
            masters[index] = (text, match["name"])
        else:
            master, home = masters[index]
            text = Translator(f"={master}", home).translate_formula(match["name"])[1:]
        body = match["body"].replace(found[0], f"<f>{escape(text)}</f>")
        return f"<c {match['attributes']}>{body}</c>"

    return re.sub(_CELL, replace, xml, flags=re.S)


def _edit_sheet(xml: str, edits: dict[str, Callable[[StoredCell], StoredCell]]) -> str:
    left = dict(edits)

    def replace(match: re.Match[str]) -> str:
        change = left.pop(match["name"], None)
        return match[0] if change is None else change(_read(match)).to_xml()

    xml = re.sub(_CELL, replace, xml, flags=re.S)
    assert not left, f"no such cell: {list(left)}"
    return xml


def _read(match: re.Match[str]) -> StoredCell:
    formula = re.search(r"<f(?P<tag>[^>]*)>(?P<text>.*?)</f>", match["body"], flags=re.S)
    value = re.search(r"<v>(.*?)</v>", match["body"], flags=re.S)
    return StoredCell(
        match["attributes"],
        formula["tag"] if formula else "",
        unescape(formula["text"]) if formula else None,
        value[1] if value else None,
    )


def sheet_parts(data: bytes) -> dict[str, str]:
    """Sheet name → part name, by the workbook's own relationships."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        workbook = package.read("xl/workbook.xml").decode()
        relations = package.read("xl/_rels/workbook.xml.rels").decode()
    targets = {}
    for tag in re.findall(r"<Relationship [^>]*>", relations):
        targets[re.search(r'Id="([^"]*)"', tag)[1]] = re.search(r'Target="([^"]*)"', tag)[1]  # type: ignore[index]
    parts = {}
    for tag in re.findall(r"<sheet [^>]*>", workbook):
        name = unescape(re.search(r'name="([^"]*)"', tag)[1], {"&quot;": '"'})  # type: ignore[index]
        target = targets[re.search(r'r:id="([^"]*)"', tag)[1]]  # type: ignore[index]
        parts[name] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return parts


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
