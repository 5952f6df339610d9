"""Every code that reading gives, with its meaning. Codes are stable; sentences may change."""

from __future__ import annotations

from typing import Final

#: The file as a whole is refused (``UnreadableFile.code``).
REFUSALS: Final[dict[str, str]] = {
    "missing-file": "there is no such file, or it cannot be opened",
    "not-a-file": "the path is a directory, a pipe, a socket or a device",
    "empty-file": "the file holds no bytes",
    "not-a-zip": "the content is no zip archive, whatever the name says (text, HTML, CSV, ...)",
    "truncated": "the zip archive is cut off or its directory is damaged",
    "bad-crc": "a part's bytes do not give the checksum or the stream that the archive promises",
    "bad-compression": "a part is stored with a method that workbooks do not use",
    "encrypted-zip": "the entries of the zip archive are encrypted",
    "password-protected": "the workbook is encrypted with a password",
    "legacy-xls": "a binary workbook of Excel 97-2003 (.xls)",
    "ole-container": "an OLE container that holds no workbook",
    "xlsb": "a binary workbook (.xlsb)",
    "ods": "an OpenDocument file (.ods)",
    "duplicate-part": "two parts have one name, or names that differ in case alone",
    "no-workbook": "the package holds no workbook part",
    "no-sheets": "the workbook lists no worksheet",
    "missing-part": "a part that the workbook needs is not in the package",
    "broken-xml": "a part is no well-formed XML",
    "dtd": "a part declares a document type or entities",
    "over-budget": "a limit was passed; the message says which, and the option that raises it",
    "no-such-sheet": "a sheet that was asked for is not in the workbook",
}

#: Something odd that was let pass (``Notice.code``); the rest of the file is read.
NOTICES: Final[dict[str, str]] = {
    "bad-number": "a cell's value is no finite decimal number",
    "bad-logical": "a cell's value is neither 0 nor 1",
    "bad-date": "a cell's value is no ISO 8601 date",
    "bad-string-index": "a cell points outside the table of shared strings",
    "unknown-type": "a cell's type is none of the file format's",
    "unknown-error": "a cell holds an error that Excel does not have",
    "bad-reference": "a cell's address cannot be read",
    "outside-grid": "a cell lies outside the 1,048,576 x 16,384 grid",
    "duplicate-cell": "a cell is written more than once; the last one counts",
    "shared-master-missing": "a member of a shared formula whose first cell is missing",
    "array-range": "the range of an array formula cannot be read or is far larger than its cells",
    "empty-formula": "an empty formula outside any array range",
    "formula-too-long": "a formula is longer than the limit",
    "unknown-formula-type": "a formula's type is none of the file format's",
    "data-table": "a what-if data table, which is not computed",
    "optional-part": "a part that holds no cells could not be read and was left out",
    "unsafe-part-name": "a part's name is absolute or climbs out of the package; it was left out",
    "bad-name": "a defined name without a name or with a sheet that does not exist",
    "more": "further notices of the same kind",
}

CODES: Final[dict[str, str]] = {**REFUSALS, **NOTICES}
