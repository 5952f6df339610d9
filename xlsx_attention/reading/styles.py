"""Number formats: from a cell's style index to a format code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from xlsx_attention.reading.package import Package
from xlsx_attention.reading.xml_events import Attributes, Handlers

#: Formats that files refer to by number alone (ECMA-376 part 1, 18.8.30; the form that Excel shows in English).
BUILTIN: Final[dict[int, str]] = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "mm-dd-yy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mmss.0",
    48: "##0.0E+0",
    49: "@",
}
_MOST = 65_535


def integer(text: str | None, default: int = -1) -> int:
    """A small natural number as XML has it, else ``default``; never more lenient than the format."""
    if text is not None and text.isascii() and text.isdigit() and len(text) <= 10:
        return int(text)
    return default


@dataclass(slots=True)
class NumberFormats:
    """``codes`` are the distinct formats, ``General`` first; ``by_style`` leads from a cell's style index into them."""

    codes: list[str] = field(default_factory=lambda: ["General"])
    by_style: list[int] = field(default_factory=list)
    _index: dict[str, int] = field(default_factory=lambda: {"General": 0})

    def add(self, code: str) -> int:
        index = self._index.get(code)
        if index is None:
            if len(self.codes) >= _MOST:
                return 0
            index = self._index[code] = len(self.codes)
            self.codes.append(code)
        return index

    def of(self, style: int) -> int:
        """The format of a style index; an index out of range is General."""
        return self.by_style[style] if 0 <= style < len(self.by_style) else 0


def read_styles(package: Package, part: str) -> NumberFormats:
    """Formats of ``cellXfs``. Fonts, fills and everything else in the part are passed over."""
    formats = NumberFormats()
    own: dict[int, str] = {}
    inside = False

    def number_format(attributes: Attributes) -> None:
        own[integer(attributes.get("numFmtId"))] = attributes.get("formatCode", "General")

    def enter(_attributes: Attributes) -> None:
        nonlocal inside
        inside = True

    def leave(_text: str) -> None:
        nonlocal inside
        inside = False

    def xf(attributes: Attributes) -> None:
        if inside and len(formats.by_style) < _MOST:
            number = integer(attributes.get("numFmtId"), 0)
            formats.by_style.append(formats.add(own.get(number) or BUILTIN.get(number, "General")))

    start: dict[str, Callable[[Attributes], None]] = {"numFmt": number_format, "cellXfs": enter, "xf": xf}
    package.parse(part, Handlers(start=start, end={"cellXfs": leave}))
    return formats
