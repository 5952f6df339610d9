"""Files that are no files, outputs that are inputs, disks that are full, and processes that are killed while they
write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cli.shell import run as shell
from tests.reading import packages
from tests.security import safety

if sys.platform != "linux":
    pytest.skip("children are limited and measured as Linux does it", allow_module_level=True)

from tests.security.workshop import Workshop


@cache
def lesson(value: int = 3) -> bytes:
    """One constant and what follows from it; the result is wrong unless ``value`` is 3. An archive holds the time of
    its making."""
    return packages.book(packages.row(1, f'<c r="A1"><v>2</v></c><c r="B1"><f>A1+1</f><v>{value}</v></c>'))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    started = Workshop(tmp_path_factory.mktemp("files"))
    yield started
    started.close()


@pytest.fixture
def shop(workshop: Workshop, tmp_path: Path) -> Workshop:
    workshop.folder = tmp_path
    (tmp_path / "in.xlsx").write_bytes(lesson())
    return workshop


# --- what is no regular file
# -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", ["verify", "explain", "compare", "diff"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "socket", "nothing"])
def test_only_regular_files_are_read(shop: Workshop, kind: str, command: str) -> None:
    path = shop.folder / "x.xlsx"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as listening:
            here = os.getcwd()
            os.chdir(shop.folder)  # the address of a socket is short
            try:
                listening.bind("x.xlsx")
            finally:
                os.chdir(here)
    more = {"compare": ["-o", "out.xlsx"], "diff": ["in.xlsx"]}.get(command, [])
    run = shop.run(command, "x.xlsx", *more)
    assert run.code == 2
    assert len(run.err.splitlines()) == 1
    assert not (shop.folder / "out.xlsx").exists()
    if command == "verify":
        found = json.loads(shop.run("verify", "x.xlsx", "--format", "json").out)["files"][0]["error"]["code"]
        # Linux does not open a socket at all.
        assert found == ("missing-file" if kind in ("nothing", "socket") else "not-a-file")


def test_a_sheet_that_is_not_there_has_its_code(shop: Workshop) -> None:
    run = shop.run("verify", "in.xlsx", "--sheet", "T", "--format", "json")
    assert shop.run("verify", "in.xlsx", "--sheet", "S").code == 0
    assert (run.code, run.file["error"]["code"]) == (2, "no-such-sheet")


def test_a_batch_refuses_links_pipes_and_devices(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.xlsx").write_bytes(lesson())
    (folder / "b.xlsx").symlink_to(folder / "a.xlsx")
    (folder / "c.xlsx").symlink_to("/dev/zero")
    os.mkfifo(folder / "d.xlsx")
    assert shell("batch", folder, "-o", tmp_path / "out", "--jobs", "1").returncode == 4
    files = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["files"]
    codes = [file["error"] and file["error"]["code"] for file in files]
    assert codes == [None, "symlink", "symlink", "not-a-file"]


# --- outputs over inputs
# -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["itself", "dot", "symbolic link", "hard link", "linked folder"])
@pytest.mark.parametrize("output", ["-o", "--annotate"])
def test_an_input_is_never_overwritten(shop: Workshop, way: str, output: str) -> None:
    source = shop.folder / "in.xlsx"
    target = {"itself": "in.xlsx", "dot": "./in.xlsx", "linked folder": "here/in.xlsx"}.get(way, "out.xlsx")
    if way == "symbolic link":
        (shop.folder / target).symlink_to("in.xlsx")
    elif way == "hard link":
        (shop.folder / target).hardlink_to(source)
    elif way == "linked folder":
        (shop.folder / "here").symlink_to(".")
    others = {"-o": [], "--annotate": ["-o", "compared.xlsx"]}[output]
    run = shop.run("compare", "in.xlsx", *others, output, target)
    assert (run.code, len(run.err.splitlines())) == (2, 1)
    assert source.read_bytes() == lesson()
    assert not (shop.folder / "compared.xlsx").exists()  # said before any work


def test_two_outputs_are_two_files(shop: Workshop) -> None:
    assert shop.run("compare", "in.xlsx", "-o", "out.xlsx", "--annotate", "./out.xlsx").code == 2
    assert not (shop.folder / "out.xlsx").exists()


@pytest.mark.parametrize("option", ["--from", "--tensors"])
def test_a_lesson_does_not_replace_what_it_is_made_of(shop: Workshop, option: str) -> None:
    source = shop.folder / {"--from": "spec.toml", "--tensors": "x.json"}[option]
    source.write_text({"--from": 'tokens = "a b"\n', "--tensors": '{"X": [[1, 2], [3, 4]]}'}[option], "utf-8")
    (shop.folder / "out.xlsx").symlink_to(source.name)
    content = source.read_bytes()
    words = [] if option == "--from" else ["a b"]
    run = shop.run("generate", *words, option, source.name, "-o", "out.xlsx")
    assert (run.code, source.read_bytes()) == (2, content), run.err


@pytest.mark.parametrize("way", ["named in the folder", "symbolic link", "hard link", "key"])
def test_a_batch_does_not_replace_an_input(tmp_path: Path, way: str) -> None:
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    out.mkdir()
    (inputs / "a.xlsx").write_bytes(lesson())
    source = out / "summary.xlsx" if way in ("named in the folder", "key") else inputs / "a.xlsx"
    source.write_bytes(lesson())
    more: list[str | Path] = []
    if way == "named in the folder":
        more = [source]
    elif way == "key":
        made = shell("generate", "a b", "-o", source, "-q")
        assert made.returncode == 0
        more = ["--key", source]
    elif way == "symbolic link":
        (out / "summary.xlsx").symlink_to(source)
    else:
        (out / "summary.xlsx").hardlink_to(source)
    content = source.read_bytes()
    done = shell("batch", inputs, "-o", out, "--jobs", "1", *more)
    assert source.read_bytes() == content
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr


def test_a_batch_deletes_no_page_but_its_own(tmp_path: Path) -> None:
    inputs, pages = tmp_path / "in", tmp_path / "out" / "pages"
    inputs.mkdir()
    pages.mkdir(parents=True)
    (inputs / "a.xlsx").write_bytes(lesson())
    (pages / "mine.html").write_text("mine")
    (pages / "kept").mkdir()
    assert shell("batch", inputs, "-o", tmp_path / "out", "--jobs", "1").returncode == 0
    (inputs / "a.xlsx").rename(inputs / "b.xlsx")
    assert shell("batch", inputs, "-o", tmp_path / "out", "--jobs", "1").returncode == 0
    assert {"kept", "mine.html"} <= {path.name for path in pages.iterdir()}
    assert len(list(pages.iterdir())) == 3  # the page of a.xlsx went with it


# --- a full disk, a kill, a closed pipe
# --------------------------------------------------------------------------------
#: Command → its output. All write more than the limit.
WRITING = {
    "compare": (["compare", "in.xlsx", "-o", "out.xlsx"], "out.xlsx"),
    "annotate": (["compare", "in.xlsx", "-o", "/dev/null", "--annotate", "out.xlsx"], "out.xlsx"),
    "generate": (["generate", "a b c", "-o", "out.xlsx"], "out.xlsx"),
    "scaling": (["scaling", "--dims", "2,4", "--repeats", "5", "-o", "out.xlsx"], "out.xlsx"),
}


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_leaves_the_old_report(shop: Workshop, command: str) -> None:
    arguments, output = WRITING[command]
    (shop.folder / output).write_bytes(b"old")
    before = sorted(path.name for path in shop.folder.iterdir())
    run = shop.run(*arguments, file_size=300)
    assert (run.code, len(run.err.splitlines())) == (2, 1), run.err
    assert "cannot be written" in run.err
    assert (shop.folder / output).read_bytes() == b"old"
    assert sorted({path.name for path in shop.folder.iterdir()} - {"out", "err", "events"}) == before


@pytest.mark.parametrize("form", ["json", "html", "text"])
def test_a_full_disk_under_the_standard_output(shop: Workshop, form: str) -> None:
    (shop.folder / "in.xlsx").write_bytes(lesson(4))
    run = shop.run("verify", "in.xlsx", "--format", form, file_size=120)
    assert run.code == 2
    assert "Traceback" not in run.err


_KILLED = """
import os, sys
from xlsx_attention.cli import main
left = [int(sys.argv.pop(1))]
def replace(source, target, *, old=os.replace):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
    old(source, target)
os.replace = replace
sys.argv[0] = "xlsx-attention"
main()
"""


def killed(folder: Path, replaces: int, *arguments: str | Path) -> int:
    """The command line, ended by the system just before it puts its next file in place."""
    call = [sys.executable, "-c", _KILLED, str(replaces), *map(str, arguments)]
    return subprocess.run(call, cwd=folder, capture_output=True, timeout=100, check=False).returncode


@pytest.mark.parametrize("command", WRITING)
def test_a_kill_leaves_the_old_report(tmp_path: Path, command: str) -> None:
    arguments, output = WRITING[command]
    (tmp_path / "in.xlsx").write_bytes(lesson())
    (tmp_path / output).write_bytes(b"old")
    assert killed(tmp_path, 0, *arguments) == -9
    assert (tmp_path / output).read_bytes() == b"old"


@pytest.mark.parametrize("replaces", [0, 3, 6])
def test_a_batch_that_is_killed_leaves_whole_reports_and_goes_on(tmp_path: Path, replaces: int) -> None:
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    for number in range(2):
        (inputs / f"{number}.xlsx").write_bytes(lesson())
    assert shell("batch", inputs, "-o", out, "--jobs", "1").returncode == 0
    for number in range(2):
        (inputs / f"{number}.xlsx").write_bytes(lesson(4 + number))
    assert killed(tmp_path, replaces, "batch", inputs, "-o", out, "--jobs", "1") == -9
    json.loads((out / "report.json").read_text("utf-8"))
    assert safety.as_xlsx((out / "summary.xlsx").read_bytes()) == []
    assert safety.as_html((out / "index.html").read_text("utf-8")) == []
    assert len((out / "summary.csv").read_text("utf-8-sig").splitlines()) == 3
    assert shell("batch", inputs, "-o", out, "--jobs", "1").returncode == 1
    assert json.loads((out / "report.json").read_text("utf-8"))["totals"]["origins"] == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [("verify", "in.xlsx"), ("verify", "in.xlsx", "--format", "json"), ("explain", "in.xlsx"), ("--help",)]
)
def test_a_pipe_that_closes_is_no_fault(tmp_path: Path, arguments: tuple[str, ...], unbuffered: str) -> None:
    (tmp_path / "in.xlsx").write_bytes(lesson())
    reading, writing = os.pipe()
    os.close(reading)
    call = [sys.executable, "-m", "xlsx_attention", *arguments]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        call, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, env=environment, timeout=100, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")  # as a shell says SIGPIPE


# --- names and locales
# -------------------------------------------------------------------------------------------------
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


@pytest.mark.parametrize("form", ["text", "json", "csv", "junit", "html", "sarif", "github"])
def test_a_name_that_is_no_utf_8_in_the_c_locale(tmp_path: Path, form: str) -> None:
    name = b"\xff\xfe-\xe6\x88\x91.xlsx"
    with open(os.fsencode(tmp_path) + b"/" + name, "wb") as stream:
        stream.write(lesson(4))
    call: list[str | bytes] = [sys.executable, "-m", "xlsx_attention", "verify", name, "--format", form, "--lang", "zh"]
    done = subprocess.run(
        call, cwd=tmp_path, capture_output=True, env={**os.environ, **C_LOCALE}, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")
    text = done.stdout.decode("ascii")  # the encoding of that locale
    assert "B1" in text
    if form in ("json", "sarif"):
        json.loads(text)
    elif form == "junit":
        assert safety.as_junit(text) == []


def test_files_are_in_utf_8_in_the_c_locale_too(tmp_path: Path) -> None:
    inputs = tmp_path / "in"
    inputs.mkdir()
    (inputs / "我.xlsx").write_bytes(lesson(4))
    done = shell("batch", inputs, "-o", tmp_path / "out", "--jobs", "1", "--lang", "zh", **C_LOCALE)
    assert (done.returncode, done.stderr) == (1, "")
    for name in ("report.json", "index.html", "summary.csv", "junit.xml"):
        assert "我.xlsx" in (tmp_path / "out" / name).read_bytes().decode("utf-8").replace("\\u6211", "我"), name


# --- a file that changes
# -----------------------------------------------------------------------------------------------
_OPENS = """
import os, sys
path, opened = sys.argv[1], []
sys.addaudithook(lambda event, arguments: opened.append(1) if event == "open" and arguments[0] == path else None)
from xlsx_attention.cli import main
sys.argv = ["xlsx-attention", *sys.argv[2:]]
try:
    main()
finally:
    sys.stderr.write(f"opened {len(opened)}")
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "in.xlsx"),
        ("explain", "in.xlsx", "B1"),
        ("compare", "in.xlsx", "-o", "o.xlsx", "--annotate", "a.xlsx"),
    ],
)
def test_a_file_is_opened_once(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """What is verified is what is annotated, whatever happens to the file meanwhile."""
    (tmp_path / "in.xlsx").write_bytes(lesson(4))
    call = [sys.executable, "-c", _OPENS, "in.xlsx", *arguments]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert done.stderr == "opened 1"


def test_a_file_that_is_rewritten_while_it_is_read_is_reported_or_refused(tmp_path: Path) -> None:
    from xlsx_attention.pipeline import verify_file

    path = tmp_path / "in.xlsx"
    contents = [lesson(), lesson()[:200], b"", b"x" * 5_000_000]
    path.write_bytes(contents[0])
    going = True

    def rewrite() -> None:
        while going:
            for content in contents:
                path.write_bytes(content)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        reports = [verify_file(path) for _ in range(60)]
    finally:
        going = False
        writer.join()
    codes = {report.error.code if report.error else "read" for report in reports}
    assert codes <= {"read", "truncated", "empty-file", "not-a-zip", "bad-crc"}


def test_a_submission_that_changes_during_a_batch_is_not_judged_as_what_it_was(tmp_path: Path) -> None:
    from xlsx_attention.batch.opening import digest_of, read_input
    from xlsx_attention.errors import UnreadableFile
    from xlsx_attention.model.budget import Budgets

    path = tmp_path / "in.xlsx"
    path.write_bytes(lesson())
    digest = digest_of(str(path), Budgets.batch())
    path.write_bytes(lesson(4))
    with pytest.raises(UnreadableFile) as caught:
        read_input(str(path), Budgets.batch(), digest)
    assert caught.value.code == "changed"


def test_the_annotated_copy_is_the_only_place_of_names_of_authors(shop: Workshop) -> None:
    """It is the file itself with notes added; the notes are signed by the tool."""
    from tests.security import hostile

    (shop.folder / "in.xlsx").write_bytes(hostile.workbook())
    assert shop.run("compare", "in.xlsx", "-o", "out.xlsx", "--annotate", "copy.xlsx").code == 1
    assert safety.private((shop.folder / "out.xlsx").read_bytes()) == []
    with zipfile.ZipFile(shop.folder / "copy.xlsx") as copy, zipfile.ZipFile(shop.folder / "in.xlsx") as original:
        for name in ("docProps/core.xml", "docProps/app.xml"):
            assert copy.read(name) == original.read(name)
