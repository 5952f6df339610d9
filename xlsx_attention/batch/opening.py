"""Opening what a stranger handed in: regular files only, no symbolic links, never more bytes than the budget."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import IO, Any

from xlsx_attention.errors import UnreadableFile, UsageError
from xlsx_attention.model.budget import Budgets

_CHUNK = 1 << 20


def is_remote(address: str) -> bool:
    """``s3://…``, ``memory://…``: what fsspec opens. A Windows drive is no scheme."""
    return "://" in address


def filesystem(address: str) -> tuple[Any, str]:
    """fsspec's file system and path for an address; :class:`UsageError` where fsspec or its driver is not installed."""
    try:
        from fsspec.core import url_to_fs

        found: tuple[Any, str] = url_to_fs(address)
    except ImportError as error:
        raise UsageError(
            "needs-fsspec",
            f"this address needs a package that is not installed ({error}); install fsspec for it",
            where=address,
        ) from None
    except ValueError as error:
        raise UsageError("unknown-address", str(error), where=address) from None
    return found


def _open_local(address: str) -> IO[bytes]:
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    if os.path.islink(address):
        raise UnreadableFile("symlink", "is a symbolic link, which is not followed; hand in the file itself")
    descriptor = os.open(address, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableFile("not-a-file", "is no regular file; hand in a workbook saved as .xlsx")
    return os.fdopen(descriptor, "rb")


def open_input(address: str) -> IO[bytes]:
    """A binary stream; :class:`UnreadableFile` with a sentence for people where it cannot be opened."""
    try:
        if is_remote(address):
            files, path = filesystem(address)
            stream: IO[bytes] = files.open(path, "rb")
            return stream
        return _open_local(address)
    except OSError as error:
        # ELOOP is what O_NOFOLLOW says of a link that was put there after the look.
        reason = error.strerror or type(error).__name__
        raise UnreadableFile("missing-file", f"cannot be opened ({reason}); check the path") from None


def digest_of(address: str, budgets: Budgets) -> str:
    """SHA-256 of the content, read in pieces; :class:`UnreadableFile` where it cannot be read or passes the budget."""
    digest, total = hashlib.sha256(), 0
    with open_input(address) as stream:
        try:
            while piece := stream.read(_CHUNK):
                total += len(piece)
                if total > budgets.file_bytes:
                    raise budgets.over("file_bytes", total, "")
                digest.update(piece)
        except OSError as error:
            raise UnreadableFile("missing-file", f"cannot be read ({error.strerror or error})") from None
    return digest.hexdigest()


def read_input(address: str, budgets: Budgets, digest: str) -> bytes:
    """The whole content, which must still be the content that ``digest`` was taken from."""
    with open_input(address) as stream:
        try:
            data = stream.read(budgets.file_bytes + 1)
        except OSError as error:
            raise UnreadableFile("missing-file", f"cannot be read ({error.strerror or error})") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise UnreadableFile("changed", "changed while the batch was running; run the batch again")
    return data
