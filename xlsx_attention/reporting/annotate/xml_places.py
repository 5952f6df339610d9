"""Where elements stand in a part, in bytes, so that text can be put in without touching the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat


@dataclass(frozen=True, slots=True)
class Element:
    """``start`` is at ``<``, ``inner`` behind the start tag's ``>``, ``close`` at the end tag's ``<``, ``end`` behind
    it all.

    An empty element ``<a/>`` has ``inner == close == end``. ``name`` is without its prefix.
    """

    name: str
    prefix: str
    attributes: dict[str, str]
    start: int
    inner: int
    close: int
    end: int
    depth: int

    @property
    def is_empty(self) -> bool:
        return self.inner == self.end


def utf8(xml: bytes) -> bytes:
    """A part as UTF-8, which parts nearly always are."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if xml.startswith(mark):
            text = xml[2:].decode(encoding)
            head, close, rest = text.partition("?>")
            return ('<?xml version="1.0" encoding="UTF-8"?>' + rest if close else head).encode()
    return xml


def elements(xml: bytes, wanted: Callable[[str, int], bool]) -> list[Element]:
    """The elements that ``wanted(name, depth)`` asks for, in the order in which they begin; the root has depth 0.

    Entities are not expanded: a part that declares any is refused by the reader before.
    """
    parser = expat.ParserCreate()
    found: list[list[Any]] = []
    stack: list[list[Any] | None] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        prefix, mark, local = name.rpartition(":")
        record: list[Any] | None = None
        if wanted(local, len(stack)):
            record = [local, prefix + mark, attributes, parser.CurrentByteIndex, -1, len(stack)]
            found.append(record)
        stack.append(record)

    def end(name: str) -> None:
        record = stack.pop()
        if record is not None:
            record[4] = parser.CurrentByteIndex

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(xml, True)
    result = []
    for name, prefix, attributes, begin, close, depth in found:
        inner = _tag_end(xml, begin)
        if xml[inner - 2 : inner] == b"/>":
            close = finish = inner
        else:
            finish = xml.index(b">", close) + 1
        result.append(Element(name, prefix, attributes, begin, inner, close, finish, depth))
    return result


def _tag_end(xml: bytes, start: int) -> int:
    """Behind the ``>`` of a start tag; a ``>`` within an attribute's value is none."""
    place, quote = start, 0
    while True:
        byte = xml[place]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"\"'":
            quote = byte
        elif byte == 0x3E:
            return place + 1
        place += 1


def with_attribute(tag: bytes, name: str, value: str) -> bytes:
    """A start tag with one attribute set (attributes without a prefix of their own)."""
    import re

    pattern = re.compile(rb"(\s" + name.encode() + rb'\s*=\s*)("[^"]*"|\'[^\']*\')')
    new = f'"{value}"'.encode()
    if pattern.search(tag):
        return pattern.sub(lambda match: match[1] + new, tag, count=1)
    cut = len(tag) - (2 if tag.endswith(b"/>") else 1)
    return tag[:cut].rstrip() + b" " + name.encode() + b"=" + new + tag[cut:]


def edited(xml: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """``xml`` with each (start, end, new bytes) put in; the spans do not overlap."""
    parts, place = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        parts += [xml[place:start], new]
        place = end
    parts.append(xml[place:])
    return b"".join(parts)
