"""Hostile formulas: an Excel error, or not computed with the reason; the rest of the sheet is verified all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.reading import packages
from tests.security.hazards.build import book, formula, number, one, rows
from tests.security.hazards.outcome import Hazard, Outcome, Read, Refused


def _lacks(reason: str, notices: tuple[str, ...] = ()) -> Read:
    """``B1`` is not computed for this reason, ``C1`` agrees."""
    return Read({"agrees": 1, "not-computed": 1}, notices, reason)


ARRAY, STEPS, WORK, TEXTS = "--max-array", "--max-steps", "--max-work", "--max-texts"
NESTED = _lacks("nested parts")
#: The cached 0 is not what Excel gives, an error: the cell is accused, and only that cell.
ERROR = Read({"agrees": 1, "origin": 1})


def _with_names(text: str, names: Mapping[str, str]) -> Callable[[], bytes]:
    return lambda: one(text, 0, names=names)


def _doubling(count: int, of: str) -> dict[str, str]:
    return {"n0x": of, **{f"n{i}x": f"n{i - 1}x+n{i - 1}x" for i in range(1, count + 1)}}


def _calls(count: int) -> dict[str, str]:
    doubled = {f"n{i}x": f"LAMBDA(x,n{i - 1}x(x)+n{i - 1}x(x))" for i in range(1, count + 1)}
    return {"n0x": "LAMBDA(x,x)", **doubled}


def _chain(count: int) -> dict[str, str]:
    return {"n0x": "S!$A$1", **{f"n{i}x": f"n{i - 1}x" for i in range(1, count + 1)}}


def _many(text: str, count: int) -> bytes:
    """The same costly formula in many cells."""
    return book(number(0, 0, 1), *(formula(i, 1, text, 0) for i in range(count)))


def _long(count: int, length: int) -> bytes:
    """Unlike formulas, each as long as a formula may be."""
    cells = (formula(i, 0, f"{i}" + "+1" * (length // 2 - 4), 0) for i in range(count))
    return packages.pack(packages.parts(rows(cells)), level=0)


A30 = '"' + "a" * 200 + '"'
ROWS: list[tuple[str, Callable[[], bytes], Outcome]] = [
    ("8,193 characters", lambda: one("1+" * 4_096 + "1"), _lacks("FORMULA_TOO_LONG", ("formula-too-long",))),
    ("a sum of 4,000 terms: computed", lambda: one("1" + "+1" * 4_000, 4_001), Read({"agrees": 2})),
    ("the same, with another result", lambda: one("1" + "+1" * 4_000, 5), ERROR),
    ("64 levels of functions: computed", lambda: one("IF(A1=1," * 64 + "1" + ")" * 64, 1), Read({"agrees": 2})),
    ("65 levels of functions", lambda: one("IF(A1=1," * 65 + "1" + ")" * 65, 1), _lacks("64 levels")),
    ("256 arguments", lambda: one("SUM(" + ",".join("1" * 256) + ")", 256), _lacks("255 arguments")),
    ("2,000 nested parentheses", lambda: one("1+(" * 2_000 + "1" + ")" * 2_000), _lacks("1024 pending")),
    ("400 nested parentheses", lambda: one("1+(" * 400 + "1" + ")" * 400), NESTED),
    ("8,000 signs", lambda: one("-" * 8_000 + "1"), NESTED),
    ("8,000 percent signs", lambda: one("1" + "%" * 8_000), NESTED),
    ("4,000 calls of calls", lambda: one("LAMBDA(x,x)" + "(1)" * 2_700), NESTED),
    ("8,000 open quotes", lambda: one("'" * 8_000), _lacks("formula not understood")),
    ("=SEQUENCE(1048576,16384)", lambda: one("SUM(SEQUENCE(1048576,16384))"), _lacks(ARRAY)),
    ("=MAKEARRAY of the whole grid", lambda: one("SUM(MAKEARRAY(1048576,16384,LAMBDA(r,c,r)))"), _lacks(ARRAY)),
    ("=MAKEARRAY(1000,1000)", lambda: one("SUM(MAKEARRAY(1000,1000,LAMBDA(r,c,r)))"), _lacks(WORK)),
    ("=EXPAND to the whole grid", lambda: one("SUM(EXPAND(A1,1048576,16384,0))"), _lacks(ARRAY)),
    ("=MUNIT(100000)", lambda: one("SUM(MUNIT(100000))"), _lacks(ARRAY)),
    ("=RANDARRAY of the whole grid", lambda: one("SUM(RANDARRAY(1048576,16384))"), _lacks(ARRAY)),
    ("=OFFSET to the whole grid", lambda: one("SUM(OFFSET(D1,0,0,1048576,16000))"), Read({"agrees": 2})),
    ("an outer product of columns", lambda: one("SUMPRODUCT(SEQUENCE(100000)*SEQUENCE(1,10000))"), _lacks(ARRAY)),
    ("=MMULT of 2,000 x 2,000", lambda: one("SUM(MMULT(SEQUENCE(2000,2000)^0,SEQUENCE(2000,2000)^0))"), _lacks(ARRAY)),
    ("=MDETERM of 2,000 x 2,000", lambda: one("MDETERM(SEQUENCE(2000,2000))"), _lacks(WORK)),
    ("=MINVERSE of 2,000 x 2,000", lambda: one("SUM(MINVERSE(SEQUENCE(2000,2000)))"), _lacks(WORK)),
    ("=SORT of a million", lambda: one("SUM(SORT(SEQUENCE(1000000)))"), _lacks(WORK)),
    (
        "=XLOOKUP of 50,000 in 50,000",
        lambda: one("SUM(XLOOKUP(SEQUENCE(50000),SEQUENCE(50000),SEQUENCE(50000)))"),
        _lacks(WORK),
    ),
    ("=REDUCE over a million", lambda: one("REDUCE(0,SEQUENCE(1000000),LAMBDA(a,b,a+b))"), _lacks(WORK)),
    ('=REPT("A",1E9)', lambda: one('LEN(REPT("A",1E9))'), ERROR),
    ("=SUBSTITUTE to 1 GB", lambda: one('LEN(SUBSTITUTE(REPT("a",32767),"a",REPT("b",32767)))'), ERROR),
    ("=CONCAT to 1 GB", lambda: one('LEN(CONCAT(REPT("b",32767+0*SEQUENCE(30000))))'), ERROR),
    ("=TEXTJOIN to 3 GB", lambda: one('LEN(TEXTJOIN(REPT("b",32767),TRUE,SEQUENCE(100000)))'), ERROR),
    (
        "a million unlike texts of 30,000 characters",
        lambda: one('SUM(LEN(REPT("A",30000)&SEQUENCE(100000)))'),
        _lacks(TEXTS),
    ),
    ("=TEXT with 30,000 zeros", lambda: one('LEN(TEXT(1E300,REPT("0",30000)))'), ERROR),
    ("a recursion without end", _with_names("f(1)", {"f": "LAMBDA(x,f(x)+f(x))"}), _lacks("LAMBDA recursion")),
    ("a function that is handed itself", lambda: one("LET(f,LAMBDA(g,x,g(g,x+1)),f(f,1))"), _lacks("LAMBDA recursion")),
    ("LAMBDAs that double 40 times", _with_names("n40x(1)", _calls(40)), _lacks(STEPS)),
    ("names that double 40 times", _with_names("n40x", _doubling(40, "S!$A$1")), _lacks("names that unfold")),
    ("names over 5,000 levels", _with_names("n5000x", _chain(5_000)), _lacks("64 levels")),
    ("names in a circle", _with_names("p+1", {"p": "q+1", "q": "p+1"}), _lacks("in a circle")),
    ("a name that is itself", _with_names("p", {"p": "p"}), _lacks("in a circle")),
    (
        "a name that is no formula",
        _with_names("1+1", {"p": "(((("}),
        Read({"agrees": 1, "origin": 1}, ("name-not-understood",)),
    ),
    (
        "LET that doubles 60 times: computed",
        lambda: one(
            "LET(" + "".join(f"a{i}x," + ("1," if not i else f"a{i - 1}x+a{i - 1}x,") for i in range(60)) + "a59x)",
            2.0**59,
        ),
        Read({"agrees": 2}),
    ),
    (
        "a regular expression that doubles",
        lambda: one('REGEXTEST(REPT("a",5000)&"b","(a+)+$")', 0),
        _lacks("regular expression"),
    ),
    (
        "wildcards that double",
        lambda: one('COUNTIF(A1,REPT("*a",100)&"b")', 0, (2, 0, '<c r="A3" t="str"><v>' + "a" * 30_000 + "</v></c>")),
        Read({"agrees": 2}),
    ),
    ("wildcards in SEARCH that double", lambda: one('SEARCH(REPT("*a",50)&"b",REPT("a",30000))'), ERROR),
    ("=INDIRECT of a long text", lambda: one('INDIRECT(REPT("A1:",5000)&"A1")'), ERROR),
    ("=COMBIN(1E15,5E14)", lambda: one("COMBIN(1E15,5E14)"), ERROR),
    ("=BINOM.DIST of a billion", lambda: one("BINOM.DIST(5E8,1E9,0.5,TRUE)"), ERROR),
    (
        "20,000 cells of SUM(SEQUENCE(1000000))",
        lambda: _many("SUM(SEQUENCE(1000000))", 20_000),
        Read({"origin": 498, "not-computed": 19_502}, (), WORK),
    ),
    ("800 unlike formulas of 8,000 characters", lambda: _long(800, 8_000), Refused("over-budget", "--max-characters")),
]

HAZARDS = [Hazard("formulas", name, build, outcome) for name, build, outcome in ROWS]
