"""Every file that is refused, with its exact code and a message that fits on one line."""

# ruff: noqa: E501 - a row of XML, and a row of a table, stays on one line

from __future__ import annotations

import io
import os
import socket
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.reading import packages
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import MIB, Budgets
from xlsx_attention.reading import REFUSALS, read_workbook

GOOD = packages.book(packages.row(1, '<c r="A1"><v>1</v></c>'))
ODS = packages.pack({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"})
XLSB = packages.pack({"_rels/.rels": packages.relationships(("r", "officeDocument", "xl/workbook.bin"))})
WORD = packages.pack(
    {"_rels/.rels": packages.relationships(("r", "officeDocument", "word/document.xml")), "word/document.xml": "<x/>"}
)


def with_part(name: str, content: str | bytes) -> bytes:
    return packages.pack({**packages.parts(), name: content})


def without_part(name: str) -> bytes:
    return packages.pack({key: value for key, value in packages.parts().items() if key != name})


def bad_crc() -> bytes:
    """One octet of a stored sheet changed."""
    data = packages.pack(packages.parts(packages.row(1, '<c r="A1"><v>12345</v></c>')), level=0)
    at = data.index(b"<v>12345") + 3
    return data[:at] + b"9" + data[at + 1 :]


def encrypted() -> bytes:
    """The encryption bit set in every local and central header (APPNOTE 4.4.4)."""
    data = bytearray(GOOD)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            flags = struct.unpack_from("<H", data, at + offset)[0]
            struct.pack_into("<H", data, at + offset, flags | 1)
            at = data.find(signature, at + 1)
    return bytes(data)


def method(number: int) -> bytes:
    data = bytearray(GOOD)
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.find(signature)
        while at >= 0:
            struct.pack_into("<H", data, at + offset, number)
            at = data.find(signature, at + 1)
    return bytes(data)


DTD = '<!DOCTYPE worksheet [<!ENTITY a "aaaa">]>'
REFUSED: list[tuple[str, Callable[[], bytes], str, str]] = [
    # name, file, code, a word that the message must hold
    ("empty", lambda: b"", "empty-file", "empty"),
    ("text", lambda: b"just some words", "not-a-zip", "plain text"),
    ("csv", lambda: b"a,b\n1,2\n", "not-a-zip", "CSV"),
    ("html", lambda: b"\n<!DOCTYPE html><html><body><table>", "not-a-zip", "HTML"),
    ("xml", lambda: b'<?xml version="1.0"?><Workbook/>', "not-a-zip", "XML"),
    ("pdf", lambda: b"%PDF-1.7\n", "not-a-zip", "PDF"),
    ("zeros", lambda: bytes(4096), "not-a-zip", "zip"),
    ("half a zip", lambda: GOOD[: len(GOOD) // 2], "truncated", "cut-off"),
    ("only a magic", lambda: b"PK\x03\x04", "truncated", "cut-off"),
    ("bad CRC", bad_crc, "bad-crc", "damaged"),
    ("encrypted zip", encrypted, "encrypted-zip", "encrypted"),
    ("bzip2", lambda: method(12), "bad-compression", "12"),
    ("password", lambda: packages.ole("EncryptionInfo", "EncryptedPackage"), "password-protected", "password"),
    ("xls", lambda: packages.ole("Workbook"), "legacy-xls", ".xls"),
    ("xls 5", lambda: packages.ole("Book"), "legacy-xls", ".xls"),
    ("doc", lambda: packages.ole("WordDocument"), "ole-container", "OLE"),
    ("xlsb", lambda: XLSB, "xlsb", ".xlsb"),
    ("ods", lambda: ODS, "ods", "OpenDocument"),
    ("docx", lambda: WORD, "no-workbook", "Word"),
    ("zip of text", lambda: packages.pack({"a.txt": "x"}), "no-workbook", "without a workbook"),
    ("no workbook part", lambda: without_part("xl/workbook.xml"), "missing-part", "xl/workbook.xml"),
    ("no sheet part", lambda: without_part("xl/worksheets/sheet1.xml"), "missing-part", "xl/worksheets/sheet1.xml"),
    ("no sheet link", lambda: without_part("xl/_rels/workbook.xml.rels"), "missing-part", "'S'"),
    ("no sheets", lambda: with_part("xl/workbook.xml", packages.workbook("")), "no-sheets", "worksheet"),
    ("broken workbook", lambda: with_part("xl/workbook.xml", "<workbook>\n<a></b>"), "broken-xml", "line 2"),
    ("broken sheet", lambda: packages.book("<row r='1'><c></row>"), "broken-xml", "xl/worksheets/sheet1.xml"),
    ("broken later", lambda: packages.book("<row r='1'/>", after="<x>\n</y>"), "broken-xml", "line 3"),
    ("sheet cut off", lambda: with_part("xl/worksheets/sheet1.xml", packages.worksheet("")[:150]), "broken-xml", "line"),
    ("no XML", lambda: with_part("xl/worksheets/sheet1.xml", "hello"), "broken-xml", "line 1"),
    ("empty part", lambda: with_part("xl/worksheets/sheet1.xml", ""), "broken-xml", "line 1"),
    ("unknown entity", lambda: packages.book(packages.row(1, "<c r='A1'><v>&x;</v></c>")), "broken-xml", "entity"),
    ("control", lambda: packages.book(packages.row(1, '<c r="A1"><v>\x01</v></c>')), "broken-xml", "line 2"),
    ("unknown encoding", lambda: with_part("xl/workbook.xml", '<?xml version="1.0" encoding="x-q"?><a/>'), "broken-xml", ""),
    ("DTD", lambda: with_part("xl/worksheets/sheet1.xml", f"{DTD}<worksheet/>"), "dtd", "document type"),
    ("DTD in strings", lambda: packages.pack({**packages.parts(strings=""), "xl/sharedStrings.xml": DTD + "<sst/>"}), "dtd", "sharedStrings"),
    ("DTD in styles", lambda: packages.pack({**packages.parts(styles=""), "xl/styles.xml": DTD + "<a/>"}), "dtd", "styles"),
    ("two parts", lambda: packages.pack([*packages.parts().items(), ("XL/workbook.xml", "<a/>")]), "duplicate-part", "two parts"),
    ("deep", lambda: packages.book(after="<a>" * 200 + "</a>" * 200), "over-budget", "--max-depth"),
    ("deep in a cell", lambda: packages.book("<row><c>" + "<a>" * 200), "over-budget", "--max-depth"),
    ("deep workbook", lambda: with_part("xl/workbook.xml", "<a>" * 200), "over-budget", "--max-depth"),
    ("many parts", lambda: packages.pack({**packages.parts(), **{f"p{i}": "" for i in range(2000)}}), "over-budget", "--max-parts"),
    ("zip bomb", lambda: packages.book(after=" " * 8 * MIB), "over-budget", "--max-ratio"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("build", "code", "word"), [entry[1:] for entry in REFUSED], ids=[entry[0] for entry in REFUSED]
)
def test_refused_with_its_code(build: Callable[[], bytes], code: str, word: str) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(build())
    assert refusal.value.code == code
    assert word in str(refusal.value)
    assert "\n" not in str(refusal.value)


SMALL = packages.row(1, "".join(f'<c r="{letter}1"><f>1+1</f><v>2</v></c>' for letter in "ABCDEFGH"))
LIMITS: list[tuple[str, int, str]] = [
    ("file_bytes", 100, "--max-file"),
    ("part_bytes", 300, "--max-part"),
    ("total_bytes", 999, "--max-total"),
    ("parts", 4, "--max-parts"),
    ("xml_depth", 4, "--max-depth"),
    ("cells", 7, "--max-cells"),
    ("elements", 7, "--max-elements"),
    ("formulas", 7, "--max-formulas"),
]


@pytest.mark.parametrize(("name", "limit", "option"), LIMITS, ids=[entry[0] for entry in LIMITS])
@pytest.mark.parametrize("rows", [SMALL, SMALL.replace('"', "'")], ids=["regular", "irregular"])
def test_each_budget_names_its_option(name: str, limit: int, option: str, rows: str) -> None:
    data = packages.book(rows)
    assert read_workbook(data).sheets[0].formula_count == 8
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(data, budgets=replace(Budgets(), **{name: limit}))
    assert refusal.value.code == "over-budget"
    assert option in refusal.value.message
    assert f"{limit:,}" in refusal.value.message


def test_total_counts_parts_that_are_read_once() -> None:
    """A sheet that the pattern gives up on is inflated twice, but counts once."""
    rows = packages.row(1, "<c r='A1'><v>1</v></c>" * 20_000) + "<!-- a comment -->"
    data = packages.book(rows)
    size = sum(info.file_size for info in zipfile.ZipFile(io.BytesIO(data)).infolist())
    assert read_workbook(data, budgets=replace(Budgets(), total_bytes=size)).value(0, 0, 0).python == 1


def test_strict_limits_are_no_wider_than_the_default_ones() -> None:
    own, strict = Budgets(), Budgets.batch()
    assert strict.part_bytes == 64 * MIB
    assert strict.total_bytes == 256 * MIB
    assert (strict.cells, strict.formulas, strict.formula_length, strict.parts) == (2_000_000, 500_000, 8_192, 2_000)
    assert all(getattr(strict, name) <= getattr(own, name) for name in Budgets.__dataclass_fields__)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(tmp_path / "none.xlsx")
    assert refusal.value.code == "missing-file"


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook("a\0b.xlsx")
    assert refusal.value.code == "missing-file"


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(tmp_path)
    assert refusal.value.code == "not-a-file"
    assert "directory" in str(refusal.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.xlsx"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(pipe)
    assert refusal.value.code == "not-a-file"
    assert "pipe" in str(refusal.value)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices on this system")
def test_device() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook("/dev/zero")
    assert refusal.value.code == "not-a-file"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no local sockets on this system")
def test_socket() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/s")
        with pytest.raises(UnreadableFile) as refusal:
            read_workbook(f"{folder}/s")
    assert refusal.value.code in ("not-a-file", "missing-file")  # a socket cannot be opened at all on Linux


def test_unknown_sheet_is_named() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(GOOD, sheets=["T"])
    assert refusal.value.code == "no-such-sheet"
    assert "'S'" in str(refusal.value)


def test_external_entity_is_never_read(tmp_path: Path) -> None:
    """The sentinel stands outside the package; nothing of it may come in, and the file is refused."""
    sentinel = tmp_path / "sentinel.txt"
    sentinel.write_text("SENTINEL")
    sheet = packages.worksheet(packages.row(1, '<c r="A1" t="str"><v>&e;</v></c>'))
    sheet = sheet.replace("<worksheet", f'<!DOCTYPE w [<!ENTITY e SYSTEM "{sentinel.as_uri()}">]><worksheet', 1)
    with pytest.raises(UnreadableFile) as refusal:
        read_workbook(with_part("xl/worksheets/sheet1.xml", sheet))
    assert refusal.value.code == "dtd"
    assert "SENTINEL" not in str(refusal.value)


def test_relationships_never_leave_the_package(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text(packages.worksheet(packages.row(1, '<c r="A1"><v>666</v></c>')))
    for target in ("../../../.." + str(outside), outside.as_uri(), str(outside), "..%2f..%2f..%2f" + str(outside)):
        links = packages.relationships(("rId1", "worksheet", target))
        with pytest.raises(UnreadableFile) as refusal:
            read_workbook(with_part("xl/_rels/workbook.xml.rels", links))
        assert refusal.value.code == "missing-part"


def test_every_code_of_the_tests_has_a_meaning() -> None:
    assert {entry[2] for entry in REFUSED} <= set(REFUSALS)
    assert set(REFUSALS) - {entry[2] for entry in REFUSED} == {"missing-file", "not-a-file", "no-such-sheet"}
