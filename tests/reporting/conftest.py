"""Reports that several tests read; each is made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.reporting.books import planted
from xlsx_attention.model.report import FileReport, Report
from xlsx_attention.pipeline import Options, verify_file

#: With each step as mathematics and as NumPy.
WORDS = Options(words=True)


@pytest.fixture(scope="session")
def planted_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("planted") / "planted.xlsx")


@pytest.fixture(scope="session")
def planted_report(planted_path: Path) -> FileReport:
    return verify_file(planted_path, WORDS)


@pytest.fixture(scope="session")
def unreadable_report(tmp_path_factory: pytest.TempPathFactory) -> FileReport:
    path = tmp_path_factory.mktemp("unreadable") / "=broken.xlsx"
    path.write_bytes(b"no zip")
    return verify_file(path)


@pytest.fixture(scope="session")
def both(planted_report: FileReport, unreadable_report: FileReport) -> Report:
    return Report((planted_report, unreadable_report), tool="xlsx-attention 9.9")


@pytest.fixture(scope="session")
def public(corpus: Path) -> Callable[[str], FileReport]:
    """The report on a public workbook, by its path without ``.xlsx``."""

    @cache
    def report(name: str) -> FileReport:
        return verify_file(corpus / f"{name}.xlsx", WORDS)

    return report
