"""Run the gallery: `python docs/gallery OUT` draws every picture into the folder OUT, with a page for each.

Each script states a claim, asserts it, and saves its picture under its own name in the current folder. Its docstring
is a title, the claim after "Claim:", and after "Seen:" what is on the picture, for those who do not see it.
"""

import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
# In the order of the page: a heading for each folder, and its scripts.
CHAPTERS = {
    "planes": (
        "Planes and steps",
        (
            "plane_and_normal",
            "one_dimension",
            "worked_sum",
            "half_spaces",
            "exclusive_or",
            "narrow_margin",
            "rocchio_fails",
            "means_on_a_circle",
            "losses",
            "circle_and_sphere",
        ),
    ),
    "theorems": (
        "Theorems, measured",
        (
            "novikoff",
            "updates_and_margin",
            "unit_sphere",
            "growing_digits",
            "noisy_votes",
            "sgd_steps",
        ),
    ),
    "data": (
        "Data",
        (
            "breast_cancer",
            "drifting_stream",
            "digits",
            "layers",
            "hidden_nodes",
            "hidden_layers",
            "exploding_regression",
            "reference_level",
        ),
    ),
}
SCRIPTS = {name: HERE / folder / f"{name}.py" for folder, (_, names) in CHAPTERS.items() for name in names}
# The preset of the explorer that shows the same; it stands as `preset` at the head of the page.
PRESETS = {
    "plane_and_normal": "six-points",
    "one_dimension": "line",
    "worked_sum": "six-points",
    "exclusive_or": "exclusive-or",
    "half_spaces": "six-points",
    "growing_digits": "cycling",
    "unit_sphere": "orthonormal",
    "circle_and_sphere": "semicircle",
    "drifting_stream": "drift",
    "breast_cancer": "breast-cancer",
    "noisy_votes": "overfitting-votes",
}
# A small picture shows one panel, the first or this one, in so many inches, and no words that would be too small there.
PANELS = {"circle_and_sphere": 2, "hidden_nodes": 2, "worked_sum": 2, "half_spaces": 1, "exploding_regression": 1}
SMALL = (3.0, 1.8)
_SHORT = 5
# By night ink is light. Pictures on no ground of their own follow the page, as a browser hands its scheme on to them.
NIGHT = {
    "#222222": "#e6e6e6",
    "#000000": "#e6e6e6",
    "#777777": "#a0a0a0",
    "#0072b2": "#6cb8e6",
    "#d55e00": "#ff8a3c",
    "#ffffff": "#1e2129",  # the ground of the page
}
# Text has no colour of its own; pale fields would hide it.
RULES = 'svg {fill: #e6e6e6} [id^="QuadContourSet"] path:not([style*="fill: none"]) {opacity: 0.3} '


class Shown(NamedTuple):
    """What a script says of its picture, the file of this, and its code."""

    title: str
    claim: str
    seen: str
    picture: str
    source: str


def run_script(name: str, folder: Path) -> Shown:
    """Run one script in `folder`, where it leaves its picture, and a small one in small/."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("agg")
    before = Path.cwd()
    (folder / "small").mkdir(exist_ok=True)
    os.chdir(folder)
    try:
        with matplotlib.rc_context({"savefig.transparent": True}):
            made = runpy.run_path(str(SCRIPTS[name]))
            make_small(made["figure"], PANELS.get(name, 0))
            made["figure"].savefig(f"small/{name}.svg")
    finally:
        os.chdir(before)
        plt.close("all")
    title, rest = made["__doc__"].strip().split("\n", 1)
    claim, seen = rest.split("\nSeen: ")
    for drawn in (folder / f"{name}.svg", folder / "small" / f"{name}.svg"):
        drawn.write_text(with_night(drawn.read_text(encoding="utf-8")), encoding="utf-8")
    source = SCRIPTS[name].read_text(encoding="utf-8").split('"""', 2)[2].strip()
    return Shown(title.rstrip("."), claim.strip(), " ".join(seen.split()), drawn.name, source)


def with_night(svg: str) -> str:
    """A picture that Matplotlib has drawn on no ground, with colours for the night."""
    rules = RULES + "".join(
        f'[style*="{part}: {day}"] {{{part}: {night} !important}} '
        for day, night in NIGHT.items()
        for part in ("fill", "stroke")
    )
    return svg.replace("</style>", f" @media (prefers-color-scheme: dark) {{{rules}}}</style>", 1)


def page(name: str, shown: Shown) -> str:
    """The page of a picture: its claim, what is seen, its script."""
    head = f"---\npreset: {PRESETS[name]}\n---\n" if name in PRESETS else ""
    parts = [
        f"{head}# {shown.title}",
        shown.claim,
        f"![{shown.seen}]({shown.picture})",
        f"**Seen.** {shown.seen}",
        "## The script",
        "Each `assert` is a part of the claim.",
        f"```python\n{shown.source}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def index(titles: dict[str, str]) -> str:
    """The page of all: small pictures that lead to their pages."""
    parts = ["# Gallery", "Each picture is a script; each script asserts what it claims."]
    for heading, names in CHAPTERS.values():
        parts += [f"## {heading}", '<div class="gallery" markdown>']
        parts += [f"[![](small/{name}.svg){titles[name]}]({name}.md)" for name in names]
        parts += ["</div>"]
    return "\n\n".join(parts) + "\n"


def make_small(figure: "Figure", panel: int) -> None:
    """Leave of a drawn figure one panel, as wide as the small picture, with its lines and no words but short ones."""
    from matplotlib.text import Annotation, Text

    ax = figure.axes[panel]
    for other in [*figure.axes, *figure.legends]:
        other.set_visible(other is ax)
    if legend := ax.get_legend():
        legend.remove()
    for text in ax.findobj(Text):
        arrow = isinstance(text, Annotation) and not text.get_text()
        short = len(text.get_text()) <= _SHORT and " " not in text.get_text()
        text.set_visible(arrow or (text in ax.texts and short))
    ax.tick_params(which="both", length=0)
    ax.set_autoscale_on(False)
    figure.set_layout_engine("none")
    figure.set_size_inches(*SMALL)
    ax.set_anchor("C")
    ax.set_position((0.02, 0.03, 0.96, 0.94))


def main() -> None:
    """Write pages and pictures into the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/gallery OUT")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for name in SCRIPTS:
        print(f"{name}.py", file=sys.stderr)
        shown = run_script(name, folder)
        (folder / f"{name}.md").write_text(page(name, shown), encoding="utf-8")
        titles[name] = shown.title
    (folder / "index.md").write_text(index(titles), encoding="utf-8")


if __name__ == "__main__":
    main()
