"""Write a large self-attention sheet: ``python benchmarks/large_sheet.py S D OUT``.

``S`` tokens, ``D`` features (d_k = D, one head, causal mask). Blocks below one another, each cell with its own
formula text and cached value, in the regular XML that spreadsheet writers emit. S=512, D=64 gives 1,442,816 formula
cells in 108 MB of sheet XML.

===============  =====  =================================================================
block            shape  formula of its first cell (S=512, D=64)
===============  =====  =================================================================
X                S x D  constants
W_q, W_k, W_v    D x D  constants, stored transposed: SUMPRODUCT wants two rows
Q, K             S x D  ``SUMPRODUCT($B3:$BM3,$B$516:$BM$516)``
V, transposed    D x S  ``SUMPRODUCT($B$3:$BM$3,$B646:$BM646)``
scores           S x S  ``SUMPRODUCT($B712:$BM712,$B$1225:$BM$1225)``
scaled, masked   S x S  ``B1803/SQRT(64)``, ``IF(B$1>$A2829,-1000000000,B2316)``
row max, exp     S, S x S
row sum, weights S, S x S
output           S x D  ``SUMPRODUCT($B3856:$SS3856,$B$1738:$SS$1738)``
===============  =====  =================================================================

Cached values are computed in the order that the formulas ask for: sums from left to right, the C library's ``exp``.
"""

from __future__ import annotations

import argparse
import math
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import cell_name, column_name

Array = npt.NDArray[np.float64]
LEFT = 1  # blocks begin in column B; column A holds the row's number in its block
MASKED = -1_000_000_000

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{RELS}">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELS}">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="self-attention" sheetId="1" r:id="rId1"/></sheets></workbook>',
}


@dataclass(frozen=True, slots=True)
class Block:
    """``formula(i, j)`` for the cell in row ``i``, column ``j`` of the block; ``None`` for constants."""

    title: str
    values: Array
    formula: Callable[[int, int], str] | None = None


def sum_of_products(left: Array, right: Array) -> Array:
    """``left @ right.T`` for (n, k) and (m, k), each sum from left to right, without fused multiply-add."""
    total = np.zeros((len(left), len(right)))
    for k in range(left.shape[1]):
        total += left[:, k, None] * right[None, :, k]
    return total


def blocks(S: int, D: int, seed: int = 7) -> Iterator[Block]:
    """Every block from the top down; each begins two rows below the last row of the one before."""
    generator = np.random.default_rng(seed)
    X = np.round(generator.normal(size=(S, D)), 3)
    W_q, W_k, W_v = np.round(generator.normal(scale=D**-0.5, size=(3, D, D)), 3)
    names = [("X", S), ("W_q", D), ("W_k", D), ("W_v", D), ("Q", S), ("K", S), ("V", D), ("scores", S), ("scaled", S)]
    names += [("masked", S), ("exp", S), ("weights", S), ("output", S)]
    top, row = {}, 2
    for name, height in names:
        top[name] = row
        row += height + 1

    def line(name: str, i: int, width: int, fixed: bool) -> str:
        """Row ``i`` of a block as a range; ``fixed`` with ``$`` before the row."""
        number = f"{'$' if fixed else ''}{top[name] + i + 1}"
        return f"${column_name(LEFT)}{number}:${column_name(LEFT + width - 1)}{number}"

    def cell(name: str, i: int, j: int) -> str:
        return cell_name(top[name] + i, LEFT + j)

    def product(left: str, right: str, width: int) -> Callable[[int, int], str]:
        lines = [line(right, j, width, True) for j in range(max(S, D))]
        return lambda i, j: f"SUMPRODUCT({line(left, i, width, False)},{lines[j]})"

    beside = column_name(LEFT + S)
    Q, K, V = sum_of_products(X, W_q.T), sum_of_products(X, W_k.T), sum_of_products(X, W_v.T)
    scores = sum_of_products(Q, K)
    scaled = scores / math.sqrt(D)
    masked = np.where(np.arange(S)[None, :] > np.arange(S)[:, None], float(MASKED), scaled)
    largest = masked.max(axis=1)
    exponent = np.array([[math.exp(x) for x in row] for row in (masked - largest[:, None]).tolist()])
    total = np.zeros(S)
    for j in range(S):
        total += exponent[:, j]
    weights = exponent / total[:, None]
    output = sum_of_products(weights, V.T)

    def masked_formula(i: int, j: int) -> str:
        if j == S:
            return f"MAX({line('masked', i, S, False)})"
        return f"IF({column_name(LEFT + j)}$1>$A{top['masked'] + i + 1},{MASKED},{cell('scaled', i, j)})"

    def exp_formula(i: int, j: int) -> str:
        if j == S:
            return f"SUM({line('exp', i, S, False)})"
        return f"EXP({cell('masked', i, j)}-${beside}{top['masked'] + i + 1})"

    yield Block("X", X)
    yield Block("W_q", W_q.T)
    yield Block("W_k", W_k.T)
    yield Block("W_v", W_v.T)
    yield Block("Q", Q, product("X", "W_q", D))
    yield Block("K", K, product("X", "W_k", D))
    yield Block("V", V.T, lambda i, j: f"SUMPRODUCT({line('X', j, D, True)},{line('W_v', i, D, False)})")
    yield Block("scores", scores, product("Q", "K", D))
    yield Block("scaled", scaled, lambda i, j: f"{cell('scores', i, j)}/SQRT({D})")
    yield Block("masked", np.column_stack([masked, largest]), masked_formula)
    yield Block("exp", np.column_stack([exponent, total]), exp_formula)
    yield Block("weights", weights, lambda i, j: f"{cell('exp', i, j)}/${beside}{top['exp'] + i + 1}")
    yield Block("output", output, product("weights", "V", S))


def rows(S: int, D: int) -> Iterator[str]:
    """The sheet's rows as XML."""
    numbers = "".join(f'<c r="{cell_name(0, LEFT + j)}"><v>{j + 1}</v></c>' for j in range(max(S, D)))
    yield f'<row r="1">{numbers}</row>'
    row = 2
    for block in blocks(S, D):
        yield f'<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>{block.title}</t></is></c></row>'
        letters = [column_name(LEFT + j) for j in range(block.values.shape[1])]
        for i, values in enumerate(block.values.tolist()):
            row += 1
            cells = [f'<row r="{row}"><c r="A{row}"><v>{i + 1}</v></c>']
            for j, value in enumerate(values):
                formula = f"<f>{block.formula(i, j).replace('>', '&gt;')}</f>" if block.formula else ""
                cells.append(f'<c r="{letters[j]}{row}">{formula}<v>{value:.17g}</v></c>')
            cells.append("</row>")
            yield "".join(cells)
        row += 1


def write(S: int, D: int, out: Path) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in PARTS.items():
            package.writestr(name, DECLARATION + text)
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{DECLARATION}<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            for text in rows(S, D):
                sheet.write(text.encode())
            sheet.write(b"</sheetData></worksheet>")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("S", type=int, help="tokens")
    parser.add_argument("D", type=int, help="features")
    parser.add_argument("out", type=Path, help="workbook to write")
    arguments = parser.parse_args()
    write(arguments.S, arguments.D, arguments.out)


if __name__ == "__main__":
    main()
