"""One workbook with texts that some program would take for more than texts, in every place that a file has for a
text."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tests.reading import packages

#: What a spreadsheet, a browser, a terminal, a CI log, a shell or Python would act on. ``_x001B_`` is how a file
#: writes a
#: character that XML has no place for (ECMA-376, 22.9.2.19).
TEXTS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "_x000D_=1+1",
    "\n=1+1",
    " =1+1",
    '=HYPERLINK("http://evil.example/","x")',
    "=cmd|'/c calc'!A0",
    "{=1+1}",
    "|calc",
    "%0A=1",
    "＝1+1",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></table><b>",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "</style><script>alert(2)</script>",
    "<r><t>rich</t></r>",
    "{{7*7}}",
    "{0.__class__}",
    "http://evil.example/",
    "javascript:alert(1)",
    "mailto:a@evil.example",
    "external:evil.xlsx",
    "internal:'S'!A1",
    "file:///etc/passwd",
    "_x001B_[31mred_x001B_[0m",
    "_x001B_]0;title_x0007_",
    "_x0000_",
    "_x0008__x0008_",
    "_x009B_31m",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u2028line",
    "_xD800_",
    "_xDC00_a",
    "_xFFFE_",
    "\r\n::error file=x::owned",
    "::set-output name=a::b",
    "##[command]x",
    "%0A::error::x",
    "a\nimport os",
    '"""\nimport os\n"""',
    "'); import os; ('",
    "\\",
    "\\N{BULLET}",
    "x" * 33_000,
    "\U0001f9e0" * 17_000,
)

#: Names that a sheet cannot have in Excel, but has in a file from anyone.
SHEETS = (
    "S",
    "=1+1",
    "@A1",
    "<script>alert(3)</script>",
    "a[b]:c*?/\\d",
    "a[b]:c*?/\\e",
    "'quoted'",
    "n" * 40,
    "N" * 41,
    "\U0001f9e0" * 16,
    "\u202etxt.exe",
    "a!b'c",
    "::error::x",
    "'); import os; ('",
    "&#10;import os&#10;",
    "History",
    "",
)

#: What a file says of its author and of the machine that it was made on.
PRIVATE = (
    "Private-Author",
    "Private-Editor",
    "Private-Company",
    "Private-Manager",
    "private-folder",
    "private-server",
    "Private-Commenter",
)

#: What must be in no formula that we write: they fetch, start or open something.
DANGEROUS = ("WEBSERVICE", "HYPERLINK", "IMAGE", "RTD", "CALL", "REGISTER", "cmd|", "evil.example", "[1]", "file:")


def _cell(name: str, text: str) -> str:
    return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _texts() -> str:
    """Each text as a constant, as the wrong result of a formula, in a formula, and as what a formula makes of
    another."""
    rows = []
    for number, text in enumerate(TEXTS, 1):
        quoted = escape('"' + text.replace('"', '""') + '"') if len(text) < 8000 else f"A{number}"
        rows.append(
            packages.row(
                number,
                _cell(f"A{number}", text)
                + f'<c r="B{number}" t="str"><f>A{number}&amp;"!"</f><v>{escape(text)}</v></c>'
                + f'<c r="C{number}" t="str"><f>{quoted}&amp;{number}</f><v>{escape(text)}?</v></c>'
                + f'<c r="D{number}"><f>{number}+1</f><v>{number}</v></c>',
            )
        )
    formulas = (
        'WEBSERVICE("http://evil.example/")',
        'IMAGE("http://evil.example/a.png")',
        'HYPERLINK("http://evil.example/","x")',
        "cmd|'/c calc'!A0",
        'RTD("a","b","c")',
        'CALL("kernel32","WinExec")',
        "[1]T!A1+1",
        "_xlfn.EVIL_1(1)",
        "evil",
        "'=1+1'!A1+1",
        "<script>",
        "A1#",
        "SUM('a[b]:c*?/\\d'!A1,1)",
    )
    for number, text in enumerate(formulas, len(TEXTS) + 1):
        rows.append(packages.row(number, f'<c r="A{number}" t="str"><f>{escape(text)}</f><v>=1+1</v></c>'))
    return "".join(rows)


def _attention() -> str:
    """X, three weights and a wrong product among labels that are hostile: roles, causes and findings speak of them."""
    labels = ["=Token", "<b>W_q</b>", "\u202eK", "@V"]
    rows = []
    for r in range(3):
        x = "".join(f'<c r="{"BC"[c]}{r + 1}"><v>{(r + 1) * (c + 2) / 10}</v></c>' for c in range(2))
        rows.append(packages.row(r + 1, _cell(f"A{r + 1}", labels[r]) + x))
    for w in range(2):
        row = 6 + 4 * w
        cells = [
            "".join(f'<c r="{"BC"[c]}{row + r}"><v>{(r + c + w + 1) / 10}</v></c>' for c in range(2)) for r in range(2)
        ]
        rows.append(packages.row(row - 1, _cell(f"B{row - 1}", labels[1 + w])))
        rows += [packages.row(row + r, cells[r]) for r in range(2)]
    for r in range(3):
        row = 20 + r
        formulas = [f"$B{r + 1}*{c}${6}+$C{r + 1}*{c}$7" for c in "BC"] + [
            f"$B{r + 1}*{c}$10+$C{r + 1}*{c}$11" for c in "BC"
        ]
        rows.append(
            packages.row(
                row,
                _cell(f"A{row}", labels[r])
                + "".join(f'<c r="{"BCEF"[c]}{row}"><f>{formulas[c]}</f><v>0.5</v></c>' for c in range(4)),
            )
        )
    return "".join(rows)


def workbook() -> bytes:
    """The file. Its first sheet holds the texts, the second a little attention, the others one formula each."""
    names = [quoteattr(name).replace("&amp;#10;", "&#10;") for name in SHEETS]
    book = "".join(f'<sheet name={name} sheetId="{i}" r:id="rIdS{i}"/>' for i, name in enumerate(names, 1))
    defined = "".join(
        f"<definedName name={quoteattr(name)}>{escape(text)}</definedName>"
        for name, text in (("evil", "cmd|'/c calc'!A0"), ("<b>n</b>", "1"), ("_x001B_[31m", "S!$A$1"), ("=n", "S!$B$1"))
    )
    private = 'xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"'
    before = f'<x15ac:absPath {private} url="C:\\Users\\private-folder\\Desktop\\"/>'
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        "_rels/.rels": packages.relationships(
            ("rId1", "officeDocument", "xl/workbook.xml"),
            ("rId2", "extended-properties", "docProps/app.xml"),
            ("rId3", "core-properties", "docProps/core.xml"),
        ),
        "xl/workbook.xml": packages.workbook(
            book,
            f'<externalReferences><externalReference r:id="rIdX"/></externalReferences><definedNames>{defined}</definedNames>',  # noqa: E501
            before,
        ),
        "xl/_rels/workbook.xml.rels": packages.relationships(
            *((f"rIdS{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(SHEETS) + 1)),
            ("rIdX", "externalLink", "externalLinks/externalLink1.xml"),
        ),
        "xl/externalLinks/externalLink1.xml": f'<externalLink xmlns="{packages.MAIN}" xmlns:r="{packages.OFFICE}"><externalBook r:id="rId1">'  # noqa: E501
        '<sheetNames><sheetName val="T"/></sheetNames><sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1"><v>41</v></cell></row>'  # noqa: E501
        "</sheetData></sheetDataSet></externalBook></externalLink>",
        "xl/externalLinks/_rels/externalLink1.xml.rels": f'<Relationships xmlns="{packages.RELS}"><Relationship Id="rId1" '  # noqa: E501
        f'Type="{packages.OFFICE}/externalLinkPath" Target="file:///\\\\private-server\\share\\b.xlsx" TargetMode="External"/></Relationships>',  # noqa: E501
        "docProps/app.xml": "<Properties><Application>=&lt;script&gt;alert(4)&lt;/script&gt;</Application><Company>Private-Company</Company>"  # noqa: E501
        "<Manager>Private-Manager</Manager></Properties>",
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '  # noqa: E501
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Private-Author</dc:creator>'
        "<cp:lastModifiedBy>Private-Editor</cp:lastModifiedBy></cp:coreProperties>",
        "xl/worksheets/_rels/sheet1.xml.rels": packages.relationships(("rId1", "comments", "../comments1.xml")),
        "xl/comments1.xml": f'<comments xmlns="{packages.MAIN}"><authors><author>Private-Commenter</author></authors><commentList>'  # noqa: E501
        '<comment ref="A1" authorId="0"><text><t>=1+1</t></text></comment></commentList></comments>',
    }
    for i in range(1, len(SHEETS) + 1):
        rows = (
            _texts()
            if i == 1
            else _attention()
            if i == 2
            else packages.row(1, '<c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f><v>5</v></c>' + _cell("C1", "=1+1"))
        )
        parts[f"xl/worksheets/sheet{i}.xml"] = packages.worksheet(rows)
    return packages.pack(parts)
