"""Wildcards and regular expressions, and that neither can be made to run for long."""

from __future__ import annotations

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.functions.evaluate import calculate
from tests.functions.tables import Row, check, ids
from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.regular_expressions import Pattern
from xlsx_attention.functions.wildcards import matches, search

ROWS: list[Row] = [
    ('=REGEXTEST("alfalfa","a")', True, "R"),
    ('=REGEXTEST("Alfa","^a")', False, "R with case"),
    ('=REGEXTEST("Alfa","^a",1)', True, "R without case"),
    ('=REGEXTEST("x","(")', "#VALUE!", "R a broken pattern"),
    ('=REGEXEXTRACT("DylanWilliams","[A-Z][a-z]+",1)', [["Dylan", "Williams"]], "M REGEXEXTRACT"),
    ('=REGEXEXTRACT("DylanWilliams","[A-Z][a-z]+")', "Dylan", "M REGEXEXTRACT"),
    ('=REGEXEXTRACT("(378) 555-4195","\\((\\d{3})\\) (\\d{3})-(\\d{4})",2)', [["378", "555", "4195"]], "R groups"),
    ('=REGEXEXTRACT("abc","\\d")', "#N/A", "R none"),
    ('=REGEXREPLACE("SoniaBrown","([A-Z][a-z]+)([A-Z][a-z]+)","$2, $1")', "Brown, Sonia", "M REGEXREPLACE"),
    ('=REGEXREPLACE("a1b2c3","\\d","-")', "a-b-c-", "R all"),
    ('=REGEXREPLACE("a1b2c3","\\d","-",2)', "a1b-c3", "R the second"),
    ('=REGEXREPLACE("a1b2c3","\\d","-",-1)', "a1b2c-", "R the last"),
    ('=XMATCH("^b",{"ab","ba"},3)', 2.0, "R match mode 3"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row)


#: What both engines read alike; Python's own is the second opinion.
PATTERNS = [
    "a*b", "(a|b)+c", "a{2,3}", "a+?b", "(a)(b)?", "^ab$", "[^a]b", r"\w+\s", r"(a+)b\1", "(?:ab)*", "(?=ab)a",
    "(?!b).", "(?<=a)b", r"\bab\b", "a|ab|abc", "(a*)*b", "x?", "[a-c]{2}", "(a*?)(a*)", r"[\d\-.]+", "(?<n>a)(?<m>b)",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text("abc1- ", max_size=8))
def test_matches_as_pythons_engine(pattern: str, text: str) -> None:
    theirs = re.search(re.sub(r"\(\?<(\w)>", r"(?P<\1>", pattern), text)
    ours = Pattern.compile(pattern).search(text)
    if theirs is None or ours is None:
        assert theirs is None
        assert ours is None
    else:
        assert (ours.start, ours.end) == theirs.span()
        assert [ours.groups.get(i, (-1, -1)) for i in range(1, (theirs.re.groups or 0) + 1)] == [
            theirs.span(i) for i in range(1, (theirs.re.groups or 0) + 1)
        ]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x", "a*a*a*a*a*a*a*a*b"])
def test_a_hostile_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(NotComputed, match="regular expression"):
        Pattern.compile(pattern).search("a" * 5_000 + "!")


@pytest.mark.parametrize("pattern", ["(" * 400 + ")" * 400, "a" * 5_000, r"\p{L}", "(?>a)"])
def test_what_is_not_read_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(NotComputed, match="regular expression"):
        Pattern.compile(pattern)


def test_a_column_of_hostile_patterns_ends_too() -> None:
    """Twenty searches are tried, the other ten thousand refused at once."""
    pattern = Pattern.compile("(x+)+y")
    for _ in range(10_000):
        with pytest.raises(NotComputed, match="regular expression"):
            pattern.search("x" * 40)


def test_a_refused_pattern_is_not_computed_in_its_cell() -> None:
    result = calculate('=REGEXTEST(REPT("a",5000)&"!","(a+)+$")')
    assert isinstance(result, str)
    assert result.startswith("not computed: a regular expression's search")


def _escaped(pattern: str) -> str:
    """As fnmatch writes it, where [ is special and ~ is not."""
    return pattern.replace("[", "[[]")


@given(st.text("ab*?[", max_size=8), st.text("abAB[", max_size=8))
def test_wildcards_as_shell_patterns(pattern: str, text: str) -> None:
    assert matches(pattern, text) == fnmatch.fnmatchcase(text.upper(), _escaped(pattern.upper()))


@given(st.text("ab*?", max_size=6), st.text("ab", max_size=8), st.integers(0, 8))
def test_search_finds_the_first_place_that_matches(pattern: str, text: str, start: int) -> None:
    places = [i for i in range(start, len(text) + 1) if matches(pattern + "*", text[i:])]
    assert search(pattern, text, start) == (places[0] if places else -1)


def test_a_hostile_wildcard_ends_soon() -> None:
    """A matcher that goes back would take longer than the universe has lasted."""
    assert not matches("*a" * 2_000 + "b", "a" * 20_000)
