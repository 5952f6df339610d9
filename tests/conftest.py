"""What every test may ask for: the project's folder, the public workbooks, and the programs that some tests need."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import hypothesis
import pytest

PROJECT = Path(__file__).resolve().parent.parent
CORPUS = PROJECT.parent / "shared" / "corpus"

# No deadline: how long an example takes says more about the machine than about the code. CI draws the same examples
# each time, so that it fails on a change only.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds pyproject.toml."""
    return PROJECT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public workbooks beside the clone; the test is skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("no public workbooks: the folder ../shared/corpus is absent")
    return CORPUS


def _program(*names: str) -> str:
    """The path of the first of these programs that is installed; the test is skipped where none is."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"program not installed: {' or '.join(names)}")


@pytest.fixture(scope="session")
def soffice() -> str:
    """LibreOffice's command. Give each run its own `-env:UserInstallation`: two runs cannot share a profile."""
    return _program("soffice", "libreoffice")


@pytest.fixture(scope="session")
def chromium() -> str:
    return _program("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromedriver() -> str:
    return _program("chromedriver")
