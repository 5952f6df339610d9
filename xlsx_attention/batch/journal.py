"""What has been judged so far, on disk, so that a batch killed at any moment goes on where it stopped.

One line for each outcome, appended and never changed: a CRC-32 of the rest, the result's key, the content's digest, the
status, and the outcome compressed. A line that a crash has torn fails its check and is judged again.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import stat
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from xlsx_attention.batch.outcome import Outcome
from xlsx_attention.errors import UsageError

#: Between two calls of fsync, in seconds: what a power failure may cost.
SYNC = 2.0


class Journal:
    """The journal of one output folder; one batch at a time may hold it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, tuple[int, int]] = {}
        self._status: dict[str, str] = {}
        #: Digest → status of the latest outcome of that content, under whatever settings.
        self.statuses: dict[str, str] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: IO[bytes] = open(path, "a+b")  # noqa: SIM115  # closed by close()
        except OSError as error:
            raise UsageError("no-journal", f"cannot be written ({error.strerror})", where=str(path)) from None
        if not stat.S_ISREG(os.fstat(self._stream.fileno()).st_mode):
            self._stream.close()
            raise UsageError("no-journal", "is no regular file; remove it", where=str(path))
        self._lock()
        self._load()
        self._synced = time.monotonic()

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows: two batches into one folder are the user's to avoid
            return
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._stream.close()
            raise self._busy() from None
        # Another batch may have put its compacted journal here between the opening and the lock: what is locked then
        # is a file without a name, and all that was written to it would be lost.
        try:
            here = os.stat(self.path)
        except OSError:
            here = None
        if here is None or not os.path.samestat(here, os.fstat(self._stream.fileno())):
            self._stream.close()
            raise self._busy()

    def _busy(self) -> UsageError:
        return UsageError("busy", "another batch is writing into this folder", where=str(self.path.parent))

    def _load(self) -> None:
        self._stream.seek(0)
        end = 0
        for line in self._stream:
            length = len(line)
            parsed = _check(line)
            if parsed is not None:
                key, digest, status = parsed
                self._lines[key] = (end, length)
                self._status[key] = self.statuses[digest] = status
            elif not line.endswith(b"\n"):
                # Torn by a crash: cut off, so that the next line does not run into it.
                self._stream.truncate(end)
                break
            end += length
        self._stream.seek(0, os.SEEK_END)

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def forget(self, key: str) -> None:
        """Judge this one again; the new line takes the old one's place."""
        self._lines.pop(key, None)

    def add(self, key: str, digest: str, outcome: Outcome) -> None:
        line = _line(key, digest, outcome)
        try:
            offset = self._stream.seek(0, os.SEEK_END)
            self._stream.write(line)
            self._stream.flush()
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise UsageError(
                "no-space",
                f"cannot be written ({error.strerror}); make room and run the batch again: it goes on from here",
                where=str(self.path),
            ) from None
        self._lines[key] = (offset, len(line))
        self._status[key] = self.statuses[digest] = outcome.status

    def status(self, key: str) -> str:
        """The status of an outcome, without reading it."""
        return self._status[key]

    def get(self, key: str) -> Outcome:
        offset, length = self._lines[key]
        self._stream.seek(offset)
        return _outcome(self._stream.read(length))

    def compact(self, keys: Iterable[str]) -> None:
        """Keep the outcomes of ``keys`` alone, in the order of their keys, so that equal batches leave equal
        journals.
        """
        wanted = sorted(set(keys))
        temporary = self.path.with_suffix(".tmp")
        try:
            with open(temporary, "wb") as stream:
                for key in wanted:
                    offset, length = self._lines[key]
                    self._stream.seek(offset)
                    stream.write(self._stream.read(length))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise UsageError("no-space", f"cannot be written ({error.strerror})", where=str(self.path)) from None

    def close(self) -> None:
        with contextlib.suppress(OSError):  # a full disk was told of when the line could not be written
            self._stream.close()


def _line(key: str, digest: str, outcome: Outcome) -> bytes:
    body = zlib.compress(json.dumps([outcome.record, outcome.page], ensure_ascii=False).encode(), 6)
    rest = b" ".join((key.encode(), digest.encode(), outcome.status.encode(), base64.b64encode(body)))
    return b"%08x %s\n" % (binascii.crc32(rest), rest)


def _check(line: bytes) -> tuple[str, str, str] | None:
    if not line.endswith(b"\n"):
        return None
    crc, _, rest = line[:-1].partition(b" ")
    parts = rest.split(b" ")
    try:
        if int(crc, 16) != binascii.crc32(rest) or len(parts) != 4:
            return None
    except ValueError:
        return None
    return parts[0].decode(), parts[1].decode(), parts[2].decode()


def _outcome(line: bytes) -> Outcome:
    status, body = line.split(b" ")[3:5]
    record, page = json.loads(zlib.decompress(base64.b64decode(body)))
    return Outcome(status.decode(), record, page)
