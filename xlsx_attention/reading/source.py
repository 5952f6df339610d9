"""The bytes of a file: read once, hashed on demand, and told apart by what they are before anything is parsed."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.budget import Budgets

_PIECE = 1 << 20
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
#: An OLE directory holds its stream names in UTF-16.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LEGACY = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "Book\0"))

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's bytes and the path that it was given by (``""`` for bytes)."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        """Hexadecimal; computed anew at each call."""
        return hashlib.sha256(self.data).hexdigest()


def load(source: str | os.PathLike[str] | bytes | Source, budgets: Budgets) -> Source:
    """Read ``source`` into memory, once. Only a regular file is ever opened for reading.

    Raises :class:`UnreadableFile` (``missing-file``, ``not-a-file``, ``empty-file``, ``over-budget``, ``not-a-zip``,
    ``password-protected``, ``legacy-xls``, ``ole-container``).
    """
    if isinstance(source, Source):
        loaded = source
    elif isinstance(source, bytes):
        loaded = Source("", source)
    else:
        loaded = Source(os.fspath(source), _read(os.fspath(source), budgets))
    if len(loaded.data) > budgets.file_bytes:
        raise budgets.over("file_bytes", len(loaded.data), "")
    _check_magic(loaded.data)
    return loaded


def _read(path: str, budgets: Budgets) -> bytes:
    # O_NONBLOCK: opening a pipe that nobody writes to must not wait. The type is asked of the open descriptor, so that
    # the file that was checked is the file that is read.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        if os.path.isdir(path):  # some systems do not open a directory at all
            raise UnreadableFile("not-a-file", "is a directory; name a workbook inside it") from None
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile("missing-file", f"cannot be opened ({reason}); check the path") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = next((text for test, text in _KINDS if test(status.st_mode)), "no regular file")
            raise UnreadableFile("not-a-file", f"is {kind}; name a workbook saved as .xlsx")
        if status.st_size > budgets.file_bytes:
            raise budgets.over("file_bytes", status.st_size, "")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            # One byte over the limit is enough to know, however much the file grows meanwhile. In pieces, because a
            # single read sets memory aside for all that it may get.
            pieces, size = [], 0
            while size <= budgets.file_bytes and (piece := stream.read(_PIECE)):
                pieces.append(piece)
                size += len(piece)
            return b"".join(pieces)
    except OSError as error:
        raise UnreadableFile("missing-file", f"cannot be read ({error.strerror})") from None
    finally:
        os.close(descriptor)


def _check_magic(data: bytes) -> None:
    if not data:
        raise UnreadableFile("empty-file", "is empty (0 bytes); save or download it again")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise UnreadableFile(
                "password-protected", "is protected by a password; open it in Excel and save it without one"
            )
        if any(name in data for name in _LEGACY):
            raise UnreadableFile("legacy-xls", "is an Excel 97-2003 workbook (.xls); save it as .xlsx")
        raise UnreadableFile("ole-container", "is an OLE file without a workbook; save the workbook as .xlsx")
    if not data.startswith(_ZIP):
        raise UnreadableFile("not-a-zip", f"{_describe(data)}, not an .xlsx workbook; save it as .xlsx in Excel")


def _describe(data: bytes) -> str:
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<table")):
        return "holds an HTML page"
    if start.startswith(b"<"):
        return "holds XML text"
    if start.startswith(b"%pdf"):
        return "holds a PDF document"
    if b"\0" not in data[:1024]:
        return "holds plain text (CSV?)"
    return "holds no zip archive"
