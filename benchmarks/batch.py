"""A thousand submissions: ``python benchmarks/batch.py WORKBOOK [--files 1000] [--slips 40] [--broken 20] [--jobs 2]``.

Makes copies of WORKBOOK (the class exercise ``backprop.xlsx``), changes one cell in some, puts hostile and broken
files among them, runs the batch and holds its report against what was changed. Prints CPU time a good file after
start-up, the largest memory of parent and workers, sizes, and how quickly a second run (all from the journal) ends.
Exit code 1 where anything is not as it must be.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.batch.class_set import ClassSet, make_class
from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.supervisor import LocalWorkers


def cpu() -> float:
    """CPU seconds of this process and of the workers that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def problems(folder: Path, made: ClassSet) -> list[str]:
    """All that the report gets wrong about the class."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    found = {Path(file["path"]).name: file for file in report["files"]}
    wrong = []
    if len(found) != made.files:
        wrong.append(f"{made.files} files went in, {len(found)} are in the report")
    for name, file in found.items():
        accused = [(c["cell"], c["verdict"]) for c in file.get("cells", ()) if c["verdict"] in ("origin", "overridden")]
        if name in made.slips:
            slip = made.slips[name]
            if [cell for cell, _ in accused] != [slip.cell] or accused[0][1] not in slip.verdicts:
                wrong.append(f"{name}: {slip} was planted, {accused} was found")
        elif name in made.broken:
            if file["status"] != "unreadable" or not file["error"]["message"]:
                wrong.append(f"{name}: broken, but {file['status']}")
        elif file["status"] != "agrees":
            wrong.append(f"{name}: an honest copy, but {file['status']}: {accused[:3]} {file['error']}")
    totals = report["totals"]
    states = sum(totals[state] for state in ("agrees", "diverges", "unreadable", "failed", "not-run"))
    if states != totals["files"] or totals["diverges"] != len(made.slips) or totals["unreadable"] != len(made.broken):
        wrong.append(f"totals do not add up: {totals}")
    return wrong


def browser_times(page: Path) -> dict[str, float]:
    """Milliseconds that opening, sorting and filtering the overview take in headless Chromium, layout included."""
    from selenium import webdriver

    from tests.batch.test_index_page import FLAGS

    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    timed = "const start = performance.now(); {}; document.body.offsetHeight; return performance.now() - start;"
    actions = {
        "sort by name": "document.querySelectorAll('#files th button')[0].click()",
        "sort by origins": "document.querySelectorAll('#files th button')[2].click()",
        "filter": "const box = document.getElementById('search'); box.value = 'slip'; "
        "box.dispatchEvent(new Event('input'))",
    }
    try:
        driver.get(page.as_uri())
        opened = driver.execute_script("return performance.timing.loadEventEnd - performance.timing.navigationStart")
        return {"open": opened} | {name: driver.execute_script(timed.format(code)) for name, code in actions.items()}
    finally:
        driver.quit()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workbook", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--slips", type=int, default=40)
    parser.add_argument("--broken", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--no-recognise", action="store_true", help="leave out the search for roles")
    parser.add_argument("--browser", action="store_true", help="also time the overview in headless Chromium")
    call = parser.parse_args()
    settings = Settings(recognise=not call.no_recognise)
    with tempfile.TemporaryDirectory() as scratch:
        small = make_class(call.workbook, Path(scratch, "one"), 1, 0, 0)
        runner = LocalWorkers(call.jobs)
        before = cpu()
        run_batch([small.folder], Path(scratch, "start"), settings, runner=LocalWorkers(1))
        start = (cpu() - before) * runner.jobs
        made = make_class(
            call.workbook, Path(scratch, "class"), call.files - call.slips - call.broken, call.slips, call.broken
        )
        out = Path(scratch, "out")
        before, began = cpu(), time.perf_counter()
        run_batch([made.folder], out, settings, runner=runner)
        spent, seconds = cpu() - before - start, time.perf_counter() - began
        began = time.perf_counter()
        again = run_batch([made.folder], out, settings, runner=runner)
        resumed = time.perf_counter() - began
        wrong = problems(out, made)
        if again.judged:
            wrong.append(f"the second run judged {again.judged} files that the journal holds")
        good = call.files - call.broken
        print(f"{call.files} files in {seconds:.1f} s with {runner.jobs} workers; start-up {start:.2f} s CPU")
        print(f"CPU a good file, reports included: {1000 * spent / good:.1f} ms")
        print(f"second run: {resumed:.1f} s")
        for who, usage in (("parent", resource.RUSAGE_SELF), ("largest worker", resource.RUSAGE_CHILDREN)):
            print(f"memory, {who}: {resource.getrusage(usage).ru_maxrss / 1024:.0f} MiB")
        for name in ("index.html", "report.json", "summary.xlsx", "junit.xml", ".journal"):
            print(f"{name}: {(out / name).stat().st_size / 1e6:.2f} MB")
        if call.browser:
            times = browser_times(out / "index.html")
            print("overview: " + ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in times.items()))
        for line in wrong[:20]:
            print(f"WRONG {line}")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
