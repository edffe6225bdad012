"""Every script of the gallery runs, asserts its claim, leaves its picture, and says what is seen on it."""

from __future__ import annotations

import re
from pathlib import Path

import gallery.__main__ as gallery
import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

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
    assert shown.picture == f"{name}.svg"
    for picture, most in ((tmp_path / shown.picture, 500_000), (tmp_path / "small" / shown.picture, 100_000)):
        assert 4_000 < picture.stat().st_size < most
        check_colours_of_the_night(picture.read_text(encoding="utf-8"))


def check_colours_of_the_night(drawn: str) -> None:
    _, by_night = drawn.split("@media (prefers-color-scheme: dark)")
    assert "svg {fill: #e6e6e6}" in by_night.partition("</style>")[0]  # text, and white boxes, by night
    assert '[style*="fill: #ffffff"] {fill: #1e2129 !important}' in by_night.partition("</style>")[0]
    ground = re.search(r'<g id="patch_1">\s*<path d="[^"]*"\s*style="([^"]*)"', by_night)
    assert ground is not None and "fill: none" in ground[1]  # the ground of the page


def test_small_pictures_lead_to_the_pages() -> None:
    titles = {name: f"Title of {name}" for name in gallery.SCRIPTS}
    links = re.findall(r"^\[!\[\]\(small/(\w+)\.svg\)(.+)\]\((\w+)\.md\)$", gallery.index(titles), re.MULTILINE)
    assert links == [(name, title, name) for name, title in titles.items()]


def test_a_small_picture_has_one_panel_and_short_words() -> None:
    figure, (first, second) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    first.plot([0, 1], [0, 1], label="a line")
    first.legend()
    first.set_title("many words that are too small")
    first.text(0, 0, "$x_1$")
    first.text(1, 1, "also many words")
    gallery.make_small(figure, 0)
    assert (first.get_visible(), second.get_visible()) == (True, False)
    assert [text.get_text() for text in first.findobj(Text) if text.get_visible()] == ["$x_1$"]
    assert first.get_legend() is None
    assert tuple(figure.get_size_inches()) == gallery.SMALL
    assert first.get_position().width > 0.9
    plt.close(figure)
