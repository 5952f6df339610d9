"""The same batch on any ``concurrent.futures`` executor, and on a Dask cluster.

What runs there is a supervised worker again (:mod:`xlsx_attention.batch.supervisor`), a child process of the executor's
worker: the limits hold everywhere, a hostile file takes down no worker of the cluster, and outcomes are the same bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from typing import Any

from xlsx_attention.batch.opening import is_remote, read_input
from xlsx_attention.batch.outcome import Outcome, Task, refused
from xlsx_attention.batch.settings import Settings
from xlsx_attention.batch.supervisor import JUDGE, Done, Worker, cores
from xlsx_attention.errors import UnreadableFile, UsageError, XlsxAttentionError

#: Seconds after which an idle worker of an executor's process is let go.
IDLE = 30.0
#: Tasks in flight for each worker of an executor: one at work, one on its way.
AHEAD = 2


class ClusterFailed(XlsxAttentionError):
    """The executor cannot go on; what was judged is in the journal."""


class _Pool:
    """Idle workers of this process, by what they were started with."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, bytes, str], list[tuple[Worker, threading.Timer]]] = {}

    @contextmanager
    def borrow(self, settings: Settings, key: bytes, judge: str) -> Iterator[Worker]:
        name = (settings.to_json(), key, judge)
        with self._lock:
            idle = self._idle.get(name, [])
            worker, timer = idle.pop() if idle else (Worker(settings, judge, key), None)
        if timer is not None:
            timer.cancel()
        try:
            yield worker
        except BaseException:
            worker.stop()
            worker.close()
            raise
        timer = threading.Timer(IDLE, self._expire, (name, worker))
        timer.daemon = True
        with self._lock:
            self._idle.setdefault(name, []).append((worker, timer))
        timer.start()

    def _expire(self, name: tuple[str, bytes, str], worker: Worker) -> None:
        with self._lock:
            idle = self._idle.get(name, [])
            kept = [pair for pair in idle if pair[0] is not worker]
            gone = len(kept) < len(idle)
            self._idle[name] = kept
        if gone:
            worker.close()

    def clear(self) -> None:
        """Let every idle worker of this process go."""
        with self._lock:
            pairs = [pair for idle in self._idle.values() for pair in idle]
            self._idle.clear()
        for worker, timer in pairs:
            timer.cancel()
            worker.close()


_POOL = _Pool()


def judge_there(task: Task, settings: str, key: bytes, judge: str) -> tuple[str, str, str]:
    """What an executor runs: one content in a supervised worker. Plain values in and out, for any way of pickling."""
    with _POOL.borrow(Settings.from_json(settings), key, judge) as worker:
        outcome = worker.judge(task)
    return outcome.status, outcome.record, outcome.page


class ExecutorWorkers:
    """The workers of a ``concurrent.futures`` executor: threads, processes, or a cluster's client that looks like one.

    ``width``: how many of its workers there are (default: what it says, else the cores of this machine). Files that
    this machine holds are sent along; fsspec addresses are opened by the workers.
    """

    def __init__(self, executor: Executor, width: int | None = None, judge: str = JUDGE) -> None:
        self.executor = executor
        self.width = width or getattr(executor, "_max_workers", None) or cores()
        self.judge = judge

    def run(self, tasks: Iterable[Task], settings: Settings, done: Done) -> None:
        """As :meth:`xlsx_attention.batch.supervisor.LocalWorkers.run`, with at most ``2 · width`` files in flight."""
        text, key = settings.to_json(), settings.read_key()
        source = iter(tasks)
        flying: dict[Future[tuple[str, str, str]], Task] = {}
        try:
            while True:
                while len(flying) < AHEAD * self.width and (task := next(source, None)) is not None:
                    try:
                        loaded = self._loaded(task, settings)
                    except UnreadableFile as error:
                        if not done(task, refused(task.digest, error.code, str(error))):
                            return
                        continue
                    flying[self.executor.submit(judge_there, loaded, text, key, self.judge)] = task
                if not flying:
                    return
                ready, _ = wait(flying, return_when=FIRST_COMPLETED)
                for future in ready:
                    task = flying.pop(future)
                    if not done(task, self._outcome(future, task)):
                        return
        finally:
            for future in flying:
                future.cancel()
            _POOL.clear()

    def _loaded(self, task: Task, settings: Settings) -> Task:
        if is_remote(task.address):
            return task
        return Task(task.address, task.digest, read_input(task.address, settings.budgets, task.digest))

    def _outcome(self, future: Future[tuple[str, str, str]], task: Task) -> Outcome:
        try:
            return Outcome(*future.result())
        except XlsxAttentionError:
            raise
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                return refused(task.digest, "killed", "the cluster's workers died on it again and again", "failed")
            raise ClusterFailed(
                "executor-failed",
                f"the executor failed ({type(error).__name__}: {error}); run the batch again: it goes on from here",
            ) from error


class DaskWorkers:
    """The workers of a Dask cluster by the address of its scheduler, ``tcp://host:8786``. Needs the extra ``dask``."""

    def __init__(self, address: str, judge: str = JUDGE, timeout: float = 10.0) -> None:
        self.address, self.judge, self.timeout = address, judge, timeout

    def run(self, tasks: Iterable[Task], settings: Settings, done: Done) -> None:
        """As the workers of this machine; a worker of the cluster that is lost costs nothing but time."""
        client = self._client()
        try:
            threads = sum(client.nthreads().values())
            if not threads:
                raise UsageError(
                    "no-workers", "the cluster has no workers; start some with `dask worker`", where=self.address
                )
            ExecutorWorkers(_ClientExecutor(client), threads, self.judge).run(tasks, settings, done)
        finally:
            client.close()

    def _client(self) -> Any:
        try:
            from distributed import Client
        except ImportError as error:
            raise UsageError(
                "needs-dask", f"Dask is not installed ({error}); install the extra dask", where=self.address
            ) from None
        try:
            return Client(self.address, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError("no-cluster", f"the scheduler cannot be reached ({error})", where=self.address) from None


class _ClientExecutor(Executor):
    """A Dask client as an executor. Its own adapter says nothing of lost workers, so the futures are bridged here."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        there = self._client.submit(function, *args, pure=False, retries=2, **kwargs)
        here: Future[Any] = Future()
        here.set_running_or_notify_cancel()

        def settle(future: Any) -> None:
            if future.status == "finished":
                try:
                    here.set_result(future.result())
                except Exception as error:  # the result was lost on its way; the caller decides
                    here.set_exception(error)
            elif future.status == "error":
                here.set_exception(future.exception())
            elif not here.done():
                here.set_exception(ClusterFailed("cancelled", f"the cluster gave the work up ({future.status})"))

        there.add_done_callback(settle)
        return here
