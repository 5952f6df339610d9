"""The worker process: judges what it is handed on its standard input, until that is closed.

Frames are a length (8 bytes, big-endian) and that many bytes. In: settings and key once, then for each task its
address and digest as JSON and its content (or nothing, then the worker reads the address). Out: one empty frame when
ready, then for each task status, record and page. Only text goes back, so that a worker which a hostile file has
turned can harm no more than its own row.
"""

from __future__ import annotations

import json
import os
import signal
import struct
from importlib import import_module
from typing import IO

_LENGTH = struct.Struct(">Q")
#: Seconds after its deadline at which a worker ends itself, should nobody be left to end it.
_GRACE = 30
#: Exit code of a worker that ran out of memory outside the judging of a file.
OUT_OF_MEMORY = 71


def write_frame(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)


def read_frame(stream: IO[bytes]) -> bytes:
    """The next frame; ``EOFError`` where the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def limit_memory(limit: int) -> None:
    """At most ``limit`` bytes of address space for this process, where the system knows such a limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limit:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def main(judge: str) -> None:
    """Serve one parent with the function that ``judge`` names. The streams of the protocol are set aside first:
    nothing that is printed can get into them.
    """
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 0
    try:
        _serve(source, sink, judge)
    except (EOFError, BrokenPipeError):
        pass
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException:
        code = 1
    # Nothing is left to say, and a broken pipe must not be reported once more by the streams' own clean-up.
    os._exit(code)


def _serve(source: IO[bytes], sink: IO[bytes], name: str) -> None:
    from xlsx_attention.batch.outcome import Task, refused
    from xlsx_attention.batch.settings import Settings

    settings = Settings.from_json(read_frame(source).decode())
    key = read_frame(source)
    module, _, function = name.partition(":")
    judge = getattr(import_module(module), function)
    _warm_up()
    limit_memory(settings.memory)
    write_frame(sink, b"")
    sink.flush()
    while True:
        head = json.loads(read_frame(source))
        content = read_frame(source)
        task = Task(head["address"], head["digest"], content if head["with_data"] else None)
        if settings.timeout and hasattr(signal, "alarm"):
            signal.alarm(int(settings.timeout) + _GRACE)
        try:
            outcome = judge(task, settings, key)
        except MemoryError:
            outcome = refused(task.digest, "memory", memory_message(settings.memory), "failed")
        for text in (outcome.status, outcome.record, outcome.page):
            write_frame(sink, text.encode("utf-8", "backslashreplace"))
        sink.flush()


def _warm_up() -> None:
    """What the first file would load lazily, so that it is judged within the same limits as the others."""
    from xlsx_attention.functions.table import lookup

    lookup("SUM")


def memory_message(limit: int) -> str:
    return f"needs more memory than the limit of {limit / (1 << 30):.3g} GiB; raise --memory if you trust this file"
