"""``index.html`` for a thousand files: small, and quick to sort and to filter in a real browser that may load
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from xlsx_attention.batch.index_page import render
from xlsx_attention.batch.reports import Overview
from xlsx_attention.batch.rows import Row, Slips

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def thousand() -> Overview:
    rows = []
    slips = Slips()
    for number in range(1000):
        status = "diverges" if number % 25 == 0 else "unreadable" if number % 50 == 7 else "agrees"
        wrong = number % 7 if status == "diverges" else 0
        rows.append(
            Row(
                name=f"class/student-{number:04d}/homework <script>alert({number})</script>.xlsx",
                status=status,
                digest=f"{number:064x}",
                reason="is empty (0 bytes)" if status == "unreadable" else "",
                computed=1552,
                agrees=1552 - wrong,
                origins=wrong,
                page=f"pages/{number}.html",
            )
        )
        if status == "diverges":
            cells = [{"cause": "wrong-range", "sheet": "small", "cell": "U10", "verdict": "origin"}]
            slips.add(number, {"cells": cells})
    return Overview(tuple(rows), slips, (), "xlsx-attention", False, "en")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index.html"
    path.write_text(render(thousand()), encoding="utf-8")
    return path


def test_size_and_escaping(page: Path) -> None:
    assert page.stat().st_size < 3_000_000
    text = page.read_text(encoding="utf-8")
    assert text.count("<script>") == 1
    assert "&lt;script&gt;alert(0)" in text


@pytest.fixture(scope="module")
def browser(chromium: str, chromedriver: str, page: Path) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    try:
        driver.get(page.as_uri())
        yield driver
    finally:
        driver.quit()


def shown(browser: Any) -> list[str]:
    script = """
        const rows = [...document.querySelectorAll('#files tbody tr')];
        return rows.filter(row => !row.hidden).map(row => row.cells[0].textContent);
    """
    return list(browser.execute_script(script))


def test_filtering(browser: Any) -> None:
    script = """
        const search = document.getElementById('search'), status = document.getElementById('status');
        search.value = arguments[0]; search.dispatchEvent(new Event('input'));
        status.value = arguments[1]; status.dispatchEvent(new Event('change'));
        return document.getElementById('shown').textContent;
    """
    assert browser.execute_script(script, "", "diverges") == "40 / 1000"
    assert browser.execute_script(script, "student-0025", "") == "1 / 1000"
    assert len(shown(browser)) == 1
    assert browser.execute_script(script, "", "") == "1000 / 1000"


def test_sorting(browser: Any) -> None:
    browser.execute_script("document.querySelectorAll('#files th button')[2].click()")
    browser.execute_script("document.querySelectorAll('#files th button')[2].click()")
    # Multiples of 25 diverge, with number mod 7 origins: 6 of them at 125, 300, 475 … come first, in their old order.
    assert [name[:18] for name in shown(browser)[:3]] == [f"class/student-{n:04d}" for n in (125, 300, 475)]
    browser.execute_script("document.querySelectorAll('#files th button')[0].click()")
    names = shown(browser)
    assert names == sorted(names)


def test_nothing_was_refused_or_loaded(browser: Any) -> None:
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert (
        browser.execute_script("return getComputedStyle(document.querySelector('#files')).borderCollapse") == "collapse"
    )
