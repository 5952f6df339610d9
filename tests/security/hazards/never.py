"""What is never evaluated: nothing is fetched, started or run, whatever a formula, a name or a sheet asks for."""

from __future__ import annotations

from tests.reading import packages
from tests.security.hazards.build import book, formula, number, one
from tests.security.hazards.outcome import Hazard, Outcome, Read

LACKS = {"agrees": 1, "not-computed": 1}
FORMULAS: list[tuple[str, Outcome]] = [
    ('WEBSERVICE("http://127.0.0.1:9/")', Read(LACKS, (), "WEBSERVICE")),
    ('IMAGE("http://127.0.0.1:9/a.png")', Read(LACKS, (), "IMAGE")),
    ('RTD("prog.id","127.0.0.1","topic")', Read(LACKS, (), "RTD")),
    ('CALL("kernel32","WinExec","JCJ","calc",0)', Read(LACKS, (), "CALL")),
    ('REGISTER.ID("kernel32","WinExec")', Read(LACKS, (), "REGISTER.ID")),
    ('SQL.REQUEST("DSN=x","select 1")', Read(LACKS, (), "SQL.REQUEST")),
    ('STOCKHISTORY("MSFT",1)', Read(LACKS, (), "STOCKHISTORY")),
    ("cmd|'/c calc'!A0", Read(LACKS, (), "formula not understood")),
    ('HYPERLINK("http://127.0.0.1:9/","x")', Read({"agrees": 1, "origin": 1})),
    ("__import__('os').system('true')", Read(LACKS, (), "formula not understood")),
    ('EVAL("1+1")', Read({"agrees": 1, "origin": 1})),
    ('EXEC("calc")', Read({"agrees": 1, "origin": 1})),
]
#: Texts that a careless program would format, match, evaluate or print.
TEXTS = (
    "__import__('os')",
    "{0.__class__}",
    "{__globals__}",
    "%s%s%n",
    "%(x)s",
    "${jndi:ldap://127.0.0.1}",
    "{{7*7}}",
    "{% raw %}",
    "(a+)+$",
    "[",
    "\\1\\g<0>",
    "'; DROP TABLE cells; --",
    "$(true)",
    "`true`",
    "; rm -rf /tmp/x",
)


def _everywhere(text: str) -> bytes:
    """As a text, a sheet's name, a defined name, a table's column, a number format and the application's name."""
    from xml.sax.saxutils import quoteattr

    quoted = quoteattr(text)
    parts = packages.parts(
        packages.row(1, f'<c r="A1" t="inlineStr"><is><t>{quoted[1:-1]}</t></is></c><c r="B1" s="1"><v>1</v></c>')
        + packages.row(2, '<c r="A2"><f>B1+1</f><v>3</v></c><c r="B2"><f>B1&amp;A1</f><v>1</v></c>'),
        styles=f'<numFmts><numFmt numFmtId="164" formatCode={quoted}/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs>',  # noqa: E501
    )
    parts["xl/workbook.xml"] = packages.workbook(
        f'<sheet name={quoted} sheetId="1" r:id="rId1"/>',
        f"<definedNames><definedName name={quoted}>1</definedName></definedNames>",
    )
    parts["docProps/app.xml"] = f"<Properties><Application>{quoted[1:-1]}</Application></Properties>"
    parts["_rels/.rels"] = packages.relationships(
        ("rId1", "officeDocument", "xl/workbook.xml"), ("rId2", "extended-properties", "docProps/app.xml")
    )
    return packages.pack(parts)


def _external() -> bytes:
    """A link to a file that would exist: its cached cells are taken, the file is never opened."""
    link = (
        f'<externalLink xmlns="{packages.MAIN}" xmlns:r="{packages.OFFICE}"><externalBook r:id="rId1"><sheetNames><sheetName val="T"/></sheetNames>'  # noqa: E501
        '<sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1"><v>41</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>'  # noqa: E501
    )
    links = (
        f'<Relationships xmlns="{packages.RELS}"><Relationship Id="rId1" Type="{packages.OFFICE}/externalLinkPath" '
        'Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
    )
    return packages.book(
        packages.row(1, '<c r="A1"><f>[1]T!A1+1</f><v>42</v></c><c r="B1"><f>1+1</f><v>2</v></c>'),
        book_after='<externalReferences><externalReference r:id="rIdX"/></externalReferences>',
        links=(("rIdX", "externalLink", "externalLinks/externalLink1.xml"),),
        extra={"xl/externalLinks/externalLink1.xml": link, "xl/externalLinks/_rels/externalLink1.xml.rels": links},
    )


HAZARDS = (
    [Hazard("never evaluated", f"={text}", lambda text=text: one(text), outcome) for text, outcome in FORMULAS]  # type: ignore[misc]
    + [
        Hazard("never evaluated", f"{text!r} in every place", lambda text=text: _everywhere(text), Read({"origin": 2}))
        for text in TEXTS
    ]  # type: ignore[misc]
    + [
        Hazard("never evaluated", "an external workbook", _external, Read({"agrees": 1, "external": 1})),
        Hazard(
            "never evaluated",
            "a name that is a DDE link",
            lambda: book(number(0, 0, 1), formula(0, 1, "p", 0), names={"p": "cmd|'/c calc'!A0"}),
            Read({"origin": 1}, ("name-not-understood",)),
        ),
    ]
)
