"""The same bytes from any executor, and from a real Dask cluster that loses a worker on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.batch.conftest import Judged, assert_same
from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.executors import DaskWorkers, ExecutorWorkers
from xlsx_attention.batch.supervisor import LocalWorkers
from xlsx_attention.errors import UsageError


def test_threads(judged: Judged, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as executor:
        run_batch([judged.made.folder], tmp_path / "out", Settings(), runner=ExecutorWorkers(executor))
    assert_same(tmp_path / "out", judged.folder)


def test_processes_and_what_a_hostile_file_does_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(6):
        (folder / f"good-{number}.xlsx").write_text(f"good {number}")
    for fate in ("killed", "crash", "hang"):
        (folder / f"{fate}.xlsx").write_text(fate)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        # The judge reads the address: these files are on this machine.
        workers = ExecutorWorkers(executor, judge="tests.batch.ill_judges:judge")
        result = run_batch([folder], tmp_path / "out", Settings(timeout=1), runner=workers)
    found = {Path(row.name).stem: row.code for row in result.rows}
    assert {name: code for name, code in found.items() if code} == {
        "killed": "killed",
        "crash": "crashed",
        "hang": "timeout",
    }


def test_fsspec_addresses_are_opened_by_the_workers(judged: Judged, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    result = run_batch([f"file://{judged.made.folder}"], tmp_path / "out", Settings(), runner=LocalWorkers(2))
    here = {Path(row.name).name: row for row in judged.result.rows}
    there = {Path(row.name).name: row for row in result.rows}
    assert all(row.name.startswith("file:///") for row in result.rows)
    assert {name: (row.status, row.digest, row.origins) for name, row in there.items()} == {
        name: (row.status, row.digest, row.origins) for name, row in here.items()
    }


@dataclass(frozen=True)
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(project: Path, tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers on loopback, each a process of its own."""
    distributed = pytest.importorskip("distributed")
    scheduler_file = tmp_path / "scheduler.json"
    options = {"cwd": project, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    arguments = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(scheduler_file)]
    started = [subprocess.Popen([*command, *arguments], **options)]
    try:
        deadline = time.monotonic() + 30
        while not scheduler_file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(scheduler_file)]
        worker += ["--no-dashboard", "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
        environment = {**os.environ, "PYTHONPATH": str(project)}
        for number in range(2):
            folder = ["--local-directory", str(tmp_path / f"worker-{number}")]
            started.append(subprocess.Popen([*worker, *folder], env=environment, **options))
        with distributed.Client(scheduler_file=str(scheduler_file), timeout=30, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=30)
            address = client.scheduler.address
        yield Cluster(address, started[1:])
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker(judged: Judged, cluster: Cluster, tmp_path: Path) -> None:
    lost: list[int] = []

    def progress(done: int, total: int, status: str) -> None:
        if done >= total // 3 and not lost:
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            lost.append(done)

    runner = DaskWorkers(cluster.address)
    result = run_batch([judged.made.folder], tmp_path / "out", Settings(), runner=runner, progress=progress)
    assert lost
    assert lost[0] < result.judged
    assert_same(tmp_path / "out", judged.folder)


def test_a_scheduler_that_is_not_there(judged: Judged, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="cannot be reached"):
        run_batch([judged.made.folder], tmp_path / "out", runner=DaskWorkers("tcp://127.0.0.1:9", timeout=1))
