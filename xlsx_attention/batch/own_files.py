"""Answers and keys that ``generate`` leaves beside a lesson: they are no submission, wherever they lie."""

from __future__ import annotations

import os
import re

from xlsx_attention.batch.opening import open_input
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import Budgets
from xlsx_attention.reading.package import Package
from xlsx_attention.writing.workbook import CREATED

_NAME = re.compile(r"(?P<lesson>.+)-(?P<kind>answers|key)(?P<suffix>\.xlsx)", re.IGNORECASE)
_PROPERTIES = "docProps/core.xml"
#: A file that says more about itself than this was not written here.
_LONGEST = 1 << 16


def why_no_submission(path: str, budgets: Budgets) -> str:
    """A reason, or ``""`` for a file that may be a submission.

    ``…-answers.xlsx`` is told by the title among its properties, ``…-key.xlsx`` by the time stamp of this package's
    workbooks and the exercise beside it: a student who calls a file like this, or a key that lies alone, is judged.
    """
    name = _NAME.fullmatch(os.path.basename(path))
    if name is None:
        return ""
    said = _properties(path, budgets)
    if name["kind"].lower() == "answers":
        # Here, so that a batch without such a file does not load the generator.
        from xlsx_attention.generating.answer_texts import TITLES

        title = re.search(r"<dc:title>([^<]*)</dc:title>", said)
        ours = title is not None and title[1] in TITLES.values()
        return "holds the answers to planted mistakes, not a submission" if ours else ""
    lesson = os.path.join(os.path.dirname(path), name["lesson"] + name["suffix"])
    ours = f">{CREATED:%Y-%m-%dT%H:%M:%SZ}</dcterms:created>" in said and os.path.isfile(lesson)
    return f"is the key of {os.path.basename(lesson)}, not a submission" if ours else ""


def _properties(path: str, budgets: Budgets) -> str:
    """The document's properties as XML; ``""`` where they cannot be read or are longer than ours."""
    said = b""
    try:
        with open_input(path) as stream:
            package = Package(stream.read(budgets.file_bytes + 1), budgets)
        if _PROPERTIES in package:
            for piece in package.stream(_PROPERTIES):
                said += piece
                if len(said) > _LONGEST:
                    return ""
    except (UnreadableFile, OSError):
        return ""  # said of the file when it is judged
    return said.decode("utf-8", "replace")
