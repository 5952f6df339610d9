"""A second lexer on every public formula: openpyxl's Tokenizer, independent of this package."""

from __future__ import annotations

from pathlib import Path

from openpyxl.formula.tokenizer import Token, Tokenizer

from tests.parsing.books import corpus_grids
from xlsx_attention.parsing.lexer import tokenise
from xlsx_attention.parsing.references import cell_bounds


def test_tokens_join_back_and_split_where_openpyxl_splits(corpus: Path) -> None:
    """Ours are finer (``A1:B2`` is three tokens, a sheet one of its own), so every cut of openpyxl's is one of ours."""
    seen = {text for grid in corpus_grids(corpus) for sheet in grid.sheets for text in sheet.formula_texts if text}
    assert len(seen) > 5_000
    cells = 0
    for text in seen:
        tokens = tokenise(text)
        assert "".join(token.text for token in tokens) == text
        cuts = {token.position for token in tokens}
        other = Tokenizer("=" + text)
        position = 0
        for item in other.items:
            # openpyxl keeps one sign of a run of white space; a call's "(" is part of its function token.
            if item.type == Token.WSPACE:
                continue
            position = text.index(item.value, position)
            assert position in cuts, (text, item.value)
            position += len(item.value)
        # What openpyxl takes for single cells are cells here, with the same row and column.
        ours = {(token.text, cell_bounds(token.text, 0, 0)) for token in tokens if token.kind == "cell"}
        names = {name for name, _ in ours}
        for item in other.items:
            if item.subtype == "RANGE" and item.value.replace("$", "").isalnum() and item.value[-1].isdigit():
                assert item.value in names, (text, item.value)
                cells += 1
    assert cells > 5_000
