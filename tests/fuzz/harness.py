"""What every fuzz run holds: a report or a refusal with a code, and no other exception.

The functions take bytes, so that any fuzzer can drive them; ``python -m tests.fuzz.run reader|parser SECONDS`` does
so with
atheris (coverage-guided, from PyPI), and the suite with hypothesis.
"""

from __future__ import annotations

import zipfile
from dataclasses import replace
from functools import cache

from tests.reading import packages
from xlsx_attention import parsing
from xlsx_attention.errors import FormulaSyntaxError, UnreadableFile
from xlsx_attention.model.budget import MIB, Budgets
from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import Options, verify_grid
from xlsx_attention.reading import NOTICES, REFUSALS, Source, read_workbook

#: Small, so that a run of the fuzzer is quick and a limit that is not kept shows.
BUDGETS = replace(
    Budgets.batch(),
    part_bytes=MIB,
    total_bytes=4 * MIB,
    cells=20_000,
    formulas=2_000,
    array_elements=1 << 18,
    call_steps=500,
    texts=1 << 20,
    work=300_000_000,
)
#: Notices that the pipeline adds to those of the reader.
LATER = {"name-not-understood", "not-recognised"}

#: Parts that the reader's harness replaces with the fuzzer's bytes, by the first of them.
PARTS = (
    "xl/worksheets/sheet1.xml",
    "xl/workbook.xml",
    "xl/sharedStrings.xml",
    "xl/styles.xml",
    "xl/metadata.xml",
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    "docProps/app.xml",
    "xl/tables/table1.xml",
    "xl/externalLinks/externalLink1.xml",
)


@cache
def good() -> dict[str, str | bytes]:
    """A workbook that has every part of :data:`PARTS`."""
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1" s="1"><f>A1+1</f><v>2</v></c><c r="C1" t="s"><v>0</v></c>')
    rows += packages.row(2, '<c r="A2" cm="1"><f t="array" ref="A2:B2">A1:B1*2</f><v>2</v></c><c r="B2"><v>4</v></c>')
    rows += packages.row(
        3, '<c r="A3"><f t="shared" ref="A3:B3" si="0">A1</f><v>1</v></c><c r="B3"><f t="shared" si="0"/></c>'
    )
    found = packages.parts(
        rows,
        strings="<si><t>Query</t></si>",
        styles='<numFmts count="1"><numFmt numFmtId="164" formatCode="0.00"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs>',  # noqa: E501
        metadata='<metadataTypes/><cellMetadata><bk><rc t="1" v="0"/></bk></cellMetadata>',
        book_after='<externalReferences><externalReference r:id="rIdX"/></externalReferences>'
        "<definedNames><definedName name='n'>S!$A$1</definedName></definedNames><calcPr iterate='1'/>",
        links=(("rIdX", "externalLink", "externalLinks/externalLink1.xml"),),
        extra={
            "xl/externalLinks/externalLink1.xml": "<externalLink xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>"
            "<externalBook><sheetNames><sheetName val='T'/></sheetNames><sheetDataSet><sheetData sheetId='0'>"
            "<row r='1'><cell r='A1'><v>5</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>",
            "docProps/app.xml": "<Properties><Application>Microsoft Excel</Application></Properties>",
            "xl/worksheets/_rels/sheet1.xml.rels": packages.relationships(("rId1", "table", "../tables/table1.xml")),
            "xl/tables/table1.xml": "<table xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' name='t' displayName='t' "  # noqa: E501
            "ref='A1:B3'><tableColumns><tableColumn name='a'/><tableColumn name='b'/></tableColumns></table>",
        },
    )
    found["_rels/.rels"] = packages.relationships(
        ("rId1", "officeDocument", "xl/workbook.xml"), ("rId2", "extended-properties", "docProps/app.xml")
    )
    return found


def verified(data: bytes, budgets: Budgets = BUDGETS) -> FileReport | UnreadableFile:
    """The report on a file, or its refusal; anything else that happens is a fault."""
    try:
        grid = read_workbook(Source("file.xlsx", data), budgets=budgets)
        report = verify_grid(grid, Options(budgets=budgets))
    except UnreadableFile as refusal:
        assert refusal.code in REFUSALS, refusal.code  # noqa: PT017
        assert "\n" not in str(refusal)  # noqa: PT017
        return refusal
    assert {notice.code for notice in report.notices} <= NOTICES.keys() | LATER
    assert sum(report.counts.values()) == report.computed
    return report


def container(data: bytes) -> None:
    """The fuzzer's bytes as the whole file."""
    verified(data)


def part(data: bytes) -> None:
    """The first byte chooses a part, the rest is its content, in a package that is otherwise good."""
    if data:
        verified(packages.pack({**good(), PARTS[data[0] % len(PARTS)]: data[1:]}, level=0))


def cells(data: bytes) -> None:
    """The bytes stand among the rows of a sheet."""
    sheet = good()["xl/worksheets/sheet1.xml"]
    assert isinstance(sheet, str)
    head, tag, tail = sheet.encode().partition(b"</sheetData>")
    verified(packages.pack({**good(), "xl/worksheets/sheet1.xml": head + data + tag + tail}, level=0))


def formula(data: bytes) -> None:
    """The bytes are the text of a formula: parsed, written in relative form and read back; then computed in a sheet."""
    text = data.decode("utf-8", "replace")
    try:
        parsing.parse(text, 2, 2)
    except FormulaSyntaxError:
        return
    form = parsing.relative_form(text, 2, 2)
    again = parsing.formula_at(form, 2, 2)
    assert parsing.relative_form(again, 2, 2).r1c1 == form.r1c1, (text, again)


def computed(data: bytes) -> None:
    """The same formula in a workbook, computed."""
    text = "".join(c for c in data.decode("utf-8", "ignore") if c >= " " and c not in "\ufffe\uffff")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    rows = packages.row(1, '<c r="A1"><v>3</v></c><c r="B1" t="str"><v>x</v></c>')
    rows += packages.row(3, f'<c r="C3"><f>{text}</f><v>1</v></c><c r="D3"><f>C3*2</f><v>2</v></c>')
    report = verified(packages.pack(packages.parts(rows), level=0))
    assert isinstance(report, FileReport), report


TARGETS = {"container": container, "part": part, "cells": cells, "formula": formula, "computed": computed}


def seeds(target: str) -> list[bytes]:
    """Where a fuzzer begins."""
    if target == "container":
        return [packages.pack(good(), level=level) for level in (0, 6)]
    if target == "part":
        return [
            bytes([i]) + (c if isinstance(c := good()[name], bytes) else c.encode()) for i, name in enumerate(PARTS)
        ]
    if target == "cells":
        return [
            packages.row(5, f'<c r="A5" t="{kind}"><f>A1</f><v>1</v></c>').encode()
            for kind in ("n", "s", "b", "e", "d", "str")
        ]
    return [text.encode() for text in FORMULAS]


FORMULAS = (
    "MMULT($A1:$C1,TRANSPOSE(S!A$1:A3))",
    "SUM(A:A,1:1,$B$2)*-2^2%",
    'IFERROR(A1/0,"q")&"x"',
    "A1:B2 B1:C3",
    "(A1,B2)",
    "LET(a,1,LAMBDA(x,x+a)(2))",
    "REDUCE(0,SEQUENCE(3),LAMBDA(p,q,p+q))",
    "{1,2;3,4}",
    "t[[#Headers],[a]:[b]]",
    "[1]T!A1",
    'INDIRECT("A"&1)',
    "OFFSET(A1,0,0,2,2)",
    "A2#",
    "@A1:A3",
    "SOFTMAX(n)",
    "EXP(A1)/SUM(EXP($A1:$C1))",
    "#REF!",
    "1E+308*10",
    'TEXT(A1,"0.00")',
    'SUMIFS(A1:A3,B1:B3,">1")',
    "XLOOKUP(1,A1:A3,B1:B3)",
    "IF(ROW()>COLUMN(),-1E9,0)",
)


def is_zip(data: bytes) -> bool:
    """Whether the standard library takes the bytes for a zip archive."""
    import io

    return zipfile.is_zipfile(io.BytesIO(data))
