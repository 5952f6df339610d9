"""A small class that several tests look at, and one judged batch of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.batch.class_set import ClassSet, make_class
from xlsx_attention.batch import BatchResult, Settings, run_batch
from xlsx_attention.batch.supervisor import LocalWorkers


@dataclass(frozen=True)
class Judged:
    made: ClassSet
    result: BatchResult
    folder: Path


@pytest.fixture(scope="session")
def original(corpus: Path) -> Path:
    return corpus / "backprop-class" / "backprop.xlsx"


@pytest.fixture(scope="session")
def class_set(original: Path, tmp_path_factory: pytest.TempPathFactory) -> ClassSet:
    return make_class(original, tmp_path_factory.mktemp("class") / "submissions", 40, 12, 8)


@pytest.fixture(scope="session")
def judged(class_set: ClassSet, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("judged") / "report"
    return Judged(class_set, run_batch([class_set.folder], folder, Settings(), runner=LocalWorkers(2)), folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a report's folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def assert_same(one: Path, other: Path) -> None:
    """Two reports hold the same files with the same bytes; where they do not, the first line that differs is named."""
    left, right = contents(one), contents(other)
    assert sorted(left) == sorted(right)
    for name, data in left.items():
        if data != right[name] and not name.startswith("."):
            lines = zip(data.splitlines(), right[name].splitlines(), strict=False)
            first = next((pair for pair in lines if pair[0] != pair[1]), None)
            pytest.fail(f"{name} differs: {first}")
    assert left == right
