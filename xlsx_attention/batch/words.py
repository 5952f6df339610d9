"""What the batch's pages say, in English and Chinese."""

from __future__ import annotations

from xlsx_attention.model.report import Text

WORDS: dict[str, Text] = {
    "title": Text("Batch report", "批量报告"),
    "files": Text("files", "文件"),
    "agrees": Text("agrees", "一致"),
    "diverges": Text("diverges", "有差异"),
    "unreadable": Text("unreadable", "无法读取"),
    "failed": Text("failed", "未能判定"),
    "not-run": Text("not run", "未运行"),
    "computed": Text("computed cells", "计算单元格"),
    "accused": Text("cells where a difference begins", "差异起点单元格"),
    "findings": Text("findings", "发现"),
    "causes": Text("Most frequent causes", "最常见原因"),
    "cause": Text("cause", "原因"),
    "slips": Text("Most frequent slips, with their cells", "最常见的错误及其单元格"),
    "cells": Text("cells", "单元格"),
    "where": Text("in", "出现于"),
    "more": Text("and {} more", "等另外 {} 个"),
    "all": Text("All files", "全部文件"),
    "search": Text("Search", "搜索"),
    "status": Text("Status", "状态"),
    "any": Text("all", "全部"),
    "file": Text("file", "文件"),
    "origins": Text("origins", "差异起点"),
    "score": Text("score", "得分"),
    "note": Text("note", "备注"),
    "skipped": Text("Left out", "已跳过"),
    "macros": Text("Macros are never run.", "宏从不运行。"),
    "same": Text("same content as {}", "内容与 {} 相同"),
    "verdict": Text("verdict", "判定"),
    "stored": Text("stored", "存储值"),
    "expected": Text("expected", "应为"),
    "formula": Text("formula", "公式"),
    "overview": Text("all files", "全部文件"),
    "notices": Text("Notices", "提示"),
    "points": Text("points", "分"),
    "step": Text("step", "步骤"),
    "carried": Text("follows from your own earlier numbers", "与你自己前面的数值一致"),
    "aside": Text("no points of its own", "本身不计分"),
    "remarks": Text("Remarks", "说明"),
}


class Speech:
    """The words of one language, by attribute or item: ``say.title``, ``say["not-run"]``."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __getitem__(self, key: str) -> str:
        return WORDS[key][self.language]

    def __getattr__(self, key: str) -> str:
        try:
            return WORDS[key][self.language]
        except KeyError:
            raise AttributeError(key) from None
