"""What MkDocs does beyond its own: pictures and the changelog become pages, and nothing loads from the network."""

import re
import sys
from inspect import getmembers, isfunction
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from sklearn.base import BaseEstimator

import linsep
from linsep.learners.base.one_row import OnlineLearner

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file alone, not as one of a folder
from course import notebook, with_explorers, with_formulas, without_answers
from gallery.__main__ import SCRIPTS
from options import commands, option_table

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "build" / "gallery"
EXPLORERS = ROOT / "build" / "explore"
# What a browser would fetch by itself when the page opens; links that a reader may follow are not among them.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*"""
    r"""\brel=["']?(?:stylesheet|preconnect|icon|preload)\b[^>]*\bhref=["']?(?:https?:)?//"""
)

# Each chapter without its answers is a page, too, but a search finds the chapter alone.
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
# Emphasis that begins inside a word, as the stars of (w*, b*) would make it.
STARRED = re.compile(r"\w<em>.{0,40}")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the pages of the gallery, and leave out of learners what only the library itself asks of them."""
    pages = ["gallery/index.md", *(f"gallery/{name}.md" for name in SCRIPTS)]
    config.nav = [{"Gallery": pages} if "Gallery" in entry else entry for entry in config.nav or []]
    methods = {name: method for name, method in getmembers(OnlineLearner, isfunction) if not name.startswith("_")}
    # What users call says what its parameters are.
    names = [name for name, method in methods.items() if "Parameters\n" not in (method.__doc__ or "")]
    names = sorted(set(names).difference(linsep.__all__, dir(BaseEstimator)))
    options = config.plugins["mkdocstrings"].config["handlers"]["python"]["options"]
    options["filters"] = [*options["filters"], f"!^({'|'.join(names)})$"]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what stands outside docs/: the gallery, the explorers, the changelog, and the chapters as notebooks."""
    if not (GALLERY / "index.md").exists():
        raise PluginError("there is no build/gallery/index.md: `make docs` draws the gallery first")
    for name in ("*.md", "*.svg", "small/*.svg"):
        for path in sorted(GALLERY.glob(name)):
            place = path.relative_to(GALLERY).as_posix()
            files.append(File.generated(config, f"gallery/{place}", abs_src_path=str(path)))
    for path in sorted(EXPLORERS.glob("*.html")):
        files.append(File.generated(config, f"explore/{path.name}", abs_src_path=str(path)))
    for path in sorted((ROOT / "docs" / "learn").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        files.append(File.generated(config, f"learn/{path.stem}.ipynb", content=notebook(text)))
        if "<details" in text:
            plain, place = without_answers(text), f"learn/{path.stem}-exercises"
            files.append(File.generated(config, f"{place}.ipynb", content=notebook(plain)))
            files.append(File.generated(config, f"{place}.md", content=f"{UNSEARCHED}{plain}"))
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Put explorers and options of commands where a page wants them, and links to the edition without answers."""
    if preset := page.meta.get("preset"):
        markdown += f"\n## See it move\n\n<!-- explore: {preset} -->\n"
    if "<details" in markdown and page.file.src_uri.startswith("learn/"):
        plain = f"{Path(page.file.src_uri).stem}-exercises"
        markdown += f"\nFor a class, without answers: [as a page]({plain}.md), [as a notebook]({plain}.ipynb).\n"
    markdown = with_explorers(markdown, page.file.url)
    return re.sub(r"<!-- options: ([a-z ]+) -->", lambda found: option_table(commands()[found[1]]), markdown)


def on_page_content(html: str, **_: object) -> str:
    """Formulas become MathML."""
    return with_formulas(html)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a page that fetches anything from another machine, or whose formulas are not what was meant."""
    for page in sorted(Path(config.site_dir).rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        if found := FETCHED.search(text):
            raise PluginError(f"{page} loads from the network: {found.group()}")
        if found := STARRED.search(text):
            raise PluginError(f"{page} takes a star for emphasis: {found.group()}")
        if "arithmatex" in text:
            raise PluginError(f"{page} has a formula that did not become MathML")
