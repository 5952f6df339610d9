"""The looks of a lesson."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from xlsx_attention.writing import AttentionWorkbook

#: What Excel's built-in style "Input" looks like.
_INPUT: Final = {"bg_color": "#FFCC99", "font_color": "#3F3F76", "border": 1, "border_color": "#7F7F7F"}
_CELL: Final = {"border": 1, "border_color": "#D0D7DE"}
_RESULT: Final = {**_CELL, "bg_color": "#EAF3E6"}
_BODY: Final = {"font_name": "Calibri", "font_size": 10, "valign": "vcenter"}

#: Name → properties of a format. Those of numbers get their number format when they are asked for.
_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "heading": {"bold": True, "font_size": 16, "font_color": "#1F3864"},
    "remark": {"font_color": "#595959"},
    "head": {"bold": True, "font_size": 12, "font_color": "#FFFFFF", "bg_color": "#2F5597"},
    "title": {"bold": True, "font_size": 11, "font_color": "#1F3864"},
    "mathematics": {"font_name": "Cambria Math", "font_color": "#404040"},
    "numpy": {"font_name": "Consolas", "font_size": 9, "font_color": "#2E75B6"},
    "label": {"bold": True, "align": "center", "bg_color": "#DEEAF6", "border": 1, "border_color": "#D0D7DE"},
    "side label": {"bold": True, "align": "right", "bg_color": "#DEEAF6", "border": 1, "border_color": "#D0D7DE"},
    "name": {"bold": True, "align": "right"},
    "arrow": {"align": "center", "font_size": 14, "font_color": "#2F5597", "bold": True},
    "input": _INPUT,
    "formula": _CELL,
    "result": _RESULT,
    "blank": {"bg_color": "#FFF2CC", "border": 1, "border_color": "#BF9000", "locked": False},
    "check": {"bold": True, "align": "center", "hidden": True},
    "wrapped": {"text_wrap": True, "valign": "top", "align": "left", **_CELL},
    "score": {"bold": True, "align": "left", "hidden": True},
    "hidden": {"num_format": "0E+0", "font_color": "#7F7F7F"},
    "good": {"font_color": "#00802B"},
    "bad": {"font_color": "#C00000", "bg_color": "#F8CBAD"},
}


#: Looks that a condition puts over a cell's own.
_CONDITIONAL: Final = ("hidden", "good", "bad")


@dataclass(slots=True)
class Looks:
    """The formats of one workbook, each made once."""

    book: AttentionWorkbook
    made: dict[tuple[str, str], Any]

    def __call__(self, name: str, number: str = "") -> Any:
        """The format called ``name``, with a number format where one is given."""
        key = (name, number)
        if key not in self.made:
            numbers = {"num_format": number, "align": "right"} if number else {}
            # What a condition changes says only what it changes; Excel keeps no fonts and sizes for it.
            body = {} if name in _CONDITIONAL else _BODY
            self.made[key] = self.book.add_format({**body, **numbers, **_LOOKS[name]})
        return self.made[key]


def number_format(role: str, decimals: int) -> str:
    """Inputs with the decimals that they were drawn with, weights with three, the rest with two."""
    places = "." + "0" * decimals if decimals else ""
    if role in ("mask", "causal", "ids", "pos", "dim"):
        return "0"
    if role in ("weights", "exp", "normaliser"):
        return "0.000"
    if role in ("X", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "table"):
        return f"0{places}"
    return "0.00"
