"""The zip container: parts by name, inflated under a budget, and the relationships between them."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import Budgets
from xlsx_attention.reading.xml_events import Attributes, Handlers, parse

#: Expat before 2.6 scans a long token again from its start with each feed, so it gets few and large ones.
CHUNK = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Relationship:
    """``kind`` is the last word of the relationship's type, the same in transitional and strict files."""

    id: str
    kind: str
    target: str


class Package:
    """The parts of one file. Names are compared without case, as the package format asks; nothing is ever extracted."""

    def __init__(self, data: bytes, budgets: Budgets) -> None:
        self.budgets = budgets
        self.unsafe: list[str] = []
        self._total = 0
        self._passes: dict[str, tuple[int, int]] = {}
        self._parts: dict[str, zipfile.ZipInfo] = {}
        # Before the directory is read: each of its entries costs far more memory than its bytes.
        entries = data.count(b"PK\x01\x02")
        if entries > budgets.parts:
            raise budgets.over("parts", entries, "")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, UnicodeDecodeError, OSError):
            raise UnreadableFile(
                "truncated", "is a damaged or cut-off zip archive; download or save it again"
            ) from None
        infos = self._zip.infolist()
        if len(infos) > budgets.parts:
            raise budgets.over("parts", len(infos), "")
        for info in infos:
            self._register(info)

    def _register(self, info: zipfile.ZipInfo) -> None:
        name = info.filename.replace("\\", "/")
        if name.endswith("/"):
            return
        if name.startswith("/") or ".." in name.split("/"):
            self.unsafe.append(info.filename)
            return
        key = name.lower()
        if key in self._parts:
            raise UnreadableFile(
                "duplicate-part", f"the package holds two parts named {name!r}; save it again in Excel"
            )
        self._parts[key] = info

    def names(self) -> list[str]:
        """Every part's name in lower case."""
        return list(self._parts)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def stream(self, name: str) -> Iterator[bytes]:
        """The part's bytes in pieces of at most :data:`CHUNK`, counted against the budgets as they are inflated."""
        key = name.lower()
        info = self._parts.get(key)
        if info is None:
            raise UnreadableFile(
                "missing-part", "the part is missing from the package; save it again in Excel", where=name
            )
        if info.flag_bits & 0x1:
            raise UnreadableFile(
                "encrypted-zip", "the zip archive is encrypted; unpack it and save the workbook without a password"
            )
        if info.compress_type not in _METHODS:
            raise UnreadableFile("bad-compression", f"unknown compression method {info.compress_type}", where=name)
        # A second pass over a part (by expat, where the pattern gave up) is free; more of them are not, so that many
        # sheets cannot share one large part.
        passes, free = self._passes.get(key, (0, 0))
        if passes > 1:
            free = 0
        size = 0
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(CHUNK):
                    size += len(piece)
                    self._total += max(0, min(len(piece), size - free))
                    self._passes[key] = (passes + 1, max(size, free))
                    self._check(name, info, size)
                    yield piece
        except (zipfile.BadZipFile, zlib.error) as error:
            raise UnreadableFile(
                "bad-crc", f"the part is damaged ({error}); download or save it again", where=name
            ) from None
        except (EOFError, struct.error, NotImplementedError, RuntimeError, OSError, ValueError):
            raise UnreadableFile("truncated", "the part is cut off; download or save it again", where=name) from None

    def _check(self, name: str, info: zipfile.ZipInfo, size: int) -> None:
        budgets = self.budgets
        if size > budgets.part_bytes:
            raise budgets.over("part_bytes", size, name)
        if self._total > budgets.total_bytes:
            raise budgets.over("total_bytes", self._total, name)
        if size > budgets.RATIO_FLOOR and size > budgets.ratio * max(1, info.compress_size):
            raise budgets.over("ratio", size // max(1, info.compress_size), name)

    def read(self, name: str) -> bytes:
        return b"".join(self.stream(name))

    def parse(self, name: str, handlers: Handlers) -> None:
        """Run the part's XML through ``handlers``."""
        parse(self.stream(name), name, handlers, self.budgets)

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Relationships of ``part`` (``""`` for the package) by id, without external ones; targets are part names."""
        folder, _, base = part.rpartition("/")
        name = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
        found: dict[str, Relationship] = {}
        if name not in self:
            return found

        def relationship(attributes: Attributes) -> None:
            if attributes.get("TargetMode", "").lower() == "external":
                return
            target = resolve(folder, attributes.get("Target", ""))
            kind = attributes.get("Type", "").rpartition("/")[2]
            identifier = attributes.get("Id", "")
            found[identifier] = Relationship(identifier, kind, target)

        self.parse(name, Handlers(start={"Relationship": relationship}))
        return found


def resolve(folder: str, target: str) -> str:
    """The part that ``target`` names, seen from ``folder``. ``..`` never climbs above the package."""
    target = target.replace("\\", "/").partition("#")[0]
    path = [] if target.startswith("/") else [step for step in folder.split("/") if step]
    for step in unquote(target).split("/"):
        if step == "..":
            if path:
                path.pop()
        elif step not in ("", "."):
            path.append(step)
    return "/".join(path)
