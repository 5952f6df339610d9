"""The table: each hazard through ``verify`` in a child with 2 GiB and 20 seconds, with exactly the outcome that its
row says.

Peak memory and time are not asserted, for they say as much about the machine; ``python -m tests.security.measure``
prints
them. The child is ended past either limit, and then its outcome is none that a row has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.hazards import HAZARDS, Hazard
from tests.security.hazards.outcome import Refused
from tests.security.judge import complaint, verify
from xlsx_attention.reading import NOTICES, REFUSALS

if sys.platform != "linux":
    pytest.skip("children are limited and measured as Linux does it", allow_module_level=True)

from tests.security.workshop import Workshop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path_factory.mktemp("workshop"))
    yield workshop
    workshop.close()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("hazard", HAZARDS, ids=[f"{hazard.section}: {hazard.name}" for hazard in HAZARDS])
def test_verify(hazard: Hazard, shop: Workshop) -> None:
    assert complaint(hazard, verify(shop, hazard)) == ""


#: Some of each section, light ones: the batch judges with the same budgets, in workers of its own.
BATCH = [hazard for hazard in HAZARDS if not hazard.heavy and not hazard.options][::9]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_batch_says_the_same(tmp_path: Path) -> None:
    from xlsx_attention.batch.run import run_batch
    from xlsx_attention.batch.supervisor import LocalWorkers

    folder = tmp_path / "in"
    folder.mkdir()
    for number, hazard in enumerate(BATCH):
        # A comment behind the archive: two hazards with one content would be one submission.
        (folder / f"{number:03}.xlsx").write_bytes(hazard.build())
    result = run_batch([folder], tmp_path / "out", runner=LocalWorkers(1))
    assert len(result.rows) == len(BATCH)
    for row, hazard in zip(result.rows, BATCH, strict=True):
        if isinstance(hazard.outcome, Refused):
            assert row.status == "unreadable", (hazard.name, row)
        else:
            assert row.status in ("agrees", "diverges"), (hazard.name, row)


def test_every_code_has_its_hazard() -> None:
    refused = {hazard.outcome.code for hazard in HAZARDS if isinstance(hazard.outcome, Refused)}
    assert refused <= set(REFUSALS)
    # The first three are of the path, not of the content: tests/security/test_files.py has them.
    assert set(REFUSALS) - refused == {"missing-file", "not-a-file", "no-such-sheet"}
    noticed = {code for hazard in HAZARDS if not isinstance(hazard.outcome, Refused) for code in hazard.outcome.notices}
    assert noticed <= set(NOTICES) | {"name-not-understood", "not-recognised"}
