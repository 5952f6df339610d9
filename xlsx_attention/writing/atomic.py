"""A file is there whole or not at all, and never in place of an input."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from xlsx_attention.errors import UsageError

PathLike = str | os.PathLike[str]


def refuse_overwriting(path: PathLike, protect: Iterable[PathLike]) -> None:
    """:class:`UsageError` where ``path`` is one of ``protect``: by name, by symbolic link or as a hard link to it."""
    for other in protect:
        same = os.path.realpath(path) == os.path.realpath(other)
        if not same:
            with contextlib.suppress(OSError):  # one of the two is not there, so they are not the same file
                same = os.path.samefile(path, other)
        if same:
            raise UsageError(
                "output-is-input",
                f"this is the input {os.fspath(other)} itself, which is never overwritten; name another output",
                where=os.fspath(path),
            )


def atomic_write(path: PathLike, data: bytes, *, protect: Iterable[PathLike] = ()) -> None:
    """Write ``data`` to ``path``: a temporary file beside it, synced, then renamed over it.

    An existing file keeps its permissions, a symbolic link its place (its target is replaced); a pipe or device is
    written to as it is. :class:`UsageError` where ``path`` is one of ``protect``, is a folder, lies in no folder or
    cannot be written; what stood at ``path`` is then untouched.
    """
    refuse_overwriting(path, protect)
    target = Path(os.path.realpath(path))
    shown = os.fspath(path)
    if target.is_dir():
        raise UsageError("output-is-folder", "this is a folder; name a file in it", where=shown)
    if not target.parent.is_dir():
        raise UsageError("no-folder", f"the folder {target.parent} does not exist; make it first", where=shown)
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise UsageError("not-writable", f"cannot be written ({error.strerror or error})", where=shown) from error


def _replace(target: Path, data: bytes) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _new_file_mode()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _new_file_mode() -> int:
    """What the process's umask leaves of rw-rw-rw-. It can only be read by setting it."""
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask
