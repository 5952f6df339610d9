"""Runs commands the way a stranger's file meets them: each in a child of its own with 2 GiB of address space and 20
seconds
of processor time (which, unlike the clock's, says nothing about what else the machine does).

A *workshop* is one interpreter that has loaded the package and forks for each run, so that a run costs no start-up. Its
children may open no socket, start no program and write nowhere but where the run is told to; whatever they try is in
:attr:`Run.forbidden`.

``python -m tests.security.workshop`` is the interpreter itself: a JSON line in for each run, a JSON line out.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMORY = 2 << 30
SECONDS = 20
#: By the clock: for what sleeps.
PATIENCE = 100
PROJECT = Path(__file__).resolve().parents[2]

#: Audit events (see the table in Python's documentation) that no command that reads a workbook has a reason for.
FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.startfile",
    "pty.",
    "ftplib.",
    "urllib.",
    "http.",
    "smtplib.",
    "webbrowser.",
    "pickle.",
    "marshal.loads",
    "ctypes.dlopen",
    "code.__new__",
)
#: Events that importing a module fires as well; they count once all modules are there.
_IMPORTING = ("marshal.loads", "code.__new__", "ctypes.dlopen", "pickle.")


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one run. ``code`` is the exit code, negative for a signal; ``peak`` in bytes, ``seconds`` of
    processor
    time.
    """

    code: int
    peak: int
    seconds: float
    out: str
    err: str
    forbidden: tuple[str, ...]

    @property
    def file(self) -> dict[str, Any]:
        """The one file of a JSON report on the standard output."""
        found: dict[str, Any] = json.loads(self.out)["files"][0]
        return found


class Workshop:
    """Starts the interpreter, and hands it runs one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONHASHSEED": "0"}
        environment.pop("PYTHONUNBUFFERED", None)  # Python loses what an unbuffered stream does not take at once
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.security.workshop"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=environment,
            text=True,
        )

    def run(self, *arguments: str, environment: dict[str, str] | None = None, file_size: int = 0) -> Run:
        """One command line in a child; ``file_size`` limits the bytes of any file that it writes."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {"arguments": arguments, "folder": str(self.folder), "environment": environment, "file_size": file_size}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        out, err, events = (
            (self.folder / name).read_bytes().decode("utf-8", "surrogateescape") for name in ("out", "err", "events")
        )
        return Run(answer["code"], answer["peak"], answer["seconds"], out, err, tuple(events.split("\n")[:-1]))

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


# --- inside the interpreter
# --------------------------------------------------------------------------------------------
def _watch(events: int, importing: tuple[str, ...]) -> None:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(FORBIDDEN) and not event.startswith(importing):
            os.write(events, f"{event} {str(arguments)[:200]!a}\n".encode())
            raise PermissionError(f"{event} is forbidden here")

    sys.addaudithook(hook)


def _child(order: dict[str, Any]) -> None:
    os.chdir(order["folder"])
    for name, descriptor in (("out", 1), ("err", 2)):
        os.dup2(os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), descriptor)
    events = os.open("events", os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND, 0o600)
    os.environ.update(order["environment"] or {})
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if order["file_size"]:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write then fails as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"],) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(PATIENCE)
    _watch(events, _IMPORTING)
    sys.argv = ["xlsx-attention", *order["arguments"]]
    from xlsx_attention.cli import main

    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 70
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def serve() -> None:
    """Read orders until the input ends."""
    from xlsx_attention.functions.table import lookup

    lookup("SUM")
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _child(order)
        _, status, usage = os.wait4(child, 0)
        answer = {
            "code": os.waitstatus_to_exitcode(status),
            "peak": usage.ru_maxrss * 1024,
            "seconds": usage.ru_utime + usage.ru_stime,
        }
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
