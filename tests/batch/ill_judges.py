"""Judges that do what a hostile file might make the real one do. Files say in their own text what becomes of the
worker.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path

from xlsx_attention.batch.outcome import Outcome, Task, path_token
from xlsx_attention.batch.settings import Settings


def judge(task: Task, settings: Settings, key: bytes = b"") -> Outcome:
    text = Path(task.address).read_text()
    if "hang" in text:
        time.sleep(3600)
    if "spin" in text:
        while True:
            pass
    if "crash" in text:
        ctypes.string_at(0)
    if "killed" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "exit" in text:
        os._exit(3)
    if "memory" in text:
        bytearray(1 << 40)
    if "print" in text:
        print("noise on standard output", flush=True)
        os.write(1, b"more noise")
    return Outcome("agrees", f'{{"path": "{path_token(task.digest)}", "status": "agrees", "error": null}}', "")


def slow(task: Task, settings: Settings, key: bytes = b"") -> Outcome:
    """An honest judge that takes its time, so that a batch can be stopped in the middle."""
    time.sleep(0.05)
    return judge(task, settings)
