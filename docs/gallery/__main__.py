"""Run the gallery: `python docs/gallery OUT` writes every picture and a page `index.md` into the folder OUT.

Each script states a claim, asserts it, and saves its pictures under its own name in the current folder.
"""

import os
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
# In the order of the page.
SCRIPTS = (
    "step_by_step",
    "novikoff",
    "updates_and_margin",
    "unit_sphere",
    "exclusive_or",
    "rocchio_fails",
    "noisy_votes",
    "sgd_steps",
    "drifting_stream",
    "breast_cancer",
    "exploding_regression",
    "rare_reference",
    "digits",
    "circle_and_sphere",
    "hidden_nodes",
    "hidden_layers",
)


def run_script(name: str, folder: Path) -> str:
    """Run one script in `folder`; return its part of the page: claim, pictures, source."""
    import matplotlib

    matplotlib.use("agg")
    before = Path.cwd()
    os.chdir(folder)
    try:
        doc = runpy.run_path(str(HERE / f"{name}.py"))["__doc__"]
    finally:
        os.chdir(before)
        matplotlib.pyplot.close("all")
    title, claim = doc.strip().split("\n", 1)
    pictures = sorted(path.name for path in folder.glob(f"{name}.*"))
    assert f"{name}.png" in pictures, f"{name}.py saved no picture {name}.png"
    shown = "\n\n".join(f"![{title}]({picture})" for picture in pictures)
    source = (HERE / f"{name}.py").read_text(encoding="utf-8").split('"""', 2)[2].strip()
    return f"## {title.rstrip('.')}\n\n{claim.strip()}\n\n{shown}\n\n```python\n{source}\n```\n"


def main() -> None:
    """Write the page and the pictures into the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/gallery OUT")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for name in SCRIPTS:
        print(f"{name}.py", file=sys.stderr)
        parts.append(run_script(name, folder))
    page = "# Gallery\n\nEach picture is a script; each script asserts what it claims.\n\n" + "\n".join(parts)
    (folder / "index.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
