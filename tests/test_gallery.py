"""Every script of the gallery runs, asserts its claim, and leaves its picture."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"


def runner() -> Any:
    spec = importlib.util.spec_from_file_location("gallery", GALLERY / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_script_is_on_the_page() -> None:
    assert sorted(runner().SCRIPTS) == sorted(p.stem for p in GALLERY.glob("*.py") if p.stem != "__main__")


@pytest.mark.parametrize("name", runner().SCRIPTS)
def test_the_claim_holds_and_the_picture_is_there(name: str, tmp_path: Path) -> None:
    part = runner().run_script(name, tmp_path)
    assert "Claim: " in part
    assert f"]({name}.png)" in part
    assert "assert " in (GALLERY / f"{name}.py").read_text(encoding="utf-8")
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
