"""Every item of the sources is taught: the section that `taught.py` names exists and holds its words of evidence."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

from taught import TAUGHT

from pages import FENCE, ROOT

DOCS = ROOT / "docs"
HEADING = re.compile(r"^#+ (.*)$", re.M)


def anchor(heading: str) -> str:
    """What MkDocs makes of a heading: its letters of ASCII and digits, in small letters, words joined by hyphens."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def sections(page: str) -> dict[str, str]:
    """The text of each section of a page by its anchor, its white space made single spaces."""
    place = next(place for place in (DOCS / "learn" / page, DOCS / page) if place.exists())
    text = FENCE.sub(lambda block: block[0].replace("\n#", "\n #"), place.read_text(encoding="utf-8"))
    _, *parts = HEADING.split(text)
    made = [anchor(heading) for heading in parts[::2]]
    assert len(set(made)) == len(made), f"{page}: two headings have one anchor"
    return {name: " ".join(words.split()) for name, words in zip(made, parts[1::2], strict=True)}


def test_each_item_is_in_the_section_named() -> None:
    missing = []
    for item, where, evidence in TAUGHT:
        page, _, name = where.partition("#")
        if evidence not in sections(page).get(name, ""):
            missing.append(f"{item}: {where}: {evidence}")
    assert not missing, "\n".join(missing)


def test_items_are_unique_and_each_chapter_teaches_some() -> None:
    twice = [item for item, count in Counter(item for item, _, _ in TAUGHT).items() if count > 1]
    assert not twice
    pages = {where.partition("#")[0] for _, where, _ in TAUGHT}
    assert {path.name for path in (DOCS / "learn").glob("*.md")} - {"index.md"} <= pages
