"""No command opens a connection or starts a program, but for the batch, which starts its own workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.security import hostile

#: Loaded by every interpreter that is started below, workers as well: notes that it is there and what it tries, and
#: forbids it.
WATCH = """
import os, sys
_log = os.open(os.environ["WATCH_LOG"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
os.write(_log, b"started\\n")
def _hook(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.")):
        os.write(_log, f"network: {event}\\n".encode())
        raise PermissionError(event)
    if event in ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.spawn", "pty.spawn"):
        os.write(_log, f"program: {event}\\n".encode())
    if event == "subprocess.Popen":
        own = arguments[0] == sys.executable or arguments[1][0] == sys.executable
        own = own and "xlsx_attention.batch.child" in str(arguments[1])
        os.write(_log, b"worker\\n" if own else b"program: other\\n")
sys.addaudithook(_hook)
"""
PROJECT = Path(__file__).resolve().parents[2]


def watched(folder: Path, *call: str) -> tuple[int, list[str]]:
    """Exit code of a Python that is watched, and what it and those that it started were seen to do."""
    (folder / "sitecustomize.py").write_text(WATCH, "utf-8")
    log = folder / "log"
    environment = {**os.environ, "WATCH_LOG": str(log), "PYTHONPATH": f"{folder}{os.pathsep}{PROJECT}"}
    done = subprocess.run(
        [sys.executable, *call], cwd=folder, env=environment, capture_output=True, timeout=100, check=False
    )
    return done.returncode, log.read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "in.xlsx", "--format", "html"),
        ("compare", "in.xlsx", "-o", "out.xlsx", "--annotate", "copy.xlsx"),
        ("explain", "in.xlsx"),
        ("explain", "in.xlsx", "S!B1"),
        ("diff", "in.xlsx", "in.xlsx"),
        ("generate", "a b", "-o", "out.xlsx", "--exercise"),
        ("scaling", "--dims", "2", "--repeats", "2", "-o", "out.xlsx"),
        ("--version",),
        ("verify", "http://127.0.0.1:9/a.xlsx"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_one_process_and_no_connection(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "in.xlsx").write_bytes(hostile.workbook())
    code, seen = watched(tmp_path, "-m", "xlsx_attention", *arguments)
    assert code in (0, 1) or "http" in arguments[1]
    assert seen == ["started"]


def test_a_batch_starts_its_own_workers_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.xlsx").write_bytes(hostile.workbook())
    code, seen = watched(tmp_path, "-m", "xlsx_attention", "batch", "in", "-o", "out", "--jobs", "1")
    assert code == 1
    assert sorted(seen) == ["started", "started", "worker"]


@pytest.mark.parametrize(
    ("program", "word"),
    [
        ("import socket; socket.socket()", "network: socket.__new__"),
        ("import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')", "network: urllib.Request"),
        ("import os; os.system('true')", "program: os.system"),
        ("import subprocess; subprocess.run(['true'])", "program: other"),
    ],
)
def test_the_watch_sees_what_it_should(tmp_path: Path, program: str, word: str) -> None:
    assert word in watched(tmp_path, "-c", program)[1]
