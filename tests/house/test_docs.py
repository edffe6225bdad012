"""Every command and every block of Python in the documentation runs, and prints what the page shows under it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import capabilities
import options
import pytest

from pages import PAGES, ROOT, comparable, run, steps_of

DOCS = ROOT / "docs"
WITH_STEPS = [page for page in PAGES if steps_of(page.read_text(encoding="utf-8"))]
# What a page speaks of, and the release from which on it is there.
NEEDS = {
    "on-a-cluster.md": ("dask.distributed", None),
    "coming-from-passive-aggressive.md": ("sklearn", "1.8"),
    "my-logistic-regression-exploded.md": ("statsmodels", "0.15"),
    "probe-a-representation.md": ("sklearn", "1.8"),  # older ones deal out groups by the labels of other groups
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.skipif(os.name != "posix", reason="the pages are written for a POSIX shell")
@pytest.mark.parametrize("page", WITH_STEPS, ids=name_of)
def test_the_page_shows_what_is_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDS:
        module, release = NEEDS[page.name]
        pytest.importorskip(module, minversion=release)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for step in steps_of(page.read_text(encoding="utf-8")):
        assert comparable(run(step, tmp_path, names)) == comparable(step.shown or ""), step.text


def test_every_command_has_a_page_with_its_options() -> None:
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "commands").glob("*.md")}
    for name in options.commands():
        assert f"<!-- options: {name} -->" in pages[name.split()[0]], name
    for name, command in options.commands().items():
        assert all(one.help for one in command.options), name
        assert all(word in options.option_table(command) for word in options.names_of(command)[1:]), name


def test_the_commands_named_know_their_options() -> None:
    commands = options.commands()
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for line in re.findall(r"(?:^\$ (?:.*\| )?|[`/])linsep ([a-z]+ [^`|\n]*)", text, re.M):
        line = line.split(" #")[0]
        words = line.split()
        name = " ".join(words[: 2 if words[0] == "tag" else 1])
        named = re.findall(r"(?<!\S)--(?:(?:read|set) [a-z_0]+|[a-z-]+)(?![\w-])", line)
        assert set(named) <= set(options.names_of(commands[name])), line


def test_the_table_of_capabilities_is_what_the_code_says() -> None:
    text = capabilities.PAGE.read_text(encoding="utf-8")
    assert capabilities.page(text) == text, "run `python docs/capabilities.py`"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"(?:: |- )([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
    assert {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} == listed - {"gallery/index.md", "changelog.md"}
