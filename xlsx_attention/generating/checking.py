"""Choices that are none, said before anything is written."""

from __future__ import annotations

from typing import Final, NoReturn

from xlsx_attention.errors import UsageError
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


def refuse(code: str, message: str) -> NoReturn:
    raise UsageError(code, message)


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
