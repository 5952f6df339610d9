"""Choices that are none, said before anything is written."""

from __future__ import annotations

from typing import Final, NoReturn

from xlsx_attention.errors import UsageError
from xlsx_attention.generating.texts import SHEETS
from xlsx_attention.model.example import BLANKS, LANGUAGES, LAYOUTS, LESSONS, MASKS, STYLES, TENSORS, ExampleSpec

#: Field → its choices, for the fields that hold one word or several.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "layout": LAYOUTS,
    "style": STYLES,
    "mask": MASKS,
    "lang": LANGUAGES,
    "lessons": LESSONS,
    "blanks": BLANKS,
    "tensors": TENSORS,
}
#: Field → the least and the most that it may be.
RANGES: Final[dict[str, tuple[int, int]]] = {
    "heads": (1, 64),
    "decimals": (0, 15),
    "versions": (1, 1000),
    "mistakes": (0, 100),
}


_NOT_IN_NAMES: Final = "[]:*?/\\"
_LONGEST_NAME: Final = 31


def refuse(code: str, message: str) -> NoReturn:
    raise UsageError(code, message)


def _check_sheet_name(spec: ExampleSpec) -> None:
    """Excel's own rules for the names of sheets."""
    name = spec.name
    if name is None:
        return
    bad = next((c for c in name if c in _NOT_IN_NAMES or not c.isprintable()), None)
    if bad is not None or name[:1] == "'" or name[-1:] == "'":
        refuse("sheet-name", f"{name!r} cannot name a sheet; leave out {bad or chr(39)!r}")
    if not name.strip() or len(name.encode("utf-16-le")) > 2 * _LONGEST_NAME:
        refuse("sheet-name", f"{name!r} cannot name a sheet; 1 to {_LONGEST_NAME} characters fit")
    if name.lower() in {"history", *(SHEETS[lesson].lower() for lesson in spec.lessons[1:])}:
        refuse("sheet-name", f"{name!r} is taken; give the sheet another name")


def check_choices(spec: ExampleSpec) -> None:
    """:class:`UsageError` for a word that is no choice, a number out of range, options that exclude each other."""
    for field, allowed in CHOICES.items():
        given = getattr(spec, field)
        for word in (given,) if isinstance(given, str) else given:
            if word not in allowed:
                refuse("choice", f"{field}: {word!r} is not known; {', '.join(allowed)} are")
    for field, (least, most) in RANGES.items():
        number = getattr(spec, field)
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            refuse("range", f"{field} is {number!r}; a whole number from {least} to {most} fits")
    for field in ("tokens", "target"):
        for token in getattr(spec, field):
            if not isinstance(token, str) or not token.strip():
                refuse("tokens", f"{field}: {token!r} is no token; each is a text that is not empty")
    _check_sheet_name(spec)
    if not spec.lessons:
        refuse("choice", f"no lesson is asked for; {', '.join(spec.lessons or LESSONS)} are known")
    if len(set(spec.lessons)) < len(spec.lessons):
        refuse("choice", "a lesson is asked for twice; each is one sheet")
    if spec.embedding and "X" in spec.tensors:
        refuse("embedding", "X is given and to be derived from an embedding as well; leave one of them out")
    if "table" in spec.tensors and not spec.embedding:
        refuse("embedding", "an embedding table is given, but no embedding is asked for; add --embedding")
    if spec.exercise and spec.mistakes:
        refuse("exercise", "an exercise and planted mistakes are two kinds of work; ask for one of them")
    if spec.exercise and spec.style in ("spill", "lambda"):
        refuse("exercise", "an exercise is filled in cell by cell; the styles cell and mmult fit")
    if spec.exercise and not spec.blanks:
        refuse("exercise", "no step is left blank; name at least one")
