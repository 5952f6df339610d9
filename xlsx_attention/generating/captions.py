"""What stands above a block: its name and shape, the line of mathematics, the line of NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlsx_attention.generating.embedding import Added, Concat, Copied, Encoding, LookUp
from xlsx_attention.generating.lesson import Lesson, Step
from xlsx_attention.generating.ops import AlongKeys, Divided, Exp, Masked, Product, Scaled, Softmax, Transposed
from xlsx_attention.generating.texts import NAMES, PHRASES, bare, symbol


@dataclass(frozen=True, slots=True)
class Caption:
    """Three lines; the last two are empty where there is nothing to say."""

    title: str
    mathematics: str
    numpy: str


def caption(step: Step, lesson: Lesson, shapes: Mapping[str, tuple[int, int]], *, columns: bool, lang: str) -> Caption:
    """The lines of one block as it lies: with tokens in columns products and transposes read the other way round."""
    rows, width = shapes[step.key]
    shape = f"{width}×{rows}" if columns else f"{rows}×{width}"
    name = NAMES[lang][step.role]
    shown = symbol(step.key, columns)
    words = f"{shown}  {shape}" if name == bare(step.key) else f"{shown}  {name}  {shape}"
    numpy = step.op.numpy(columns) if step.op else ""
    return Caption(words, mathematics(step, lesson, columns, lang), f"{step.key} = {numpy}" if numpy else "")


def mathematics(step: Step, lesson: Lesson, columns: bool, lang: str) -> str:
    """The step as it is written on a blackboard."""

    def s(key: str) -> str:
        return symbol(key, columns)

    left = s(step.key)
    match step.op:
        case Product(first, second, bias, turned):
            # Kᵀ has its own block where cells are filled one by one; its own symbol says so already.
            factors = [s(first), s(second) + ("ᵀ" if turned else "")]
            if columns:
                factors.reverse()
            return f"{left} = {'·'.join(factors)}" + (f" + {s(bias)}" if bias else "")
        case Transposed(source):
            return f"{left} = ({s(source)})ᵀ"
        case Scaled(scores):
            return f"{left} = {s(scores)} ÷ √d_k"
        case Masked(scores, masks):
            keep = " × ".join(s(mask) for mask in masks)
            return f"{left} = {PHRASES[lang]['masked'].format(keep=keep, scores=s(scores))}"
        case AlongKeys(source, function):
            return f"{left} = {function.lower()}({s(source)})"
        case Exp(source, maximum):
            return f"{left} = e^({s(source)} − {s(maximum)})"
        case Divided(source, by):
            return f"{left} = {s(source)} ÷ {s(by)}"
        case Softmax(source):
            return f"{left} = softmax({s(source)})"
        case Concat(parts):
            return f"{left} = [{' ; '.join(map(s, parts)) if columns else ' | '.join(map(s, parts))}]"
        case LookUp(ids, table):
            return f"{left} = {s(table)}[{s(ids)}]"
        case Encoding():
            return "a = pos ÷ 10000^((dim − dim mod 2) ÷ d_model)"
        case Added(first, second):
            return f"{left} = {s(first)} + {s(second)}"
        case Copied(sheet):
            return f"{left} = {sheet}!{bare('X')}"
    return PHRASES[lang]["input"]
