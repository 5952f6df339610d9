"""A workbook with threaded comments: they, and the legacy notes that stand for them, stay; ours come beside them."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import openpyxl

from tests.reporting.books import EVIL_SHEET, faults
from xlsx_attention.model.report import FileReport
from xlsx_attention.reporting.annotate import annotate

_KIND = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
_TYPE = "application/vnd.ms-excel.threadedcomments+xml"
_THREAD = (
    b'<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
    b'<threadedComment ref="C9" dT="2024-01-01T00:00:00.00" personId="{0}" id="{1}"><text>why?</text></threadedComment>'
    b"</ThreadedComments>"
)


def with_thread(path: Path) -> bytes:
    """The workbook with a thread on C9, as Excel stores it: a part of its own, and a note that repeats its words."""
    book = openpyxl.load_workbook(path)
    book[EVIL_SHEET]["C9"].comment = openpyxl.comments.Comment("[Threaded comment] why?", "tc={1}")
    stream = io.BytesIO()
    book.save(stream)
    out = io.BytesIO()
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "xl/worksheets/_rels/sheet1.xml.rels":
                row = f'<Relationship Id="thread" Type="{_KIND}" Target="../threadedComments/threadedComment1.xml"/>'
                data = data.replace(b"</Relationships>", row.encode() + b"</Relationships>")
            if name == "[Content_Types].xml":
                row = f'<Override PartName="/xl/threadedComments/threadedComment1.xml" ContentType="{_TYPE}"/>'
                data = data.replace(b"</Types>", row.encode() + b"</Types>")
            target.writestr(name, data)
        target.writestr("xl/threadedComments/threadedComment1.xml", _THREAD)
    return out.getvalue()


def test_threads_stay_and_their_cell_gets_a_fill_alone(planted_report: FileReport, planted_path: Path) -> None:
    original = with_thread(planted_path)
    assert faults(original) == []
    copy = annotate(planted_report, original)
    assert faults(copy) == []
    package = zipfile.ZipFile(io.BytesIO(copy))
    assert package.read("xl/threadedComments/threadedComment1.xml") == _THREAD
    sheet = openpyxl.load_workbook(io.BytesIO(copy))[EVIL_SHEET]
    assert sheet["C9"].comment.text == "[Threaded comment] why?"
    assert sheet["C9"].fill.fill_type == "solid"
    assert "inherited" in sheet["D9"].comment.text


def test_boxes_and_words_are_one_to_one(planted_report: FileReport, planted_path: Path) -> None:
    """Every note has a box of its own in the drawing, with an id of its own."""
    copy = annotate(planted_report, with_thread(planted_path))
    package = zipfile.ZipFile(io.BytesIO(copy))
    [comments] = [name for name in package.namelist() if re.search(r"/comment[^/]*\.xml$", name)]
    [drawing] = [name for name in package.namelist() if name.endswith(".vml")]
    refs = re.findall(rb'<comment [^>]*ref="([A-Z]+[0-9]+)"', package.read(comments))
    # The drawing is XML whatever prefixes its first author gave: it is parsed, not searched.
    root = ElementTree.fromstring(package.read(drawing))
    excel, vml = "{urn:schemas-microsoft-com:office:excel}", "{urn:schemas-microsoft-com:vml}"
    boxes = [(d.findtext(f"{excel}Row"), d.findtext(f"{excel}Column")) for d in root.iter(f"{excel}ClientData")]
    assert sorted(refs) == [b"B10", b"C9", b"D9"]
    assert sorted(boxes) == [("8", "2"), ("8", "3"), ("9", "1")]
    ids = [shape.get("id") for shape in root.iter(f"{vml}shape")]
    assert len(ids) == len(set(ids)) == 3
