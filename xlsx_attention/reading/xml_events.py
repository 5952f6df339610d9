"""XML as events, through expat alone: no tree, no DTD, no entities, bounded depth, namespaces folded away.

Names of the file format's own namespaces (transitional and strict, whatever their prefix) arrive as plain local
names; any other element keeps its namespace in front, so that an extension's ``f`` is never taken for a cell's formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias
from xml.parsers import expat

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import Budgets

Attributes: TypeAlias = dict[str, str]

_OWN = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/package/2006/relationships",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties",
    "http://purl.oclc.org/ooxml/officeDocument/extendedProperties",
    "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray",
)
_LINKS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
)
#: Octets of an unfinished token from which on expat is fed in growing pieces.
PATIENCE = 1 << 21
_XML = "http://www.w3.org/XML/1998/namespace"
_PREFIXES = {**dict.fromkeys(_OWN, ""), **dict.fromkeys(_LINKS, "r:"), _XML: "xml:"}


class Names(dict[str, str]):
    """Expat's ``"namespace local"`` → the name that the handlers know; grows as names are met."""

    def __missing__(self, name: str) -> str:
        namespace, space, local = name.rpartition(" ")
        prefix = _PREFIXES.get(namespace) if space else ""
        known = name if prefix is None else prefix + local
        if len(self) < 10_000:
            self[name] = known
        return known


@dataclass(slots=True)
class Handlers:
    """What to do with elements, by name: ``start`` gets the attributes, ``end`` the element's own text.

    ``namespaces`` collects the namespaces that the part declares (bounded).
    """

    start: dict[str, Callable[[Attributes], None]] = field(default_factory=dict)
    end: dict[str, Callable[[str], None]] = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)


class XmlFeed:
    """One expat parser over one part: refuses DTDs, bounds the depth, and says part and line when the XML is broken."""

    def __init__(self, part: str, budgets: Budgets) -> None:
        self.part = part
        self.budgets = budgets
        self.names = Names()
        self._fed = self._waiting = 0
        self._held: list[bytes] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 16
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise UnreadableFile(
            "dtd", "the part declares a document type, which no workbook does; save it again in Excel", where=self.part
        )

    def too_much(self, depth: int) -> UnreadableFile:
        """The refusal for a part that is nested too deep or else has too many elements."""
        if depth > self.budgets.xml_depth:
            return self.budgets.over("xml_depth", depth, self.part)
        return self.budgets.over("elements", self.budgets.elements + 1, self.part)

    def feed(self, data: bytes, last: bool = False) -> None:
        """Pass bytes on to expat, unless it waits for the end of a token.

        Expat before 2.6 begins such a token anew with each piece. So what follows is held back until it is as long as
        what waits: then a token of any length costs linear time.
        """
        self._fed += len(data)
        self._held.append(data)
        if self._waiting > PATIENCE and not last and sum(map(len, self._held)) < self._waiting:
            return
        data = b"".join(self._held) if len(self._held) > 1 else data
        self._held.clear()
        self._parse(data, last)
        self._waiting = self._fed - self.parser.CurrentByteIndex

    def _parse(self, data: bytes, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            raise UnreadableFile(
                "broken-xml",
                f"broken XML in line {error.lineno}, column {error.offset + 1} "
                f"({expat.ErrorString(error.code)}); save it again in Excel",
                where=self.part,
            ) from None
        except (
            ValueError,
            LookupError,
        ) as error:  # an encoding that Python does not know, or not as one byte a character
            raise UnreadableFile("broken-xml", f"the part cannot be decoded ({error})", where=self.part) from None


def parse(pieces: Iterable[bytes], part: str, handlers: Handlers, budgets: Budgets) -> None:
    """Feed ``pieces`` to expat and call ``handlers``."""
    feed = XmlFeed(part, budgets)
    names, starts, ends = feed.names, handlers.start, handlers.end
    most_depth, most_elements = budgets.xml_depth, budgets.elements
    depth = elements = 0
    text: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > most_depth or elements > most_elements:
            raise feed.too_much(depth)
        text.clear()
        handler = starts.get(names[name])
        if handler is not None:
            handler({names[key]: value for key, value in attributes.items()} if attributes else attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler = ends.get(names[name])
        if handler is not None:
            handler("".join(text))
        text.clear()

    def namespace(_prefix: str | None, uri: str | None) -> None:
        if uri and len(handlers.namespaces) < 1_000:
            handlers.namespaces.add(uri)

    feed.parser.StartElementHandler = start
    feed.parser.EndElementHandler = end
    feed.parser.StartNamespaceDeclHandler = namespace
    if ends:
        feed.parser.CharacterDataHandler = text.append
    for piece in pieces:
        feed.feed(piece)
    feed.feed(b"", last=True)
