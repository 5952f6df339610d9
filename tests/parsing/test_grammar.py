"""Formula → tree, from the cell E5 (row 4, column 4), each row with the source of its rule.

Sources: [P] Microsoft, "Calculation operators and precedence in Excel"; [E] ECMA-376 part 1, 18.17 (formulas);
[X] [MS-XLSX] 2.2.2 (formulas as stored); [S] Microsoft, "Using structured references with Excel tables"; [N] Microsoft,
"Define and use names in formulas"; [#] "Spilled range operator"; [@] "Implicit intersection operator: @"; [A] "Use
array constants in array formulas"; [3] "Create a reference to the same cell range on multiple worksheets"; [L] "LAMBDA
function"; [F] "Issue: An _xlfn. prefix is displayed in front of a formula"; [G] the text of an export by Google Sheets.
"""

from __future__ import annotations

import pytest

from tests.parsing.trees import bracketed
from xlsx_attention.errors import FormulaSyntaxError
from xlsx_attention.parsing import parse

TREES: list[tuple[str, str, str]] = [
    # literals
    ("1", "1", "E"),
    (".5", "0.5", "E"),
    ("1.", "1", "E"),
    ("1E+10", "1e+10", "E"),
    ("1.5e-3", "0.0015", "E"),
    ('""', "''", "E"),
    ('"say ""hi"""', "'say \"hi\"'", "E"),
    ('"a\nb"', "'a\\nb'", "E"),
    ("TRUE", "True", "E"),
    ("false", "False", "E"),
    ("TRUE()", "(TRUE)", "E"),
    ("#N/A", "#N/A", "E"),
    ("#div/0!", "#DIV/0!", "E"),
    ("#SPILL!", "#SPILL!", "#"),
    ("{1,2;3,4}", "{1,2;3,4}", "A"),
    ('{ -1 , "a;b" ; TRUE , #REF! }', "{-1,'a;b';True,#REF!}", "A"),
    ("{+1.5}", "{1.5}", "A"),
    # precedence
    ("1+2*3", "(+ 1 (* 2 3))", "P"),
    ("(1+2)*3", "(* (+ 1 2) 3)", "P"),
    ("1-2-3", "(- (- 1 2) 3)", "P"),
    ("8/4/2", "(/ (/ 8 4) 2)", "P"),
    ("2^3^2", "(^ (^ 2 3) 2)", "P"),
    ("-2^2", "(^ (- 2) 2)", "P"),
    ("2^-3", "(^ 2 (- 3))", "P"),
    ("2^-3^2", "(^ (^ 2 (- 3)) 2)", "P"),
    ("1--2", "(- 1 (- 2))", "P"),
    ("--1", "(- (- 1))", "P"),
    ("+A1", "(+ R[-4]C[-4])", "P"),
    ("-2%", "(pct (- 2))", "P"),
    ("2^3%", "(^ 2 (pct 3))", "P"),
    ("5%%", "(pct (pct 5))", "P"),
    ("10%*2", "(* (pct 10) 2)", "P"),
    ('1+2&"x"', "(& (+ 1 2) 'x')", "P"),
    ("1&2=3", "(= (& 1 2) 3)", "P"),
    ("1<2=TRUE", "(= (< 1 2) True)", "P"),
    ("1<>2", "(<> 1 2)", "P"),
    ("1>=-2", "(>= 1 (- 2))", "P"),
    ("1<=2*3", "(<= 1 (* 2 3))", "P"),
    # references
    ("A1", "R[-4]C[-4]", "E"),
    ("E5", "RC", "E"),
    ("$E$5", "R5C5", "E"),
    ("e$5", "R5C", "E"),
    ("XFD1048576", "R[1048571]C[16379]", "E"),
    ("A1:B2", "R[-4]C[-4]:R[-3]C[-3]", "E"),
    ("A1:A1", "R[-4]C[-4]:R[-4]C[-4]", "E"),
    ("B2:A1", "R[-3]C[-3]:R[-4]C[-4]", "E"),
    ("A1 : B2", "R[-4]C[-4]:R[-3]C[-3]", "E"),
    ("A:C", "C[-4]:C[-2]", "E"),
    ("$A:E", "C1:C", "E"),
    ("5:$7", "R:R7", "E"),
    ("A1:B2:C3", "(: R[-4]C[-4]:R[-3]C[-3] R[-2]C[-2])", "P"),
    ("(A1):(B2)", "(: R[-4]C[-4] R[-3]C[-3])", "P"),
    ("INDEX(A1:B2,1,1):B3", "(: (INDEX R[-4]C[-4]:R[-3]C[-3] 1 1) R[-2]C[-3])", "P"),
    ("B3:INDEX(A1,1):B4", "(: (: R[-2]C[-3] (INDEX R[-4]C[-4] 1)) R[-1]C[-3])", "P"),
    ("name1:A1:B2", "(: (: <name1> R[-4]C[-4]) R[-3]C[-3])", "P"),
    ("A1 B1", "(join R[-4]C[-4] R[-4]C[-3])", "P"),
    ("A1:B2 B1:C3", "(join R[-4]C[-4]:R[-3]C[-3] R[-4]C[-3]:R[-2]C[-2])", "P"),
    ("A1 (B1)", "(join R[-4]C[-4] R[-4]C[-3])", "P"),
    ("SUM((A1,B1))", "(SUM (, R[-4]C[-4] R[-4]C[-3]))", "P"),
    ("SUM((A1,B1 C1))", "(SUM (, R[-4]C[-4] (join R[-4]C[-3] R[-4]C[-2])))", "P"),
    ("-(A1,B1)", "(- (, R[-4]C[-4] R[-4]C[-3]))", "P"),
    ("Sheet1!A1,Sheet1!B1", "(, Sheet1!R[-4]C[-4] Sheet1!R[-4]C[-3])", "N"),
    ("A1 + B1", "(+ R[-4]C[-4] R[-4]C[-3])", "E"),
    (" A1\n*\r\n\t2 ", "(* R[-4]C[-4] 2)", "E"),
    ("A1 -B1", "(- R[-4]C[-4] R[-4]C[-3])", "E"),
    # sheets
    ("Sheet1!A1", "Sheet1!R[-4]C[-4]", "E"),
    ("'Sheet one'!$A$1:B2", "Sheet one!R1C1:R[-3]C[-3]", "E"),
    ("'It''s'!A1", "It's!R[-4]C[-4]", "E"),
    ("'A1'!A1", "A1!R[-4]C[-4]", "E"),
    ("工作表1!A1", "工作表1!R[-4]C[-4]", "E"),
    ("Sheet1:Sheet3!A1", "Sheet1..Sheet3!R[-4]C[-4]", "3"),
    ("'Sheet 1:Sheet 3'!A:A", "Sheet 1..Sheet 3!C[-4]:C[-4]", "3"),
    ("[1]Sheet1!A1", "1/Sheet1!R[-4]C[-4]", "X"),
    ("'[12]Sheet one'!A1", "12/Sheet one!R[-4]C[-4]", "X"),
    ("[1]Sheet1:Sheet3!5:5", "1/Sheet1..Sheet3!R:R", "X"),
    ("[1]!rate", "1/!<rate>", "X"),
    ("[0]!rate", "!<rate>", "X"),
    ("'C:\\books\\[Old.xlsx]Sheet1'!A1", "C:\\books\\[Old.xlsx]Sheet1!R[-4]C[-4]", "X"),
    ("Sheet1!rate", "Sheet1!<rate>", "N"),
    ("Sheet1!#REF!", "#REF!", "E"),
    ("#REF!A1", "#REF!", "E"),
    ("#REF!$A$1+1", "(+ #REF! 1)", "E"),
    ("Sheet1!A1:Sheet1!B2", "(: Sheet1!R[-4]C[-4] Sheet1!R[-3]C[-3])", "P"),
    ("A1:Sheet1!B2", "(: R[-4]C[-4] Sheet1!R[-3]C[-3])", "P"),
    ("Sheet1!rate:Sheet1!B2", "(: Sheet1!<rate> Sheet1!R[-3]C[-3])", "P"),
    # names against cells
    ("_dk", "<_dk>", "N"),
    ("XFE1", "<XFE1>", "N"),
    ("A1048577", "<A1048577>", "N"),
    ("R1C1", "<R1C1>", "N"),
    ("A1.b", "<A1.b>", "N"),
    ("\\x?y", "<\\x?y>", "N"),
    ("W_q.1", "<W_q.1>", "N"),
    ("Größe", "<Größe>", "N"),
    ("权重", "<权重>", "N"),
    ("TRUEST", "<TRUEST>", "N"),
    ("LOG10(A1)", "(LOG10 R[-4]C[-4])", "E"),
    ("DAYS360(1,2)", "(DAYS360 1 2)", "E"),
    # calls
    ("PI()", "(PI)", "E"),
    ("sum( A1 , 2 )", "(SUM R[-4]C[-4] 2)", "E"),
    ("SUM (A1)", "(SUM R[-4]C[-4])", "E"),
    ("IF(A1,,2)", "(IF R[-4]C[-4] _ 2)", "E"),
    ("IF(,)", "(IF _ _)", "E"),
    ("F( )", "(F)", "E"),
    ("F(1,)", "(F 1 _)", "E"),
    ("SUM(-A1,2)", "(SUM (- R[-4]C[-4]) 2)", "E"),
    ("my.func(1)", "(MY.FUNC 1)", "N"),
    ("Sheet1!f(1)", "(apply Sheet1!<f> 1)", "N"),
    ("LAMBDA(x,x+1)(3)", "(apply (LAMBDA <x> (+ <x> 1)) 3)", "L"),
    ("LAMBDA(x,LAMBDA(y,x+y))(1)(2)", "(apply (apply (LAMBDA <x> (LAMBDA <y> (+ <x> <y>))) 1) 2)", "L"),
    ("(f)(1)", "(apply <f> 1)", "L"),
    ("_xlfn.STDEV.S(A1)", "(STDEV.S R[-4]C[-4])", "F"),
    ("_xlfn._xlws.SORT(A1:A3)", "(SORT R[-4]C[-4]:R[-2]C[-4])", "F"),
    ("_xlfn.LET(_xlpm.x,1,_xlpm.x*2)", "(LET <x> 1 (* <x> 2))", "X"),
    ("_xlfn.LAMBDA(_xlop.x,_xlpm.x)", "(LAMBDA [||x|None] <x>)", "X"),
    ("_xlfn.BYROW(A1:B2,_xleta.SUM)", "(BYROW R[-4]C[-4]:R[-3]C[-3] <SUM>)", "X"),
    (
        'IFERROR(__xludf.DUMMYFUNCTION("x"),2)',
        "(IFERROR (__XLUDF.DUMMYFUNCTION 'x') 2)",
        "G",
    ),
    # spills and implicit intersection
    ("A1#", "(spill R[-4]C[-4])", "#"),
    ("_xlfn.ANCHORARRAY(A1)", "(spill R[-4]C[-4])", "X"),
    ("SUM(Sheet1!A1#)", "(SUM (spill Sheet1!R[-4]C[-4]))", "#"),
    ("A1#:B9", "(: (spill R[-4]C[-4]) R[4]C[-3])", "#"),
    ("A1#*2", "(* (spill R[-4]C[-4]) 2)", "#"),
    ("@A1:A3", "(single R[-4]C[-4]:R[-2]C[-4])", "@"),
    ("-@A1:A3^2", "(^ (- (single R[-4]C[-4]:R[-2]C[-4])) 2)", "@"),
    ("_xlfn.SINGLE(A1:A3)+1", "(+ (single R[-4]C[-4]:R[-2]C[-4]) 1)", "X"),
    ("@f(A1)", "(single (F R[-4]C[-4]))", "@"),
    # structured references
    ("Sales[Amount]", "[Sales||Amount|None]", "S"),
    ("Sales[]", "[Sales||None|None]", "S"),
    ("Sales[#All]", "[Sales|#All|None|None]", "S"),
    ("Sales[#this row]", "[Sales|#This Row|None|None]", "S"),
    ("Sales[[#Headers],[a]:[b]]", "[Sales|#Headers|a|b]", "S"),
    ("Sales[[#Headers], [#Data], [a b]]", "[Sales|#Headers #Data|a b|None]", "S"),
    ("Sales[ [a]:[b] ]", "[Sales||a|b]", "S"),
    ("Sales[[#This Row],[a]]", "[Sales|#This Row|a|None]", "X"),
    ("Sales[@a]", "[Sales|#This Row|a|None]", "S"),
    ("Sales[@[a b]:[c]]", "[Sales|#This Row|a b|c]", "S"),
    ("Sales[@]", "[Sales|#This Row|None|None]", "S"),
    ("[@Amount]*[Rate]", "(* [|#This Row|Amount|None] [||Rate|None])", "S"),
    ("Sales['[a'] '#1]", "[Sales||[a] #1|None]", "S"),
    ("Sales[[it''s]]", "[Sales||it's|None]", "S"),
    ("Sales[a\nb]", "[Sales||a\nb|None]", "S"),
    ("SUM(Sales[Amount],1)", "(SUM [Sales||Amount|None] 1)", "S"),
    ("Sales[a] Sales[b]", "(join [Sales||a|None] [Sales||b|None])", "S"),
]

FAULTS: list[tuple[str, int, str]] = [
    # formula, position counted from 1, what was expected
    ("", 1, "a value"),
    ("1+", 3, "a value"),
    ("*1", 1, "a value"),
    ("(1", 3, "a ) for the ( at character 1"),
    ("SUM(1", 6, "a ) for the ( at character 4"),
    ("1)", 2, "an operator"),
    ("()", 2, "a value"),
    ("SUM(1+,2)", 7, "a value"),
    ("1 2", 3, "an operator"),
    ("A1 5", 4, "an operator"),
    ('A1 "x"', 4, "an operator"),
    ("A1:5", 3, "a reference after ':'"),
    ("1:A1", 2, "a reference before ':'"),
    ("A1:-B1", 4, "a reference after ':'"),
    ("5#", 2, "a reference before #"),
    ('"abc', 1, 'a closing "'),
    ("'Sheet A1", 1, "a sheet name in quotes"),
    ("Sales[a", 6, "a closing ]"),
    ("Sales[[#Nothing]]", 6, "#Headers"),
    ("Sales[[a],[b]]", 6, "one column or a run"),
    ("$XFE$1", 1, "a cell of the grid"),
    ("Sheet1!", 8, "a reference or a name"),
    ("Sheet1!5", 8, "a reference or a name"),
    ("{1,2;3}", 7, "rows of one length"),
    ("{1,A1}", 4, "a number, text, logical"),
    ("{1,", 4, "a number, text, logical"),
    ("{}", 2, "a number, text, logical"),
    ("1;2", 2, "an operator"),
    ("1E999", 1, "below 1E+308"),
    ("1A5", 1, "a number"),
    ("A1(1)(", 7, "a value"),
    ("~", 1, "a number, a reference"),
    ("_xlfn.SINGLE()", 13, "one argument of SINGLE"),
]


@pytest.mark.parametrize(("formula", "tree", "source"), TREES, ids=[row[0] for row in TREES])
def test_trees(formula: str, tree: str, source: str) -> None:
    assert bracketed(parse(formula, 4, 4)) == tree, source


@pytest.mark.parametrize(("formula", "position", "expected"), FAULTS, ids=[row[0] or "empty" for row in FAULTS])
def test_faults(formula: str, position: int, expected: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(formula, 4, 4)
    message = caught.value.message
    assert message.startswith(f"at character {position} ")
    assert expected in message
    assert "\n" not in message


def test_limits_are_excels() -> None:
    """64 levels, 255 arguments, 8,192 characters. Source: Microsoft, "Excel specifications and limits"."""
    nested = "F(" * 64 + "1" + ")" * 64
    assert bracketed(parse(nested, 0, 0)).count("(F") == 64
    assert bracketed(parse("F(" * 63 + "F(1)+F(2)" + ")" * 63, 0, 0)).count("(F") == 65
    arguments = f"F({','.join('1' * 255)})"
    assert bracketed(parse(arguments, 0, 0)).count("1") == 255
    longest = '"' + "x" * 8190 + '"'
    assert len(bracketed(parse(longest, 0, 0))) == 8192
    for formula, word in (
        (f"F({nested})", "64 levels"),
        (f"F({','.join('1' * 256)})", "255 arguments"),
        (f'"{"x" * 8191}"', "8192 characters"),
    ):
        with pytest.raises(FormulaSyntaxError, match=word):
            parse(formula, 0, 0)


def test_deep_texts_do_not_recurse() -> None:
    assert bracketed(parse("(" * 4095 + "1" + ")" * 4095, 0, 0)) == "1"
    tree = parse("+".join("1" * 4096), 0, 0)
    depth = 0
    while hasattr(tree, "left"):
        assert bracketed(tree.right) == "1"
        tree, depth = tree.left, depth + 1
    assert depth == 4095
    tree, signs = parse("-" * 192 + "1", 0, 0), 0
    while hasattr(tree, "operand"):
        tree, signs = tree.operand, signs + 1
    assert signs == 192
    for deep in (
        "-" * 8191 + "1",
        "1+(" * 200 + "1" + ")" * 200,
        "A1" + "#" * 8000,
        "@" * 8000 + "A1",
        "1" + "%" * 8000,
    ):
        with pytest.raises(FormulaSyntaxError, match="192 nested parts"):
            parse(deep, 0, 0)
    with pytest.raises(FormulaSyntaxError, match="1024 pending operands"):
        parse("1+(" * 1024 + "1" + ")" * 1024, 0, 0)
    for hostile in (
        "(" * 8192,
        "'" * 8192,
        "[" * 8192,
        '"' * 8191,
        "{" * 8192,
        "A" * 8192,
        "0" * 8192,
        "A" + "0" * 8191,
    ):
        with pytest.raises(FormulaSyntaxError):
            parse(hostile + "!!", 0, 0)
