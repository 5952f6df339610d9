"""MATCH, XMATCH, XLOOKUP, VLOOKUP, HLOOKUP, LOOKUP, INDEX."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain
from tests.functions.tables import Row, check, ids

CELLS: dict[str, Plain] = {
    # Microsoft's example of MATCH
    "B2": 25.0, "B3": 38.0, "B4": 40.0, "B5": 41.0,
    # of LOOKUP
    "D2": 4.14, "D3": 4.19, "D4": 5.17, "D5": 5.77, "D6": 6.39,
    "E2": "red", "E3": "orange", "E4": "yellow", "E5": "green", "E6": "blue",
    # of HLOOKUP
    "G1": "Axles", "H1": "Bearings", "I1": "Bolts", "G2": 4.0, "H2": 4.0, "I2": 9.0,
    "G3": 5.0, "H3": 7.0, "I3": 10.0, "G4": 6.0, "H4": 8.0, "I4": 11.0,
    # of INDEX
    "K2": "Apples", "L2": "Lemons", "K3": "Bananas", "L3": "Pears",
    # kinds mixed
    "N1": "1", "N2": 1.0, "N3": True, "N4": "#N/A", "N6": "what?", "N7": "what*",
}  # fmt: skip

ROWS: list[Row] = [
    ("=MATCH(39,B2:B5,1)", 2.0, "M MATCH"),
    ("=MATCH(41,B2:B5,0)", 4.0, "M MATCH"),
    ("=MATCH(40,B2:B5,-1)", "#N/A", "M MATCH: not in descending order"),
    ("=MATCH(39,B2:B5,)", "#N/A", "R a type left empty is 0"),
    ("=VLOOKUP(5.75,D2:E6,2,)", "#N/A", "R a range_lookup left empty is FALSE"),
    ("=MATCH(20,B2:B5)", "#N/A", "R all are above it"),
    ("=MATCH(99,B2:B5)", 4.0, "R the largest not above it"),
    ("=MATCH(3,{5,4,3,2},-1)", 3.0, "R"),
    ("=MATCH(3.5,{5,4,3,2},-1)", 2.0, "R the smallest not below it"),
    ('=MATCH("ORANGE",E2:E6,0)', 2.0, "R no case"),
    ('=MATCH("*e*n",E2:E6,0)', 4.0, "R wildcards"),
    ('=MATCH("what~?",N1:N7,0)', 6.0, "R ~ takes the next as it is"),
    ('=MATCH("what~*",N1:N7,0)', 7.0, "R ~ takes the next as it is"),
    ("=MATCH(1,N1:N3,0)", 2.0, "R a number is no text"),
    ("=MATCH(TRUE,N1:N3,0)", 3.0, "R a logical is no number"),
    ("=MATCH(1,B2:E5,0)", "#N/A", "R a rectangle"),
    ("=MATCH({38,41},B2:B5,0)", [[2.0, 4.0]], "H"),
    ("=MATCH(1/0,B2:B5,0)", "#DIV/0!", "R the value's own error"),
    ("=XMATCH(4,{5,4,3,2,1})", 2.0, "M XMATCH"),
    ("=XMATCH(4.5,{5,4,3,2,1},1)", 1.0, "M XMATCH"),
    ("=XMATCH(4.5,{5,4,3,2,1},-1)", 2.0, "R the next smaller one, in any order"),
    ("=XMATCH(1,{1,2,1},0,-1)", 3.0, "R from the end"),
    ("=XMATCH(1,{1,2,1},7)", "#VALUE!", "R an unknown mode"),
    ("=XLOOKUP(4.19,D2:D6,E2:E6)", "orange", "R XLOOKUP"),
    ('=XLOOKUP(9,D2:D6,E2:E6,"none")', "none", "R XLOOKUP"),
    ("=XLOOKUP(9,D2:D6,E2:E6)", "#N/A", "R XLOOKUP"),
    ("=XLOOKUP(5,D2:D6,E2:E6,,-1)", "orange", "R the next smaller one"),
    ("=XLOOKUP(5,D2:D6,E2:E6,,1)", "yellow", "R the next larger one"),
    ('=XLOOKUP("Bearings",G1:I1,G2:I4)', [[4.0], [7.0], [8.0]], "R a whole column of results"),
    ("=XLOOKUP(38,B2:B5,D2:E5)", [[4.19, "orange"]], "R a whole row of results"),
    ("=SUM(XLOOKUP(38,B2:B5,B2:B5):XLOOKUP(41,B2:B5,B2:B5))", 119.0, "R it gives a reference: 38 + 40 + 41"),
    ("=XLOOKUP(1,B2:B5,E2:E6)", "#VALUE!", "R sizes that differ"),
    ("=VLOOKUP(4.19,D2:E6,2,FALSE)", "orange", "R VLOOKUP"),
    ("=VLOOKUP(5.75,D2:E6,2)", "yellow", "R the last not above it"),
    ("=VLOOKUP(5.75,D2:E6,2,FALSE)", "#N/A", "R VLOOKUP"),
    ("=VLOOKUP(4.19,D2:E6,3)", "#REF!", "R beyond the table"),
    ("=VLOOKUP(4.19,D2:E6,0)", "#VALUE!", "R below 1"),
    ('=HLOOKUP("Axles",G1:I4,2,TRUE)', 4.0, "M HLOOKUP"),
    ('=HLOOKUP("Bearings",G1:I4,3,FALSE)', 7.0, "M HLOOKUP"),
    ('=HLOOKUP("B",G1:I4,3,TRUE)', 5.0, "M HLOOKUP"),
    ('=HLOOKUP("Bolts",G1:I4,4)', 11.0, "M HLOOKUP"),
    ('=HLOOKUP(3,{1,2,3;"a","b","c";"d","e","f"},2,TRUE)', "c", "M HLOOKUP"),
    ("=LOOKUP(4.19,D2:D6,E2:E6)", "orange", "M LOOKUP"),
    ("=LOOKUP(5.75,D2:D6,E2:E6)", "yellow", "M LOOKUP"),
    ("=LOOKUP(7.66,D2:D6,E2:E6)", "blue", "M LOOKUP"),
    ("=LOOKUP(0,D2:D6,E2:E6)", "#N/A", "M LOOKUP"),
    ('=LOOKUP("C",{"a","b","c","d";1,2,3,4})', 3.0, "M LOOKUP, array form"),
    ('=LOOKUP("bump",{"a",1;"b",2;"c",3})', 2.0, "M LOOKUP, array form"),
    ("=LOOKUP(2,1/(B2:B5<41),B2:B5)", 40.0, "H errors are passed over"),
    ("=INDEX(K2:L3,2,2)", "Pears", "M INDEX"),
    ("=INDEX(K2:L3,2,1)", "Bananas", "M INDEX"),
    ("=INDEX({1,2;3,4},0,2)", [[2.0], [4.0]], "M INDEX"),
    ("=INDEX(B2:B5,3)", 40.0, "R one number along a single column"),
    ("=INDEX(G2:I2,3)", 9.0, "R one number along a single row"),
    ("=INDEX(G2:I4,2)", "#REF!", "R a rectangle of cells wants both numbers"),
    ("=INDEX(G2:I4,2,)", [[5.0, 7.0, 10.0]], "R a whole row"),
    ("=INDEX({1,2;3,4},2)", [[3.0, 4.0]], "C INDEX: a whole row of an array"),
    ("=LOOKUP(2.5,{1;2.5;-3})", 2.5, "H not sorted: the middle one is met first"),
    ('=XMATCH("abc",{5,4,3},-1)', 1.0, "R numbers come before texts"),
    ("=INDEX(B2:B5,5)", "#REF!", "R beyond the array"),
    ("=INDEX(B2:B5,-1)", "#VALUE!", "R below 0"),
    ("=INDEX(G2:I4,2,0)", [[5.0, 7.0, 10.0]], "R a whole row"),
    ("=SUM(B2:INDEX(B2:B5,3))", 103.0, "R it gives a reference: 25 + 38 + 40"),
    ("=INDEX((B2:B5,D2:D6),2,1,2)", 4.19, "R the second area"),
    ("=INDEX((B2:B5,D2:D6),2,1,3)", "#REF!", "R no such area"),
    ("=INDEX(B2:B5,{1;4})", [[25.0], [41.0]], "H"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)
