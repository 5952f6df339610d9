"""A sheet of bare numbers → what its rectangles seem to compute, found backwards from the weights.

Attention weights give themselves away: their lines sum to 1. From them the softmax's input is sought, from that the
scores, from those Q and K, from those X and the projections. What is found is written down as the formulas that the
sheet does not have, so that the rest of recognition is the same with formulas and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.values import Floats
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.fits import HIDDEN, ProductFit, both_ways, products
from xlsx_attention.recognising.meeting import agrees, met
from xlsx_attention.recognising.softmaxes import Chain, Search, is_softmax
from xlsx_attention.recognising.tables import Table, tables_of
from xlsx_attention.recognising.terms import Cell, Exp, Expr, Func, If, Max, Num, inverse, times, total
from xlsx_attention.recognising.thinning import kept


@dataclass(slots=True)
class Inference:
    """What is supposed of one sheet. ``rects`` are the rectangles whose cells got a formula."""

    cells: Cells
    sheet: int
    tables: list[Table]
    supposed: dict[int, Expr] = field(default_factory=dict)
    rects: list[tuple[int, Rect]] = field(default_factory=list)
    _products: dict[tuple[Rect, bool], list[ProductFit]] = field(default_factory=dict)

    def products(self, table: Table) -> list[ProductFit]:
        key = table.rect, table.turned
        if key not in self._products:
            self._products[key] = products(table, self.tables, biased=True)[:12]
        return self._products[key]

    def run(self) -> None:
        outputs: list[Table] = []
        for chain in Search(self.tables).chains():
            scores = chain.scores or chain.unmasked or chain.source
            fits = products(scores, self.tables, scaled=chain.scores is None and chain.factor == 1.0)
            fit = self._best_scores(fits, chain)
            if fit is None:
                continue
            fit = _snapped(chain, scores, fit)
            Q, K = self._upright(fit.a), self._upright(fit.b)
            output = self._output(chain)
            self._write_chain(chain, scores, fit, Q, K)
            matrices = [Q, K]
            if output is not None:
                wanted, weights, values = output
                values = self._upright(values)
                self._product(wanted, ProductFit(weights, values, 0.0))
                matrices.append(values)
                outputs.append(wanted)
            self._projections(matrices)
        if outputs:
            self._join(outputs)

    # ---- finding

    def _best_scores(self, fits: list[ProductFit], chain: Chain) -> ProductFit | None:
        """The pair of which both are products themselves, if there is one."""
        usable = [f for f in fits if chain.weights.rect not in (f.a.rect, f.b.rect)]
        usable.sort(key=lambda f: f.error + 0.05 * (2 - self._made(f.a) - self._made(f.b)))
        return usable[0] if usable else None

    def _made(self, table: Table) -> bool:
        return bool(self.products(self._upright(table)))

    def _upright(self, table: Table) -> Table:
        """Among equal tables (one may be the other's transpose) the one that is a plain product of plain tables."""
        base = table.T if table.turned else table
        equal: list[Table] = []
        for other in self.tables:
            for way in (other, other.T):
                if base.values.size > 3 and way not in equal and _equal(way, base):
                    equal.append(way)
                    break
        chosen, most = base, 0
        for candidate in equal:
            plain = candidate.T if candidate.turned else candidate
            upright = [fit for fit in self.products(plain) if not fit.a.turned and not fit.b.turned]
            # Where the product lines up with its factors on the sheet, there it was computed; elsewhere it is a copy.
            worth = max((1 + _in_line(plain.rect, fit.a.rect, fit.b.rect) for fit in upright), default=0)
            if worth > most:
                chosen, most = candidate, worth
        for other in equal:
            if other.rect != chosen.rect:
                self._write(other, lambda i, j: Cell(int(chosen.ids[i, j])))
        return chosen.T if table.turned else chosen

    def _output(self, chain: Chain) -> tuple[Table, Table, Table] | None:
        weights = chain.weights if chain.axis == 1 else chain.weights.T
        best: tuple[float, Table, Table] | None = None
        for wanted in both_ways(self.tables):
            if wanted.shape[0] != weights.shape[0] or wanted.rect == weights.rect:
                continue
            for values in both_ways(self.tables):
                if values.shape != (weights.shape[1], wanted.shape[1]) or values.rect in (wanted.rect, weights.rect):
                    continue
                found = weights.values @ values.values
                slack = weights.values @ values.radius + weights.radius @ np.abs(values.values)
                meeting = met(found, wanted, slack)
                if meeting is None:
                    continue
                error = meeting.error + 0.05 * (not self._made(values)) + 0.01 * (wanted.turned != weights.turned)
                if best is None or error < best[0]:
                    best = (error, wanted, values)
        return None if best is None else (best[1], weights, best[2])

    def _projections(self, matrices: Sequence[Table]) -> None:
        """Products for Q, K and V, with an X in common where there is one."""
        options = [self.products(m.T if m.turned else m) for m in matrices]
        votes: dict[Rect, float] = {}
        for fits in options:
            for rect in {r for fit in fits for r in (fit.a.rect, fit.b.rect)}:
                near = min(fit.error for fit in fits if rect in (fit.a.rect, fit.b.rect))
                votes[rect] = votes.get(rect, 0.0) + 1.0 - min(near, 0.5)
        for matrix, fits in zip(matrices, options, strict=True):
            usable = [f for f in fits if not {f.a.rect, f.b.rect} & {m.rect for m in matrices}] or fits
            if usable:
                best = max(usable, key=lambda f: max(votes[f.a.rect], votes[f.b.rect]) - 2 * f.error)
                self._product(matrix.T if matrix.turned else matrix, best)

    def _join(self, outputs: list[Table]) -> None:
        """Heads side by side, and their product with W_o."""
        sources = [output.T if output.turned else output for output in outputs]
        if len(outputs) > 1:
            for axis in (0, 1):
                for table in self.tables:
                    joined = _beside(sources, axis)
                    if joined is None or joined[0].shape != table.shape or any(t.rect == table.rect for t in sources):
                        continue
                    values, ids = joined
                    if agrees(values, table, 0.0):
                        self._write(table, lambda i, j, ids=ids: Cell(int(ids[i, j])))  # type: ignore[misc]
                        sources = [table]
        used = {table.rect for table in sources}
        for table in self.tables:
            if any(int(cell) in self.supposed for cell in table.ids.flat) or table.rect in used:
                continue
            fits = [f for f in self.products(table) if used & {f.a.rect, f.b.rect}]
            if fits:
                self._product(table, fits[0])

    # ---- writing

    def _write(self, table: Table, make: Callable[[int, int], Expr]) -> None:
        rows, columns = table.shape
        fresh = False
        for i in range(rows):
            for j in range(columns):
                cell = int(table.ids[i, j])
                if cell not in self.supposed and self.cells.step_of(cell) is None:
                    self.supposed[cell] = make(i, j)
                    fresh = True
        if fresh:
            self.rects.append((table.sheet, table.rect))

    def _product(self, wanted: Table, fit: ProductFit) -> None:
        a, b, bias = fit.a.ids, fit.b.ids, fit.bias

        def cell(i: int, j: int) -> Expr:
            pairs = (
                times(Cell(int(a[i, k])), Cell(int(b[k, j])))
                for k in (kept(a.shape[1]) if self.cells.thin else range(a.shape[1]))
            )
            dot = total(pairs)
            if bias is not None:
                line = bias.ids[0, j] if bias.shape[0] == 1 else bias.ids[i, 0]
                return total((dot, Cell(int(line))))
            return dot if fit.number == 1.0 else times(Num(fit.number), dot)

        self._write(wanted, cell)

    def _write_chain(self, chain: Chain, scores: Table, fit: ProductFit, Q: Table, K: Table) -> None:
        self._product(scores, ProductFit(Q, K, fit.error, fit.number))
        before = chain.unmasked or chain.source
        if chain.scores is not None and chain.divisor is not None:
            ids, factor = chain.scores.ids, 1.0 / chain.divisor
            self._write(before, lambda i, j: times(Num(factor), Cell(int(ids[i, j]))))
        if chain.unmasked is not None:
            self._write_masked(chain, chain.unmasked)
        source, axis = chain.source, chain.axis
        lines = kept(source.shape[axis]) if self.cells.thin else range(source.shape[axis])

        def at(table: Table, i: int, j: int) -> Cell:
            rows, columns = table.shape
            return Cell(int(table.ids[i if rows > 1 else 0, j if columns > 1 else 0]))

        def line(table: Table, i: int, j: int) -> list[Cell]:
            return [at(table, i, k) if axis == 1 else at(table, k, j) for k in lines]

        if chain.row_max is not None:
            self._write(chain.row_max, lambda i, j: Max(tuple(line(source, i, j))))

        def raised(i: int, j: int) -> Expr:
            score: Expr = at(source, i, j)
            if chain.factor != 1.0:
                score = times(Num(chain.factor), score)
            if chain.row_max is not None and (chain.shifted or chain.exp is None):
                score = total((score, times(Num(-1.0), at(chain.row_max, i, j))))
            return Exp(score)

        exp, normaliser = chain.exp, chain.normaliser
        if exp is not None:
            self._write(exp, raised)
        if normaliser is not None and exp is not None:
            self._write(normaliser, lambda i, j: total(line(exp, i, j)))

        def weight(i: int, j: int) -> Expr:
            top: Expr = raised(i, j) if exp is None else at(exp, i, j)
            if normaliser is not None:
                return times(top, inverse(at(normaliser, i, j)))
            places = [(i, k) if axis == 1 else (k, j) for k in lines]
            return times(top, inverse(total(raised(*p) if exp is None else at(exp, *p) for p in places)))

        self._write(chain.weights, weight)

    def _write_masked(self, chain: Chain, unmasked: Table) -> None:
        source, mask = chain.source, chain.mask
        hidden = source.values <= HIDDEN

        def cell(i: int, j: int) -> Expr:
            score = Cell(int(unmasked.ids[i, j]))
            filler = Num(float(source.values[hidden].min()))
            if mask is None:
                return If(Num(float(not hidden[i, j])), score, filler)
            rows, columns = mask.shape
            decides = Cell(int(mask.ids[i if rows > 1 else 0, j if columns > 1 else 0]))
            if (mask.values <= HIDDEN).any():
                return total((score, decides))
            return If(Func("=", (decides, Num(1.0))), score, filler)

        self._write(source, cell)


def _equal(a: Table, b: Table) -> bool:
    """Whether one shows what the other does, all but a few mistakes."""
    if a.shape != b.shape:
        return False
    same = bool((np.abs(a.values - b.values) <= a.radius + b.radius).all())
    return same or met(a.values, b, a.radius, pairs=False) is not None


def _in_line(product: Rect, a: Rect, b: Rect) -> int:
    """How many of a product's two sides continue those of its factors."""
    rows = (product.top, product.bottom) == (a.top, a.bottom)
    columns = (product.left, product.right) == (b.left, b.right)
    return rows + columns


def _snapped(chain: Chain, scores: Table, fit: ProductFit) -> ProductFit:
    """A divisor measured from rounded numbers becomes √d_k, or the root of a whole number, where these fit too."""
    width = fit.a.shape[1]

    def roots(measured: float) -> Iterable[float]:
        return (float(np.sqrt(width)), float(width), float(np.sqrt(max(1, round(measured**2)))))

    before = chain.unmasked or chain.source
    visible = before.values > HIDDEN
    if chain.scores is not None and chain.divisor is not None:
        for root in roots(chain.divisor):
            scaled = np.where(visible, chain.scores.values / root, before.values)
            if agrees(scaled, before, chain.scores.radius / root):
                chain.divisor = root
                break
    if chain.factor != 1.0:
        for root in roots(1.0 / chain.factor):
            if is_softmax(chain.source, 1.0 / root, chain.weights, chain.axis):
                chain.factor = 1.0 / root
                break
    if fit.number != 1.0:
        product = fit.a.values @ fit.b.values
        slack = np.abs(fit.a.values) @ fit.b.radius + fit.a.radius @ np.abs(fit.b.values) + fit.a.radius @ fit.b.radius
        for root in roots(1.0 / fit.number):
            if agrees(product / root, scores, slack / root):
                return ProductFit(fit.a, fit.b, fit.error, 1.0 / root, fit.bias)
    return fit


def _beside(tables: Sequence[Table], axis: int) -> tuple[Floats, npt.NDArray[np.int64]] | None:
    if len({table.shape[1 - axis] for table in tables}) != 1:
        return None
    return (
        np.concatenate([table.values for table in tables], axis=axis),
        np.concatenate([table.ids for table in tables], axis=axis),
    )


def suppose(sheet: int, cells: Cells) -> Inference:
    """All that the numbers of a sheet say about how they were computed."""
    inference = Inference(cells, sheet, tables_of(sheet, cells))
    inference.run()
    return inference
