"""Whether an output can do anything but be read: one check for each of its forms, each a list of complaints."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

from tests.security.hostile import DANGEROUS, PRIVATE

_DIRECTION = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"
#: OWASP's page "CSV Injection", and the full-width signs that Excel takes for them in East Asian settings.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def private(data: bytes) -> list[str]:
    """Names and paths from inside the hostile workbook; in a package, in any of its parts."""
    everything = [data]
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            everything += [package.read(name) for name in package.namelist()]
    return [f"tells {word!r}" for word in PRIVATE if any(word.encode() in part for part in everything)]


def terminal(text: str) -> list[str]:
    """Nothing moves the cursor, turns the line around or rings."""
    bad = {c for c in text if c in _DIRECTION or (c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"))}
    return [f"holds {sorted(map(ascii, bad))}"] if bad else []


def as_json(text: str) -> list[str]:
    """Whole, and in UTF-8 without lone surrogates."""
    json.loads(text)
    text.encode("utf-8")
    return []


def as_csv(text: str) -> list[str]:
    """No field that a spreadsheet program would take for a formula; as many fields in each row."""
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    found = [f"a row of {len(row)} fields" for row in rows if len(row) != len(rows[0])]
    for field in (field for row in rows for field in row):
        if field.startswith(_FORMULA) and not re.fullmatch(r"-\d[\d.]*(e[+-]?\d+)?", field):
            found.append(f"a field {field[:40]!r}")
        if "\x00" in field:
            found.append("a NUL")
    return found


def as_junit(text: str) -> list[str]:
    """Well-formed, with the elements of the form and no other."""
    tags = {element.tag for element in ElementTree.fromstring(text.encode()).iter()}
    allowed = {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
        "skipped",
        "properties",
        "property",
        "system-out",
    }
    return [f"elements {tags - allowed}"] if tags - allowed else []


def as_github(text: str) -> list[str]:
    """Each line is a command of ours, with properties that none of the texts got into."""
    command = re.compile(r"::(error|warning|notice) file=[^,:\r\n]*,title=[^,:\r\n]*::[^\r\n]*")
    return [f"a line {line[:60]!r}" for line in text.split("\n") if line and not command.fullmatch(line)] + terminal(
        text
    )


class _Page(HTMLParser):
    """Collects what a page could act by."""

    ACTIVE = frozenset(
        {
            "iframe",
            "object",
            "embed",
            "applet",
            "base",
            "form",
            "img",
            "video",
            "audio",
            "link",
            "frame",
            "animate",
            "set",
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts = 0
        self.policy = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script" and ("type", "application/json") not in attrs  # that is data, and never runs
        if tag in self.ACTIVE:
            self.found.append(f"an element <{tag}>")
        values = {name: value or "" for name, value in attrs}
        if values.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = values["content"]
        for name, value in values.items():
            if name.startswith("on") or name in ("srcdoc", "formaction", "src"):
                self.found.append(f"an attribute {name}={value[:40]!r}")
            if name in ("href", "xlink:href", "action") and not re.fullmatch(
                r"(#|(\.\./|pages/|\./)?[\w.-]+)[^:<>\"]*", value
            ):
                self.found.append(f"a link to {value[:60]!r}")

    def handle_data(self, data: str) -> None:
        bad = {c for c in data if c in _DIRECTION or (c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cs"))}
        if bad:
            self.found.append(f"holds {sorted(map(ascii, bad))}")


def as_html(text: str) -> list[str]:
    """No element, attribute or link but the page's own, under a policy that lets nothing load and only named scripts
    run."""
    page = _Page()
    page.feed(text)
    page.close()
    if page.scripts > 1:
        page.found.append(f"{page.scripts} scripts")
    if "default-src 'none'" not in page.policy or "unsafe" in page.policy.replace("'unsafe-hashes'", ""):
        page.found.append(f"the policy {page.policy!r}")
    return page.found


def as_xlsx(data: bytes) -> list[str]:
    """Well-formed parts, links only inside the workbook, nothing that opens or fetches, names and texts that Excel
    takes."""
    found = []
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = package.namelist()
        parts = {
            name: ElementTree.fromstring(package.read(name))
            for name in names
            if name.endswith((".xml", ".rels", ".vml"))
        }
    found += [
        f"a part {name}"
        for name in names
        if re.search("external|vba|activeX|connections|embed|macro", name, re.IGNORECASE)
    ]
    for name, root in parts.items():
        for element in root.iter():
            if element.get("TargetMode") == "External":
                found.append(f"{name}: a link to {element.get('Target')!r}")
            if element.tag in (f"{MAIN}f", f"{MAIN}formula", f"{MAIN}formula1", f"{MAIN}definedName") and element.text:
                found += [
                    f"{name}: {element.text[:60]!r}" for word in DANGEROUS if word in _outside_quotes(element.text)
                ]
            if element.tag == f"{MAIN}hyperlink" and not element.get("location"):
                found.append(f"{name}: a hyperlink without a place")
            if element.tag == f"{MAIN}t" and len((element.text or "").encode("utf-16-le")) > 2 * 32_767:
                found.append(f"{name}: a text of {len(element.text or '')}")
    sheets = [sheet.get("name") or "" for sheet in parts["xl/workbook.xml"].iter(f"{MAIN}sheet")]
    for sheet in sheets:
        if (
            not 1 <= len(sheet.encode("utf-16-le")) // 2 <= 31
            or re.search(r"[\[\]:*?/\\\x00-\x1f]", sheet)
            or sheet[0] == "'"
            or sheet[-1] == "'"
        ):
            found.append(f"a sheet {sheet!r}")
    if len({sheet.casefold() for sheet in sheets}) != len(sheets) or "history" in map(str.casefold, sheets):
        found.append(f"sheets {sheets}")
    return found


def _outside_quotes(formula: str) -> str:
    """A formula without the texts in it, which are only texts."""
    return re.sub(r'"(?:[^"]|"")*"', '""', formula)
