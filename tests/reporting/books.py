"""A small workbook with planted slips and hostile texts, and the checks that Excel makes before it opens a file."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from xlsx_attention.writing import open_workbook

EVIL_SHEET = "<img src=x onerror=alert(1)>"
EVIL_TEXTS = (
    "=1+1",
    "+2",
    "-3",
    "@SUM(A1)",
    "http://example.org/a",
    "mailto:a@example.org",
    "internal:Sheet1!A1",
    "</script><script>document.title='owned'</script>",
    "{=SUM(A1)}",
    "\x07bell",
    "注意力",
)

X = ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))
W = ((0.1, 0.2), (0.3, 0.4))


def planted(path: Path) -> Path:
    """Q = X·W in B8:C10 and sums in D8:D10. C9's stored result is stale by 0.5, D9 follows from it, B10 is typed.

    By hand: Q[1] = (3·0.1 + 4·0.3, 3·0.2 + 4·0.4) = (1.5, 2.2), D9 = 1.5 + 2.7 with the stale number, 3.7 without.
    """
    with open_workbook(path) as book:
        sheet = book.add_worksheet(EVIL_SHEET)
        for row, line in enumerate(X):
            for column, number in enumerate(line):
                sheet.write_number17(2 + row, 1 + column, number)
        for row, line in enumerate(W):
            for column, number in enumerate(line):
                sheet.write_number17(2 + row, 4 + column, number)
        for i, (a, b) in enumerate(X):
            q = [a * W[0][j] + b * W[1][j] for j in range(2)]
            shown = [q[0], q[1] + 0.5 if i == 1 else q[1]]
            for j, column in enumerate("BC"):
                weight = "EF"[j]
                if (i, j) == (2, 0):
                    sheet.write_number17(9, 1, q[0])
                    continue
                formula = f"$B{3 + i}*{weight}$3+$C{3 + i}*{weight}$4"
                sheet.write_formula_cached(7 + i, 1 + j, formula, None, shown[j])
                assert column
            sheet.write_formula_cached(7 + i, 3, f"B{8 + i}+C{8 + i}", None, shown[0] + shown[1])
        for row, text in enumerate(EVIL_TEXTS):
            sheet.write_text(12 + row, 0, text)
    return path


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# ECMA-376 part 1, 18.3.1.99 (CT_Worksheet).
_ORDER = [
    "sheetPr",
    "dimension",
    "sheetViews",
    "sheetFormatPr",
    "cols",
    "sheetData",
    "sheetCalcPr",
    "sheetProtection",
    "protectedRanges",
    "scenarios",
    "autoFilter",
    "sortState",
    "dataConsolidate",
    "customSheetViews",
    "mergeCells",
    "phoneticPr",
    "conditionalFormatting",
    "dataValidations",
    "hyperlinks",
    "printOptions",
    "pageMargins",
    "pageSetup",
    "headerFooter",
    "rowBreaks",
    "colBreaks",
    "customProperties",
    "cellWatches",
    "ignoredErrors",
    "smartTags",
    "drawing",
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
]
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_ESCAPED = re.compile(r"_x[0-9A-Fa-f]{4}_")


def faults(data: bytes) -> list[str]:
    """Rules of ECMA-376 that Excel holds a file to, and what breaks them; empty for a file that opens without
    repair.
    """
    package = zipfile.ZipFile(io.BytesIO(data))
    names = package.namelist()
    found = [f"two members {name}" for name in set(names) if names.count(name) > 1]
    types = ElementTree.fromstring(package.read("[Content_Types].xml"))
    defaults = {n.get("Extension", "").lower() for n in types if n.tag.endswith("Default")}
    overrides = {n.get("PartName", "").lstrip("/") for n in types if n.tag.endswith("Override")}
    found += [f"no content type for {n}" for n in names if n not in overrides and n.rpartition(".")[2] not in defaults]
    found += [f"content type of nothing: {n}" for n in overrides - set(names)]
    for name in names:
        if name.endswith(".rels"):
            found += _relation_faults(package, name, set(names))
    book = ElementTree.fromstring(package.read("xl/workbook.xml"))
    sheets = [node.get("name", "") for node in book.iter(f"{_MAIN}sheet")]
    found += _sheet_name_faults(sheets)
    defined = [(n.get("name", "").lower(), n.get("localSheetId")) for n in book.iter(f"{_MAIN}definedName")]
    found += [f"name {key} twice" for key in set(defined) if defined.count(key) > 1]
    styles = ElementTree.fromstring(package.read("xl/styles.xml"))
    formats = len(styles.find(f"{_MAIN}cellXfs") or ())
    found += _style_faults(styles, formats)
    dxfs = len(styles.find(f"{_MAIN}dxfs") or ())
    for name in names:
        if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            found += [f"{name}: {fault}" for fault in _sheet_faults(package.read(name), formats, dxfs)]
        if re.fullmatch(r"xl/comments[^/]*\.xml", name):
            refs = [node.get("ref") for node in ElementTree.fromstring(package.read(name)).iter(f"{_MAIN}comment")]
            found += [f"{name}: two notes on {ref}" for ref in set(refs) if refs.count(ref) > 1]
    if "xl/sharedStrings.xml" in names:
        for node in ElementTree.fromstring(package.read("xl/sharedStrings.xml")).iter(f"{_MAIN}si"):
            text = _ESCAPED.sub("_", "".join(part.text or "" for part in node.iter(f"{_MAIN}t")))
            if len(text.encode("utf-16-le")) // 2 > 32_767:
                found.append("a text of more than 32,767 units")
    return found


def _relation_faults(package: zipfile.ZipFile, name: str, names: set[str]) -> list[str]:
    found = []
    base = posixpath.dirname(posixpath.dirname(name))
    nodes = list(ElementTree.fromstring(package.read(name)))
    ids = [node.get("Id") for node in nodes]
    found += [f"{name}: id {i} twice" for i in set(ids) if ids.count(i) > 1]
    for node in nodes:
        target = node.get("Target", "")
        if node.get("TargetMode") == "External" or target.startswith("#"):
            continue
        part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(base, target))
        if part not in names:
            found.append(f"{name}: {target} is not there")
    return found


def _sheet_name_faults(sheets: list[str]) -> list[str]:
    folded = [sheet.casefold() for sheet in sheets]
    found = [f"sheet {sheet!r} twice" for sheet in set(folded) if folded.count(sheet) > 1]
    for sheet in sheets:
        units = len(sheet.encode("utf-16-le")) // 2
        if not 1 <= units <= 31 or _FORBIDDEN.search(sheet) or sheet[0] == "'" or sheet[-1] == "'":
            found.append(f"sheet name {sheet!r}")
    return found


def _style_faults(styles: ElementTree.Element, formats: int) -> list[str]:
    found = ["too many cell formats"] if formats > 65_490 else []
    for group in styles:
        count = group.get("count")
        if count is not None and int(count) != len(group):
            found.append(f"{group.tag.removeprefix(_MAIN)} counts {count} and has {len(group)}")
    sizes = {kind: len(styles.find(f"{_MAIN}{kind}s") or ()) for kind in ("font", "fill", "border")}
    for node in styles.find(f"{_MAIN}cellXfs") or ():
        for kind, size in sizes.items():
            if int(node.get(f"{kind}Id", "0")) >= size:
                found.append(f"a format with {kind} {node.get(f'{kind}Id')} of {size}")
    return found


def _sheet_faults(xml: bytes, formats: int, dxfs: int) -> list[str]:
    root = ElementTree.fromstring(xml)
    order = [_ORDER.index(node.tag.removeprefix(_MAIN)) for node in root if node.tag.startswith(_MAIN)]
    found = [] if order == sorted(order) else ["elements out of order"]
    last_row = 0
    seen: set[str] = set()
    for row in root.iter(f"{_MAIN}row"):
        number = int(row.get("r", last_row + 1))
        if number <= last_row:
            found.append(f"row {number} after row {last_row}")
        last_row = number
        for cell in row:
            ref = cell.get("r", "")
            if ref in seen:
                found.append(f"cell {ref} twice")
            seen.add(ref)
            if int(cell.get("s", "0")) >= formats:
                found.append(f"{ref} has format {cell.get('s')} of {formats}")
            formula = cell.find(f"{_MAIN}f")
            if formula is not None and len(formula.text or "") > 8_192:
                found.append(f"{ref}: formula of more than 8,192 characters")
    links = list(root.iter(f"{_MAIN}hyperlink"))
    if len(links) > 65_530:
        found.append("more than 65,530 links")
    found += [f"link {link.get('ref')} leaves the workbook" for link in links if link.get(f"{_RELATION}id")]
    for rule in root.iter(f"{_MAIN}cfRule"):
        if rule.get("dxfId") is not None and int(rule.get("dxfId", "0")) >= dxfs:
            found.append("a conditional format without its format")
    return found
