"""Every script of the gallery runs, asserts its claim, leaves its picture, and says what is seen on it."""

from __future__ import annotations

import re
from pathlib import Path

import gallery.__main__ as gallery
import pytest
from PIL import Image

GALLERY = Path(gallery.__file__).parent


def test_every_script_is_on_the_page() -> None:
    found = {path for path in GALLERY.rglob("*.py") if path.stem != "__main__"}
    assert set(gallery.SCRIPTS.values()) == found
    assert all(len(list(folder.glob("*.py"))) <= 14 for folder in GALLERY.iterdir() if folder.is_dir())
    assert gallery.PRESETS.keys() <= gallery.SCRIPTS.keys()


@pytest.mark.parametrize("name", gallery.SCRIPTS)
def test_the_claim_holds_and_the_picture_is_there(name: str, tmp_path: Path) -> None:
    shown = gallery.run_script(name, tmp_path)
    assert shown.claim.startswith("Claim: ")
    assert len(shown.seen.split()) >= 20
    assert not re.search(r"[][]", shown.seen)  # it stands in the brackets of the picture
    page = gallery.page(name, shown)
    assert f"# {shown.title}\n" in page
    assert f"![{shown.seen}]({shown.picture})" in page
    assert re.search(r"^\s*assert ", shown.source, re.MULTILINE)
    assert (f"preset: {gallery.PRESETS.get(name)}\n" in page) == (name in gallery.PRESETS)
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert shown.picture == f"{name}.svg"
    drawn = (tmp_path / shown.picture).read_text(encoding="utf-8")
    _, by_night = drawn.split("@media (prefers-color-scheme: dark)")
    assert "svg {fill: #e6e6e6}" in by_night.partition("</style>")[0]  # text, and white boxes, by night
    assert '[style*="fill: #ffffff"] {fill: #1e2129 !important}' in by_night.partition("</style>")[0]
    ground = re.search(r'<g id="patch_1">\s*<path d="[^"]*"\s*style="([^"]*)"', by_night)
    assert ground is not None and "fill: none" in ground[1]  # the ground of the page


def test_small_pictures_lead_to_the_pages(tmp_path: Path) -> None:
    titles = {name: f"Title of {name}" for name in gallery.SCRIPTS}
    links = re.findall(r"^\[!\[\]\(small/(\w+)\.png\)(.+)\]\((\w+)\.md\)$", gallery.index(titles), re.MULTILINE)
    assert links == [(name, title, name) for name, title in titles.items()]
    for name, size, corner in (("tall", (300, 900), (0, 0, 0)), ("wide", (900, 300), (255, 255, 255))):
        Image.new("RGB", size, "black").save(tmp_path / f"{name}.png")
        gallery.make_small(tmp_path / f"{name}.png", tmp_path / f"small_{name}.png")
        with Image.open(tmp_path / f"small_{name}.png") as small:
            assert small.size == gallery.SMALL
            assert small.convert("RGB").getpixel((0, 0)) == corner
