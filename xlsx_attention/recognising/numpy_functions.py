"""Excel functions in NumPy's words, one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

Shape: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of NumPy: its text, how tightly it binds (0 sum, 1 product, 2 power or sign, 3 atom), and its shape."""

    text: str
    binds: int
    shape: Shape

    def within(self, binds: int) -> str:
        return self.text if self.binds >= binds else f"({self.text})"


REDUCTIONS: Final[dict[str, str]] = {
    "AVERAGE": "mean",
    "MIN": "min",
    "STDEV": "std1",
    "STDEV.S": "std1",
    "STDEV.P": "std",
    "STDEVP": "std",
    "VAR": "var1",
    "VAR.S": "var1",
    "VAR.P": "var",
    "VARP": "var",
}


def _infix(symbol: str) -> Callable[[list[Words]], str]:
    return lambda words: f"({words[0].within(1)} {symbol} {words[1].within(1)})"


def _call(name: str) -> Callable[[list[Words]], str]:
    return lambda words: f"{name}({', '.join(word.text for word in words)})"


def _round(words: list[Words]) -> str:
    """Excel rounds halves away from zero, NumPy to even."""
    x, digits = words[0].text, words[1].text if len(words) > 1 else "0"
    return f"(np.sign({x}) * np.floor(np.abs({x}) * 10.0**({digits}) + 0.5) / 10.0**({digits}))"


def _all(symbol: str) -> Callable[[list[Words]], str]:
    return lambda words: "(" + f" {symbol} ".join(word.within(3) for word in words) + ")"


FUNCTIONS: Final[dict[str, Callable[[list[Words]], str]]] = {
    "=": _infix("=="),
    "<>": _infix("!="),
    "<": _infix("<"),
    ">": _infix(">"),
    "<=": _infix("<="),
    ">=": _infix(">="),
    "AND": _all("&"),
    "OR": _all("|"),
    "NOT": _call("np.logical_not"),
    "ABS": _call("np.abs"),
    "SIN": _call("np.sin"),
    "COS": _call("np.cos"),
    "TANH": _call("np.tanh"),
    "LN": _call("np.log"),
    "INT": _call("np.floor"),
    "MOD": _call("np.mod"),
    "ISEVEN": lambda words: f"(np.floor({words[0].text}) % 2 == 0)",
    "ISODD": lambda words: f"(np.floor({words[0].text}) % 2 == 1)",
    "ROUND": _round,
}
