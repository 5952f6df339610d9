"""The page of a student in a real browser, on a narrow screen and a wide one: no word is cut in two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.batch.test_index_page import FLAGS
from xlsx_attention.batch import run_batch
from xlsx_attention.batch.settings import make_settings
from xlsx_attention.batch.supervisor import LocalWorkers
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec

#: Every run of letters and digits in a table (but formulas and long numbers, which may be cut) that lies on several
#: lines.
BROKEN = r"""
    const found = [];
    for (const cell of document.querySelectorAll('th, td')) {
        const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode())
            for (const word of node.data.matchAll(/[^\s-]+/g)) {
                if (word[0].startsWith('=') || word[0].length > 20) continue;
                const range = document.createRange();
                range.setStart(node, word.index);
                range.setEnd(node, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) found.push(word[0]);
            }
    }
    return found;
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feedback")
    (folder / "class").mkdir()
    _, key = generate(
        ExampleSpec(tokens=("the", "cat"), length=5, seed=4, lang="en", exercise=True), folder / "ex.xlsx"
    )
    (folder / "ex.xlsx").rename(folder / "class" / "ann.xlsx")
    run_batch([folder / "class"], folder / "out", make_settings(key=str(key)), runner=LocalWorkers(1))
    return folder / "out"


@pytest.fixture(scope="module")
def browser(chromium: str, chromedriver: str) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.mark.parametrize("width", [500, 800, 1000, 1400])
@pytest.mark.parametrize("page", ["pages/*.html", "index.html"])
def test_words_stay_whole(browser: Any, report: Path, page: str, width: int) -> None:
    [path] = report.glob(page)
    browser.set_window_size(width, 1200)
    browser.get(path.as_uri())
    assert len(browser.find_elements("css selector", "td")) > 10
    assert browser.execute_script(BROKEN) == []
