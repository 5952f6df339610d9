"""Every input that a fuzzer has broken the tool with, as a case; and a short run of each harness with hypothesis.

``FUZZ_EXAMPLES`` sets how many examples a harness gets (60 in the suite).
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import harness

#: (target, input, what broke)
FOUND = [
    ("computed", b"MMULT($A1,$C1,TRANSPOSE(S!A$1:A3))", "recognition took the arguments of MMULT for two"),
    ("computed", b"EXPAND(,)", "an array that must be there, left empty"),
    (
        "cells",
        b'<row r="2"><c r="B2"><f t="array" ref="B2:XFD1048576">C3#</f><v>1</v></c><c r="C3"><f t="array" ref="C3:D4">B2+1</f><v>1</v></c></row>'  # noqa: E501
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "arrays over the whole grid that read each other",
    ),
    (
        "cells",
        b'<row r="2"><c r="B2"><f t="array" ref="B2:XFD1048576">A1+1</f><v>1</v></c></row><row r="1"><c r="A1"><f>INDIRECT("A"&amp;1)</f></c></row>'  # noqa: E501
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "a reference by its text beside an array over the whole grid",
    ),
]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
SHORT = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(("target", "data", "what"), FOUND, ids=[case[2] for case in FOUND])
def test_what_a_fuzzer_found(target: str, data: bytes, what: str) -> None:
    harness.TARGETS[target](data)


@pytest.mark.parametrize("target", harness.TARGETS)
def test_where_the_fuzzers_begin(target: str) -> None:
    for seed in harness.seeds(target):
        harness.TARGETS[target](seed)


NUMBERS = st.sampled_from(["0", "1", "-1", "2.5", "1E+308", "1E-320", "1E9", "-1E9", "99999999999999999999"])
PLACES = st.sampled_from(
    ["A1", "$B$2", "C3", "A1:B3", "A:A", "$1:$2", "XFD1048576", "S!B1", "[1]T!A1", "T!A1", "n", "t[a]", "A2#", "S:S!A1"]
)
TEXTS = st.sampled_from(['""', '"a"', '"1"', '">1"', '"*"', '"0.00"', '"A1"', "TRUE", "#N/A", "#REF!", "{1,2;3,4}", ""])
NAMES = st.sampled_from(
    [
        "SUM",
        "MMULT",
        "TRANSPOSE",
        "IF",
        "IFERROR",
        "SUMPRODUCT",
        "MAX",
        "EXP",
        "SQRT",
        "INDEX",
        "MATCH",
        "OFFSET",
        "INDIRECT",
        "LET",
        "LAMBDA",
        "MAP",
        "REDUCE",
        "SCAN",
        "BYROW",
        "MAKEARRAY",
        "SEQUENCE",
        "TEXT",
        "REPT",
        "SUBSTITUTE",
        "COUNTIF",
        "SUMIFS",
        "XLOOKUP",
        "VLOOKUP",
        "LOOKUP",
        "SORT",
        "UNIQUE",
        "FILTER",
        "ROW",
        "COLUMN",
        "CHOOSE",
        "EXPAND",
        "TAKE",
        "DROP",
        "WRAPROWS",
        "TEXTJOIN",
        "DATE",
        "ROUND",
        "MOD",
        "POWER",
        "FREQUENCY",
        "PERCENTILE",
        "RANK",
        "AGGREGATE",
        "SUBTOTAL",
        "CELL",
        "ADDRESS",
        "REGEXREPLACE",
        "NORM.INV",
        "LINEST",
        "WEBSERVICE",
        "NOSUCH",
    ]
)
FORMULAS = st.recursive(
    NUMBERS | PLACES | TEXTS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([*"+-*/^&=<>: ,", "<>", ">="]), inner).map("".join),
        st.tuples(NAMES, st.lists(inner, max_size=4)).map(lambda call: f"{call[0]}({','.join(call[1])})"),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}%"),
        st.tuples(inner, inner).map(lambda pair: f"LAMBDA(x,{pair[0]})({pair[1]})"),
    ),
    max_leaves=12,
)


@SHORT
@given(FORMULAS)
def test_formulas_are_parsed_and_computed(text: str) -> None:
    harness.formula(text.encode())
    harness.computed(text.encode())


CELLS = st.builds(
    lambda name, kind, attributes, formula, value: (
        f'<c r="{name}" t="{kind}"><f{attributes}>{formula}</f><v>{value}</v></c>'
    ),
    st.sampled_from(["A1", "B2", "C3", "XFD1048576", "A0", "", "ZZZ1", "B5"]),
    st.sampled_from(["n", "s", "str", "b", "e", "d", "inlineStr", "x"]),
    st.sampled_from(
        [
            "",
            ' t="shared" si="0"',
            ' t="shared" si="0" ref="A1:B9"',
            ' t="array" ref="A1:C3"',
            ' t="array" ref="B2:XFD1048576"',
            ' t="dataTable" r1="A1"',
        ]
    ),
    st.sampled_from(["", "A1", "A1+B2", "SUM(A1:C9)", "(", "C3#", "INDIRECT(&quot;B&quot;&amp;2)"]),
    st.sampled_from(["", "0", "1", "-1e400", "TRUE", "#N/A", "2024-01-31", "x"]),
)
SHEETS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "0", "", "1048576", "x"]), st.lists(CELLS, max_size=4)), max_size=5
)


@SHORT
@given(SHEETS)
def test_sheets_are_read_or_refused(rows: list[tuple[str, list[str]]]) -> None:
    harness.cells("".join(f'<row r="{row}">{"".join(cells)}</row>' for row, cells in rows).encode())


@SHORT
@given(st.integers(0, 255), st.binary(max_size=300))
def test_parts_are_read_or_refused(which: int, content: bytes) -> None:
    harness.part(bytes([which]) + content)


@SHORT
@given(st.data())
def test_packages_are_read_or_refused(data: st.DataObject) -> None:
    """A good package with some octets changed, cut off or put in twice."""
    package = bytearray(data.draw(st.sampled_from(harness.seeds("container"))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(package) - 1))
        change = data.draw(st.sampled_from(["set", "cut", "twice"]))
        if change == "set":
            package[at] = data.draw(st.integers(0, 255))
        elif change == "cut":
            del package[at : at + data.draw(st.integers(1, 64))]
        else:
            package[at:at] = package[at : at + 64]
    harness.container(bytes(package))
