"""New fills and cell formats in a workbook's styles: every old one keeps its number."""

from __future__ import annotations

from typing import Final

from xlsx_attention.reporting.annotate.xml_places import Element, edited, elements, utf8, with_attribute
from xlsx_attention.reporting.palette import VERDICT_SHADES

#: Excel opens no workbook with more cell formats than this. Source: Microsoft's page "Excel specifications and limits".
_MOST_FORMATS: Final = 65_490


class Styles:
    """Hands out formats like an old one but filled by verdict; :meth:`part` gives the part with them."""

    def __init__(self, xml: bytes) -> None:
        self.xml = utf8(xml)
        found = elements(self.xml, lambda name, depth: depth == 1 or (depth == 2 and name in ("xf", "fill")))
        tops = {element.name: element for element in found if element.depth == 1}
        self.fills = tops.get("fills")
        self.formats = tops.get("cellXfs")
        self.xfs = self._within(found, self.formats, "xf")
        self.fill_count = len(self._within(found, self.fills, "fill"))
        self.new_fills: dict[str, int] = {}
        self.new_formats: dict[tuple[int, str], int] = {}
        self._rows: list[bytes] = []

    @staticmethod
    def _within(found: list[Element], parent: Element | None, name: str) -> list[Element]:
        if parent is None:
            return []
        return [e for e in found if e.depth == 2 and e.name == name and parent.inner <= e.start < parent.close]

    def filled(self, old: int, verdict: str) -> int | None:
        """The number of the format ``old`` with the verdict's fill; ``None`` where the workbook has no room or no
        formats.
        """
        if self.fills is None or not old < len(self.xfs):
            return None
        key = (old, verdict)
        if key not in self.new_formats:
            number = len(self.xfs) + len(self.new_formats)
            if number >= _MOST_FORMATS:
                return None
            fill = self.new_fills.setdefault(verdict, self.fill_count + len(self.new_fills))
            xf = self.xfs[old]
            tag = with_attribute(self.xml[xf.start : xf.inner], "fillId", str(fill))
            self._rows.append(with_attribute(tag, "applyFill", "1") + self.xml[xf.inner : xf.end])
            self.new_formats[key] = number
        return self.new_formats[key]

    @property
    def changed(self) -> bool:
        return bool(self.new_formats)

    def part(self) -> bytes:
        assert self.fills is not None
        assert self.formats is not None
        prefix = self.fills.prefix
        fills = b"".join(_fill(prefix, verdict) for verdict in self.new_fills)
        edits = [
            *_grown(self.xml, self.fills, self.fill_count + len(self.new_fills), fills),
            *_grown(self.xml, self.formats, len(self.xfs) + len(self._rows), b"".join(self._rows)),
        ]
        return edited(self.xml, edits)


def _fill(prefix: str, verdict: str) -> bytes:
    colour = "FF" + VERDICT_SHADES[verdict].fill[1:]
    return (
        f'<{prefix}fill><{prefix}patternFill patternType="solid"><{prefix}fgColor rgb="{colour}"/>'
        f'<{prefix}bgColor indexed="64"/></{prefix}patternFill></{prefix}fill>'
    ).encode()


def _grown(xml: bytes, parent: Element, count: int, rows: bytes) -> list[tuple[int, int, bytes]]:
    """Rows at the end of a list, and its new count."""
    tag = with_attribute(xml[parent.start : parent.inner], "count", str(count))
    return [(parent.start, parent.inner, tag), (parent.close, parent.close, rows)]
