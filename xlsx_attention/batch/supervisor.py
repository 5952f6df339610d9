"""Workers on this machine: child processes, each watched by a thread of its own.

A child that hangs is killed at its deadline, one that dies is replaced; either costs the one file that it was working
on. The children are plain interpreters, not ``multiprocessing`` processes: those import the caller's main module
again, and may not be started from the daemonic workers of a cluster.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

from xlsx_attention.batch.child import OUT_OF_MEMORY, memory_message, read_frame, write_frame
from xlsx_attention.batch.outcome import Outcome, Task, refused
from xlsx_attention.batch.settings import Settings
from xlsx_attention.errors import XlsxAttentionError

#: A child may take this long to load the package, in seconds.
START = 120.0
#: Files after which a child is replaced, so that what libraries keep does not add up.
LIFETIME = 1_000

#: The function that judges, by name: ``module:function``, called with (task, settings, key) in the worker.
JUDGE = "xlsx_attention.batch.work:judge"

_PROGRAM = "import sys; sys.path[:] = {path!r}; from xlsx_attention.batch.child import main; main({judge!r})"
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class WorkerUnusable(XlsxAttentionError):
    """Not even an idle worker can be started; no file can be judged."""


class Worker:
    """One child process and what is needed to replace it. Used from one thread; :meth:`stop` from any."""

    def __init__(self, settings: Settings, judge: str = JUDGE, key: bytes = b"") -> None:
        self.settings = settings
        self._key = key
        self._judge = judge
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0
        self._stop = threading.Event()
        self._late = False
        self._clock = threading.Lock()
        self._at_work: subprocess.Popen[bytes] | None = None

    def judge(self, task: Task) -> Outcome:
        """The outcome of one content, whatever becomes of the child."""
        process = self._ready()
        assert process.stdin is not None
        assert process.stdout is not None
        self._late, self._at_work = False, process
        timer = None
        if self.settings.timeout:
            timer = threading.Timer(self.settings.timeout, self._overdue, (process,))
            timer.daemon = True
            timer.start()
        try:
            head = {"address": task.address, "digest": task.digest, "with_data": task.data is not None}
            write_frame(process.stdin, json.dumps(head).encode())
            write_frame(process.stdin, task.data or b"")
            process.stdin.flush()
            status, record, page = (read_frame(process.stdout).decode() for _ in range(3))
        except (EOFError, OSError):
            return self._lost(process, task)
        finally:
            with self._clock:
                self._at_work = None
            if timer is not None:
                timer.cancel()
        self._served += 1
        outcome = Outcome(status, record, page)
        if self._late or self._served >= LIFETIME or (status == "failed" and '"memory"' in record):
            self._retire()
        return outcome

    def stop(self) -> None:
        """End the child now; a call of :meth:`judge` that waits for it comes back."""
        self._stop.set()
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Let an idle child go."""
        self._retire()

    def _overdue(self, process: subprocess.Popen[bytes]) -> None:
        with self._clock:
            if self._at_work is process:  # else it has just answered, and must not die with the next file in its hands
                self._late = True
                process.kill()

    def _retire(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        if self._stop.is_set():
            raise WorkerUnusable("stopped", "the batch was stopped")
        command = [sys.executable, "-c", _PROGRAM.format(path=[p or os.getcwd() for p in sys.path], judge=self._judge)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=True,  # Ctrl-C is for the parent to handle
        )
        self._process, self._served = process, 0
        if self._stop.is_set():  # stop() came while the child was being made, and saw none
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(START, process.kill)
        timer.daemon = True
        timer.start()
        try:
            write_frame(process.stdin, self.settings.to_json().encode())
            write_frame(process.stdin, self._key)
            process.stdin.flush()
            read_frame(process.stdout)
        except (EOFError, OSError):
            process.kill()
            code = process.wait()
            self._process = None
            raise WorkerUnusable(
                "no-worker", f"a worker process cannot be started ({_ending(code)}); is --memory too small to load it?"
            ) from None
        finally:
            timer.cancel()
        return process

    def _lost(self, process: subprocess.Popen[bytes], task: Task) -> Outcome:
        late, settings = self._late, self.settings
        with contextlib.suppress(OSError):
            if late or self._stop.is_set():
                process.kill()
        try:
            code = process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        self._retire()
        if late:
            seconds = f"{settings.timeout:g}"
            return refused(
                task.digest,
                "timeout",
                f"took longer than {seconds} s; raise --timeout if you trust this file",
                "failed",
            )
        if code == -int(getattr(signal, "SIGKILL", 9)):
            return refused(
                task.digest, "killed", "its worker was killed from outside, perhaps for want of memory", "failed"
            )
        if code == OUT_OF_MEMORY:
            return refused(task.digest, "memory", memory_message(settings.memory), "failed")
        return refused(task.digest, "crashed", f"its worker crashed ({_ending(code)})", "failed")


def _ending(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {-code}, {signal.Signals(-code).name}"
    return f"exit code {code}"


Done = Callable[[Task, Outcome], bool]


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalWorkers:
    """``jobs`` workers on this machine (default: one a core). ``judge`` names the function that judges, for other
    judges.
    """

    def __init__(self, jobs: int | None = None, judge: str = JUDGE) -> None:
        self.jobs = jobs or cores()
        self.judge = judge

    def run(self, tasks: Iterable[Task], settings: Settings, done: Done) -> None:
        """Judge every task; ``done`` is called here, in this thread, with each outcome as it comes, and returns False
        to stop.

        Whatever ends this call, ``KeyboardInterrupt`` included, no child is left behind.
        """
        source, key = iter(tasks), settings.read_key()
        lock, halt = threading.Lock(), threading.Event()
        results: queue.Queue[tuple[Task, Outcome] | BaseException | None] = queue.Queue(2 * self.jobs)
        workers = [Worker(settings, self.judge, key) for _ in range(self.jobs)]

        def pull() -> Iterator[Task]:
            while not halt.is_set():
                with lock:
                    task = next(source, None)
                if task is None:
                    return
                yield task

        def serve(worker: Worker) -> None:
            last: BaseException | None = None
            try:
                for task in pull():
                    outcome = worker.judge(task)
                    if halt.is_set():
                        break
                    results.put((task, outcome))
            except BaseException as error:  # handed to the caller's thread, where it is raised
                last = error
            finally:
                worker.close()
                results.put(last)

        threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        running = len(threads)
        try:
            while running:
                item = results.get()
                if item is None:
                    running -= 1
                elif isinstance(item, BaseException):
                    running -= 1
                    raise item
                elif not done(*item):
                    return
        finally:
            halt.set()
            if running:
                for worker in workers:
                    worker.stop()
            while running:
                item = results.get()
                if item is None or isinstance(item, BaseException):
                    running -= 1
            for thread in threads:
                thread.join()
