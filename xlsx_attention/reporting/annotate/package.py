"""A zip package with some parts replaced or added, and every other member as it was, to the byte.

``zipfile`` cannot copy a member without packing it anew, so members are copied here with their own headers; only the
offsets in the central directory change. Source of the layout: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and
4.3.16.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from typing import Final
from urllib.parse import unquote
from xml.etree import ElementTree

from xlsx_attention.errors import UsageError
from xlsx_attention.reporting.annotate.xml_places import edited, elements, utf8

_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
#: The reader has its own budgets for the parts that it reads; this one is for notes and drawings as well.
_LARGEST: Final = 512 << 20
_DESCRIPTOR: Final = 0x08
_UTF8: Final = 0x800
#: 1980-01-01, the zip format's first day: the same input gives the same bytes.
_FIRST_DAY: Final = (0, 33)
_RELATIONSHIPS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_CONTENT_TYPES: Final = "[Content_Types].xml"


class Package:
    """Reads parts by name (letter case as the relationships give it does not matter), and collects what is to
    change.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.zip = zipfile.ZipFile(io.BytesIO(data))
        self.names = {name.lower(): name for name in self.zip.namelist()}
        self.changed: dict[str, bytes] = {}

    def has(self, part: str) -> bool:
        return part.lower() in self.names or part in self.changed

    def read(self, part: str) -> bytes:
        """A part's bytes. :class:`UsageError` for one that is larger than any real one, or that declares entities."""
        name = self.names.get(part.lower(), part)
        if name in self.changed:
            return self.changed[name]
        if self.zip.getinfo(name).file_size > _LARGEST:
            raise UsageError("over-budget", f"a part of more than {_LARGEST >> 20} MiB cannot be annotated", where=name)
        data = self.zip.read(name)
        if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data[:4096]:
            raise UsageError("declares-entities", "the part declares entities, which no workbook needs", where=name)
        return data

    def write(self, part: str, data: bytes) -> None:
        """Replace or add a part."""
        self.changed[self.names.get(part.lower(), part)] = data

    def free_name(self, pattern: str) -> str:
        """The first of ``xl/comments1.xml``, ``xl/comments2.xml`` … that is not taken."""
        number = 1
        while self.has(pattern.format(number)):
            number += 1
        return pattern.format(number)

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relationship id → (last word of its type, part that it leads to)."""
        path = relations_of(part)
        if not self.has(path):
            return {}
        found = {}
        for node in ElementTree.fromstring(self.read(path)):
            if node.get("TargetMode") == "External":
                continue
            target = unquote(node.get("Target", ""))
            joined = target[1:] if target.startswith("/") else posixpath.join(posixpath.dirname(part), target)
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = (kind, posixpath.normpath(joined))
        return found

    def relate(self, part: str, kind: str, target: str) -> str:
        """A new relationship from ``part``; gives its id."""
        path = relations_of(part)
        taken = set(self.relations(part)) | self._external_ids(path)
        number = 1
        while f"rId{number}" in taken:
            number += 1
        relative = posixpath.relpath(target, posixpath.dirname(part))  # not every program follows an absolute one
        row = f'<Relationship Id="rId{number}" Type="{kind}" Target="{relative}"/>'.encode()
        if self.has(path):
            self.write(path, _append(self.read(path), row))
        else:
            head = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships xmlns="{_RELATIONSHIPS}">'
            self.write(path, head.encode() + row + b"</Relationships>")
        return f"rId{number}"

    def _external_ids(self, path: str) -> set[str]:
        if not self.has(path):
            return set()
        return {node.get("Id", "") for node in ElementTree.fromstring(self.read(path))}

    def declare(self, part: str | None, extension: str, content_type: str) -> None:
        """The content type of a part (``Override``), or of all parts with an extension (``Default``)."""
        text = self.read(_CONTENT_TYPES)
        for node in ElementTree.fromstring(text):
            if part is None and node.get("Extension", "").lower() == extension:
                return
        row = (
            f'<Default Extension="{extension}" ContentType="{content_type}"/>'
            if part is None
            else f'<Override PartName="/{part}" ContentType="{content_type}"/>'
        )
        self.write(_CONTENT_TYPES, _append(text, row.encode()))

    def packed(self) -> bytes:
        """The package with its changes."""
        out = io.BytesIO()
        directory: list[bytes] = []
        for info, entry in zip(self.zip.infolist(), self._central_entries(), strict=True):
            offset = out.tell()
            new = self.changed.get(info.filename)
            if new is None:
                out.write(self._raw(info))
                directory.append(entry[:42] + struct.pack("<I", offset) + entry[46:])
            else:
                directory.append(_member(out, info.filename, new))
        known = set(self.zip.namelist())
        for name, data in self.changed.items():
            if name not in known:
                directory.append(_member(out, name, data))
        start = out.tell()
        for entry in directory:
            out.write(entry)
        size = out.tell() - start
        comment = self.zip.comment
        out.write(_END.pack(b"PK\5\6", 0, 0, len(directory), len(directory), size, start, len(comment)) + comment)
        return out.getvalue()

    def _raw(self, info: zipfile.ZipInfo) -> bytes:
        """A member with its local header and data descriptor."""
        start = info.header_offset
        fields = _LOCAL.unpack_from(self.data, start)
        end = start + _LOCAL.size + fields[9] + fields[10] + info.compress_size
        if fields[2] & _DESCRIPTOR:
            end += 16 if self.data[end : end + 4] == b"PK\7\x08" else 12
        return self.data[start:end]

    def _central_entries(self) -> list[bytes]:
        place = self.zip.start_dir
        entries = []
        for info in self.zip.infolist():
            fields = _CENTRAL.unpack_from(self.data, place)
            if fields[0] != b"PK\1\2" or 0xFFFFFFFF in (fields[8], fields[9], fields[16]):
                raise UsageError(
                    "zip64", "packages with 64-bit entries cannot be annotated; save the file anew", where=info.filename
                )
            end = place + _CENTRAL.size + fields[10] + fields[11] + fields[12]
            entries.append(self.data[place:end])
            place = end
        return entries


def _member(out: io.BytesIO, name: str, data: bytes) -> bytes:
    """Write one member, deflated; gives its entry in the central directory."""
    offset = out.tell()
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    raw = name.encode("utf-8")
    flags = 0 if raw.isascii() else _UTF8
    common = (20, flags, 8, *_FIRST_DAY, zlib.crc32(data), len(packed), len(data), len(raw), 0)
    out.write(_LOCAL.pack(b"PK\3\4", *common) + raw + packed)
    return _CENTRAL.pack(b"PK\1\2", 20, *common, 0, 0, 0, 0, offset) + raw


def relations_of(part: str) -> str:
    """``xl/worksheets/sheet1.xml`` → ``xl/worksheets/_rels/sheet1.xml.rels``."""
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _append(xml: bytes, row: bytes) -> bytes:
    """A last child of the root element, in the root's namespace, whatever prefix that has."""
    xml = utf8(xml)
    root = elements(xml, lambda name, depth: depth == 0)[0]
    prefix = root.prefix.encode()
    row = b"<" + prefix + row[1:]
    if not root.is_empty:
        return edited(xml, [(root.close, root.close, row)])
    tag = xml[root.start : root.end - 2] + b">"
    return edited(xml, [(root.start, root.end, tag + row + b"</" + prefix + root.name.encode() + b">")])
