"""The page on clusters prints what it says it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "on-a-cluster.md"


def test_the_page_on_clusters_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.S)
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed
