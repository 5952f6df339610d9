"""What the pages say of options, verdicts, causes and folders is what the code has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.docs.pages import PROJECT, commands, inline, links, name_of, pages, rows
from tests.test_architecture import LAYERS
from xlsx_attention.cli.commands import COMMANDS, cli
from xlsx_attention.comparing.causes import CAUSES
from xlsx_attention.comparing.cell_causes import EXTRA
from xlsx_attention.comparing.steps import STEPS
from xlsx_attention.generating import KINDS
from xlsx_attention.model.budget import limits
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.model.report import VERDICTS
from xlsx_attention.reporting import words
from xlsx_attention.reporting.formats import FORMATS

DOCS = PROJECT / "docs"
README = PROJECT / "README.md"


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def options(name: str, *, hidden: bool = False) -> set[str]:
    """The long options of a command."""
    return {
        option
        for parameter in command(name).params
        if isinstance(parameter, click.Option) and parameter.hidden == hidden
        for option in parameter.opts
        if option.startswith("--")
    }


@pytest.mark.parametrize(
    ("page", "line", "given"),
    [
        pytest.param(page, line, given, id=f"{name_of(page)}: {' '.join(given)}")
        for page in pages()
        for line, given in commands(page)
    ],
)
def test_a_command_parses(page: Path, line: int, given: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Strictly: an unknown option, a value that is no choice or a missing argument is an error; files may be absent."""
    if given in (["--version"], ["--help"]):
        return
    assert given[0] in COMMANDS, f"{page}:{line}"
    if {"--limits", "--help"} & set(given):
        assert set(given[1:]) <= options(given[0]) | {"--help"}
        return
    wanted = command(given[0])
    for parameter in wanted.params:
        if isinstance(parameter.type, click.Path):
            monkeypatch.setattr(parameter.type, "exists", False)
    wanted.make_context(given[0], given[1:])


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_options_named_in_the_text_are_the_tools(page: Path) -> None:
    known = {option for name in COMMANDS for hidden in (False, True) for option in options(name, hidden=hidden)}
    # Options of other programs that the pages name.
    known |= {"--help", "--version", "--max-", "--benchmark-enable", "--headless"}
    said = {option for code in inline(page) for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)}
    assert said <= known, f"{name_of(page)}: {said - known}"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{name_of(page)}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in set(anchors(target)), f"{name_of(page)}: {link}"


def anchors(page: Path) -> Iterator[str]:
    """Anchors of headings, as GitHub makes them."""
    for line in page.read_text(encoding="utf-8").splitlines():
        if re.match(r"#{1,6} ", line):
            yield re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_of_a_command_has_its_options(name: str) -> None:
    table = rows(DOCS / "commands.md", f"## {name}")
    said = {option for row in table for option in re.findall(r"--[a-z][a-z-]*", row[0])}
    assert said == options(name)


def test_the_reference_has_every_command_form_and_limit() -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([a-z]+)$", text, re.MULTILINE) == list(COMMANDS)
    assert [code(row[0]) for row in rows(DOCS / "commands.md", "### Formats")] == list(FORMATS)
    assert [code(row[0]) for row in rows(DOCS / "commands.md", "## Limits")] == [row[3] for row in limits()]


@pytest.mark.parametrize(("page", "heading"), [("verdicts.md", "## Verdicts"), ("verdicts.zh.md", "## 结论")])
def test_every_verdict_is_explained(page: str, heading: str) -> None:
    assert [code(row[0]) for row in rows(DOCS / page, heading)] == list(VERDICTS)


@pytest.mark.parametrize(("page", "heading"), [("verdicts.md", "## Causes"), ("verdicts.zh.md", "## 原因")])
def test_every_cause_is_explained(page: str, heading: str) -> None:
    said = [code(row[0]) for row in rows(DOCS / page, heading)]
    assert len(said) == len(set(said))
    assert set(said) == causes()


def test_every_cause_has_words_and_those_planted_are_found() -> None:
    assert set(words.CAUSES) == causes()
    assert set(KINDS) <= causes()


def causes() -> set[str]:
    """All causes that the comparing stage can give: those of its tables, and those that its code names itself."""
    found = {name for name, _ in CAUSES} | {"unexplained"}
    found |= {suspicion.cause for step in STEPS for suspicion in step.wrong}
    found |= {cause for hypotheses in EXTRA.values() for cause, _ in hypotheses}
    return found | set(named())


#: Makers of findings → the place of the cause among their arguments.
MAKERS = {"Finding": 2, "finding": 1, "finding_at": 3}


def named() -> Iterator[str]:
    for file in sorted((PROJECT / "xlsx_attention" / "comparing").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            maker = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            at = MAKERS.get(maker)
            if at is not None and len(node.args) > at and isinstance(node.args[at], ast.Constant):
                yield node.args[at].value  # type: ignore[attr-defined]


def test_the_causes_of_findings_are_seen() -> None:
    """Guards the test above: the code names causes where the scan looks for them."""
    assert {"keys-for-values", "wrong-projection", "population-or-sample"} <= set(named())


def test_every_field_of_a_spec_is_listed() -> None:
    said = [code(row[0]) for row in rows(DOCS / "generating.md", "## A lesson as a file")]
    assert said == list(ExampleSpec.__dataclass_fields__)


def test_every_folder_of_the_package_is_on_the_map() -> None:
    said = [code(row[0]).rstrip("/") for row in rows(DOCS / "architecture.md", "## Folders")]
    assert set(said) == {part for layer in LAYERS for part in layer}


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readme_shows_the_two_commands(readme: str) -> None:
    """`.ci/run` takes them from README.md by these marks; the Chinese page shows the same."""
    text = (PROJECT / readme).read_text(encoding="utf-8")
    for name in ("main", "test"):
        [shown] = re.findall(rf"^<!-- {name} command -->\n```sh\n(.+)\n```\n<!-- end -->$", text, re.MULTILINE)
        assert shown in README.read_text(encoding="utf-8")


def code(cell: str) -> str:
    """The first code of a table's cell."""
    found = re.search(r"`([^`]+)`", cell)
    assert found, cell
    return found[1]
