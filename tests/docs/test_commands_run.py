"""Every command, script and configuration that the pages show is run as it stands there, in a folder of its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.pages import PROJECT, Block, arguments, blocks, name_of, pages, shell_lines
from xlsx_attention.cli.commands import cli
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec

#: What a page may take for given: the workbooks of the project, and a folder of submissions to an exercise.
EXERCISE = ExampleSpec(tokens="我 爱 AI", length=5, d_model=4, seed=7, exercise=True)
SECONDS = re.compile(r"\d+\.\d\d (s|秒)$")
#: Not run: it needs a cluster. It is parsed, as all are.
NEEDS_MORE = ("--dask",)


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(PROJECT / "workbooks", folder / "workbooks")
    (folder / "submissions").mkdir()
    generate(EXERCISE, folder / "exercise.xlsx")
    shutil.copy(folder / "exercise-key.xlsx", folder / "submissions" / "ann.xlsx")
    shutil.copy(folder / "exercise.xlsx", folder / "submissions" / "bob.xlsx")
    (folder / "submissions" / "dan.xlsx").write_text("not a workbook", encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", [p for p in pages() if any(blocks(p))], ids=name_of)
def test_a_page_runs_from_top_to_bottom(
    page: Path, desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "desk"
    shutil.copytree(desk, folder)
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    output = ""
    for block in blocks(page):
        where = f"{name_of(page)}:{block.line}"
        match block.language:
            case "sh":
                # What a page shows below a block is what its last command says.
                output = [run(line, where) for line in shell_lines(block)][-1]
            case "text":
                assert_shown(block, output, where)
            case "python":
                exec(compile(block.text, where, "exec"), names)
            case "toml":
                file, _, name = block.lines[0].partition(" ")
                assert file == "#", f"{where}: the first line names the file"
                Path(name.strip()).write_text(block.text, encoding="utf-8")


def run(line: str, where: str) -> str:
    """What a line of shell prints; lines of other programs than the tool, ``mkdir`` and ``cp`` are left alone."""
    words = line.split()
    if words[0] == "mkdir":
        Path(words[-1]).mkdir(parents=True, exist_ok=True)
    elif words[0] == "cp":
        shutil.copy(words[1], words[2])
    call = arguments(line)
    if call is None or any(word in call[0] for word in NEEDS_MORE):
        return ""
    given, target = call
    result = CliRunner().invoke(cli, [path for word in given for path in expanded(word)])
    # 1 and 4 are answers; 2 means that the line on the page cannot be meant.
    assert result.exit_code in (0, 1, 4), f"{where}: {line}\n{result.output}{result.exception!r}"
    assert result.exception is None or isinstance(result.exception, SystemExit), f"{where}: {line}"
    if target is not None:
        Path(target).write_text(result.stdout, encoding="utf-8")
        return ""
    return result.stdout


def expanded(word: str) -> list[str]:
    """A pattern as a shell expands it."""
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def assert_shown(block: Block, output: str, where: str) -> None:
    """The lines of the page stand in the output, in this order; ``…`` leaves some out, and times differ."""
    there = [SECONDS.sub("t", line.rstrip()) for line in output.splitlines()]
    at, gap = 0, False
    for line in block.lines:
        line = SECONDS.sub("t", line.rstrip())
        if line.strip() == "…":
            gap = True
            continue
        rest = there[at:]
        assert line in (rest if gap else rest[:1]), (
            f"{where}: {line!r} is not what the command says now:\n{output[:3000]}"
        )
        at += rest.index(line) + 1
        gap = False
