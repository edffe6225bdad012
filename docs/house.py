"""Draw the house from its own imports: `python docs/house.py` writes docs/house.svg; a test compares the two.

A box is a part of the library, a line an import. A part stands above all that it imports. What is reached through a
part in between gets no line of its own, nor do the files on the ground, which every floor may import.
"""

from __future__ import annotations

import ast
from functools import cache
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src" / "linsep"
PICTURE = DOCS / "house.svg"
WIDTH, HEIGHT, ROW, PAD = 1040, 68, 112, 18


def part_of(module: str) -> str:
    """The part that a module is in: linsep.theory.cone.faces is in theory."""
    return module.split(".")[1] if "." in module else ""


def imports() -> dict[str, set[str]]:
    """Each part and the parts that its files import."""
    found: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        names = file.relative_to(SOURCE.parent).with_suffix("").parts
        part = part_of(".".join(names))
        if part == "__init__":
            continue
        seen = found.setdefault(part, set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "linsep":
                seen |= {alias.name for alias in node.names if (SOURCE / alias.name).is_dir()}
            elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("linsep."):
                seen.add(part_of(str(node.module)))
            elif isinstance(node, ast.Import):
                seen |= {part_of(alias.name) for alias in node.names if alias.name.startswith("linsep.")}
    return {part: {other for other in seen if other not in ("", part)} for part, seen in found.items()}


def ground(arrows: dict[str, set[str]]) -> set[str]:
    """Single files that import nothing but other such files."""
    files = {part for part in arrows if not (SOURCE / part).is_dir()}
    while higher := {part for part in files if arrows[part] - files}:
        files -= higher
    return files


def floors(arrows: dict[str, set[str]]) -> dict[str, int]:
    """The floor of each part: one above the highest part that it imports; 0 is the ground."""
    low = ground(arrows)

    @cache
    def floor(part: str) -> int:
        return 0 if part in low else 1 + max((floor(other) for other in arrows[part]), default=-1)

    return {part: floor(part) for part in arrows}


def reduced(arrows: dict[str, set[str]]) -> set[tuple[str, str]]:
    """The imports that are not implied by going through a part in between."""

    @cache
    def below(part: str) -> frozenset[str]:
        return frozenset(arrows[part]).union(*(below(other) for other in arrows[part]))

    return {
        (part, other)
        for part, others in arrows.items()
        for other in others
        if not any(other in below(between) for between in others)
    }


def rooms(part: str) -> str:
    """The rooms of a part, or how many files it has."""
    folder = SOURCE / part
    if not folder.is_dir():
        return f"{part}.py"
    inner = sorted(room.name for room in folder.iterdir() if (room / "__init__.py").exists())
    files = len([file for file in folder.glob("*.py") if file.stem != "__init__"])
    return ", ".join(inner) if inner else f"{files} files"


def lines_of(text: str, length: int) -> list[str]:
    """The text in lines of about so many letters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > length:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def picture() -> str:
    """The house as SVG; the same text for the same imports."""
    arrows = imports()
    floor_of = floors(arrows)
    top = max(floor_of.values())
    place: dict[str, tuple[float, float, float]] = {}
    for floor in range(top + 1):
        parts = sorted(part for part, its in floor_of.items() if its == floor)
        room = (WIDTH - PAD) / len(parts)
        for k, part in enumerate(parts):
            wide = min(room - PAD, 300.0)
            place[part] = (PAD + k * room + (room - PAD - wide) / 2, PAD + (top - floor) * ROW, wide)
    height = 2 * PAD + top * ROW + HEIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" role="img">',
        "<title>The parts of linsep; each imports only from floors below its own</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for part, other in sorted(arrow for arrow in reduced(arrows) if floor_of[arrow[1]]):
        (x, y, wide), (u, v, its) = place[part], place[other]
        a, b, c, d = x + wide / 2, y + HEIGHT, u + its / 2, v
        out.append(
            f'<path d="M{a:.0f} {b:.0f} C{a:.0f} {b + 30:.0f} {c:.0f} {d - 30:.0f} {c:.0f} {d:.0f}" fill="none" '
            'stroke="#7986cb" stroke-width="1.5"/>'
        )
    for part, (x, y, wide) in sorted(place.items()):
        out.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{HEIGHT}" rx="6" fill="#e8eaf6" '
            'stroke="#3f51b5"/>'
        )
        middle = x + wide / 2
        out.append(
            f'<text x="{middle:.0f}" y="{y + 24:.0f}" font-size="16" font-weight="bold" text-anchor="middle" '
            f'fill="#1a237e">{escape(part)}</text>'
        )
        for k, line in enumerate(lines_of(rooms(part), max(12, int(wide / 6.4)))[:2]):
            out.append(
                f'<text x="{middle:.0f}" y="{y + 43 + 15 * k:.0f}" font-size="12" text-anchor="middle" '
                f'fill="#333">{escape(line)}</text>'
            )
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
