"""The page: its text, and what it does in a real browser."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.reporting.books import EVIL_SHEET
from xlsx_attention.model.report import FileReport, Report
from xlsx_attention.pipeline import verify_file
from xlsx_attention.reporting.chains import Chains
from xlsx_attention.reporting.comparison import comparison_workbook
from xlsx_attention.reporting.facts import SheetFacts
from xlsx_attention.reporting.formats import FORMATS
from xlsx_attention.reporting.heatmap import heatmaps


class Page(HTMLParser):
    """Tags with their attributes, and the text of styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: dict[str, list[str]] = {"style": [], "script": []}
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self.inline and ("type", "application/json") not in attrs:
            self._open = tag
            self.inline[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.inline[self._open][-1] += data


@pytest.fixture(scope="module")
def page_text(both: Report) -> str:
    return FORMATS["html"].render(both)


def test_the_policy_names_style_and_script_by_hash(page_text: str) -> None:
    page = Page(page_text)
    [policy] = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        [text] = page.inline[kind]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_needs_nothing_from_elsewhere(page_text: str) -> None:
    page = Page(page_text)
    assert {tag for tag, _ in page.tags} & {"img", "link", "iframe", "object", "embed", "form", "base"} == set()
    for tag, attributes in page.tags:
        assert not {"src", "href", "style", "srcset", "action"} & set(attributes), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
    assert "url(" not in page.inline["style"][0]
    assert "@import" not in page.inline["style"][0]


def test_texts_of_the_input_stay_texts(page_text: str) -> None:
    assert "<img" not in page_text
    assert "&lt;img src=x onerror=alert(1)&gt;" in page_text
    assert page_text.count("</script>") == 2


def test_each_cell_says_its_verdict(page_text: str) -> None:
    cells = {a["id"]: a for tag, a in Page(page_text).tags if tag == "td" and "data-v" in a}
    assert cells["0-0-8-2"]["data-v"] == "origin"  # C9 of the first file's first sheet
    assert cells["0-0-8-3"]["data-v"] == "inherited"
    assert cells["0-0-9-1"]["data-v"] == "overridden"


def test_chinese(both: Report) -> None:
    text = FORMATS["html"].render(both, "zh")
    assert '<html lang="zh-Hans">' in text
    assert "差异起点" in text


def test_a_file_without_stored_results_is_not_judged(tmp_path: Path) -> None:
    """openpyxl stores no results, so there is nothing to hold the recomputation against."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"] = 1, "=A1+1"
    book.save(tmp_path / "new.xlsx")
    report = verify_file(tmp_path / "new.xlsx")
    assert "Not judged" in FORMATS["html"].render(Report((report,)))
    stream = io.BytesIO()
    comparison_workbook(report, stream)
    summary = openpyxl.load_workbook(stream)["Summary"]
    assert any(str(cell.value).startswith("Not judged") for row in summary.iter_rows() for cell in row)


def test_the_chain_leads_to_the_origin(public: Callable[[str], FileReport]) -> None:
    report = public("ai-by-hand/LSTM")
    facts = {sheet.index: SheetFacts(report, sheet) for sheet in report.sheets}
    chains = Chains(report, facts)
    inherited = [cell for cell in report.cells if cell.verdict == "inherited"]
    assert len(inherited) > 900
    for cell in inherited:
        way = chains.way((cell.sheet, cell.row, cell.column))
        end = chains.bad[way[-1]]
        assert end.verdict == "origin"
        assert len(way) == len(set(way)) > 1


def test_weights_are_drawn_with_queries_in_rows(public: Callable[[str], FileReport]) -> None:
    """In Self-Attention.xlsx tokens lie in columns: each column of U30:X33 sums to 1, so each row of the picture
    does.
    """
    first = heatmaps(public("ai-by-hand/Self-Attention"), "query", "key")[0]
    assert first.queries == first.keys == ("x1", "x2", "x3", "x4")
    weights = [float(square.title.rpartition(" ")[2]) for square in first.squares]
    rows = [sum(weights[4 * i : 4 * i + 4]) for i in range(4)]
    assert rows == pytest.approx([1, 1, 1, 1], abs=1e-5)
    # The file's own value of U31, beside its label "Weight": 0.459 (query x1, key x2).
    assert weights[1] == pytest.approx(0.459, abs=5e-4)


@pytest.fixture(scope="module")
def browser(chromium: str, chromedriver: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1200,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture
def shown(browser: Any, page_text: str, tmp_path: Path) -> Any:
    path = tmp_path / "page.html"
    path.write_text(page_text, encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    return browser


def _panel(browser: Any) -> str:
    return str(browser.find_element("id", "details").text)


def test_in_a_browser_details_come_by_mouse_tap_and_keys(shown: Any) -> None:
    from selenium.webdriver import ActionChains, Keys

    origin = shown.find_element("id", "0-0-8-2")
    ActionChains(shown).move_to_element(origin).perform()
    assert "origin" in _panel(shown)
    assert "=$B4*F$3+$C4*F$4" in _panel(shown)
    shown.find_element("id", "0-0-7-1").click()
    assert "2.2" not in _panel(shown)
    ActionChains(shown).send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT).perform()
    assert shown.switch_to.active_element.get_attribute("id") == "0-0-8-2"
    assert "2.2" in _panel(shown)
    ActionChains(shown).send_keys(Keys.END).perform()
    assert shown.switch_to.active_element.get_attribute("id") == "0-0-8-3"
    assert "D9 ← C9" in _panel(shown)


def test_in_a_browser_the_grid_is_reached_by_tab(shown: Any) -> None:
    from selenium.webdriver import ActionChains, Keys

    shown.find_element("tag name", "body").click()
    for _ in range(12):
        ActionChains(shown).send_keys(Keys.TAB).perform()
        if shown.switch_to.active_element.get_attribute("id") == "0-0-8-2":
            break
    assert shown.switch_to.active_element.get_attribute("id") == "0-0-8-2"


def test_in_a_browser_the_chain_leads_there(shown: Any) -> None:
    shown.find_element("id", "0-0-8-3").click()
    link = [button for button in shown.find_elements("css selector", "#details button.go") if button.text == "C9"]
    link[0].click()
    assert shown.switch_to.active_element.get_attribute("id") == "0-0-8-2"


def test_in_a_browser_filters_dim_what_is_not_wanted(shown: Any) -> None:
    def dimmed() -> set[str]:
        return {td.get_attribute("id") for td in shown.find_elements("css selector", "td.dim")}

    assert dimmed() == set()
    shown.find_element("css selector", "input[value=agrees]").click()
    assert "0-0-7-1" in dimmed()
    assert "0-0-8-2" not in dimmed()
    shown.find_element("css selector", "input[value=agrees]").click()
    assert dimmed() == set()
    choices = shown.find_elements("css selector", "select.by-step option")
    [sums] = [option for option in choices if option.text.endswith("D8:D10")]
    sums.click()
    assert "0-0-8-2" in dimmed()
    assert "0-0-8-3" not in dimmed()


def test_in_a_browser_hostile_texts_do_nothing(shown: Any) -> None:
    assert shown.find_elements("css selector", "img") == []
    assert shown.title != "owned"
    assert shown.find_element("css selector", "section.sheet h3").text == EVIL_SHEET
    assert [entry for entry in shown.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    assert shown.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_in_a_browser_light_dark_and_print(shown: Any) -> None:
    def look(**media: Any) -> tuple[str, bool]:
        shown.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        body = shown.find_element("tag name", "body")
        return body.value_of_css_property("background-color"), shown.find_element("id", "details").is_displayed()

    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    light = [{"name": "prefers-color-scheme", "value": "light"}]
    assert look(media="screen", features=light) == ("rgba(255, 255, 255, 1)", True)
    assert look(media="screen", features=dark) == ("rgba(22, 22, 22, 1)", True)
    assert look(media="print", features=light) == ("rgba(255, 255, 255, 1)", False)
    look(media="", features=[])


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_on_every_fill_can_be_read() -> None:
    """WCAG 2.2, success criterion 1.4.6: a contrast of 7 to 1, on light fills and on dark ones."""
    from xlsx_attention.reporting.palette import VERDICT_SHADES

    for verdict, shade in VERDICT_SHADES.items():
        light = (_luminance(shade.fill) + 0.05) / (_luminance("#1b1b1b") + 0.05)
        dark = (_luminance("#ececec") + 0.05) / (_luminance(shade.dark) + 0.05)
        assert light >= 7, verdict
        assert dark >= 7, verdict
    assert len({shade.sign for shade in VERDICT_SHADES.values()}) == len(VERDICT_SHADES)
    assert re.fullmatch(r"#[0-9A-F]{6}", VERDICT_SHADES["origin"].fill)
