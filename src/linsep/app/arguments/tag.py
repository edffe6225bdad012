"""The arguments of `linsep tag`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from linsep.app.arguments.options import DetailsOpt
from linsep.app.result import Result


class TextFormat(StrEnum):
    """How tagged text is laid out."""

    COLUMNS = "columns"
    CONLLU = "conllu"


class TagColumn(StrEnum):
    """Columns of a CoNLL-U file that hold tags."""

    UPOS = "upos"
    XPOS = "xpos"


_LAID_OUT = (
    "a token and its tag on each line with a tab or blanks between, an empty line after each sentence; or CoNLL-U"
)
TextArg = Annotated[str, typer.Argument(help=f"Tagged text: {_LAID_OUT}. - is standard input.")]
ModelArg = Annotated[Path, typer.Argument(help="A model file written by `linsep tag fit`.")]
FormatOpt = Annotated[
    TextFormat | None,
    typer.Option(
        help="The layout of the text; if not given, conllu for files with that suffix and columns for others."
    ),
]
TagOpt = Annotated[TagColumn, typer.Option(help="The column of the tag in a CoNLL-U file.")]
JsonOpt = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


def tag_commands(present: Callable[[Result, bool, bool], None]) -> typer.Typer:
    """The commands under `linsep tag`; `present` prints a result, as JSON or with details if asked to."""
    app = typer.Typer(help="Tag the words of sentences: train a tagger, use it, and count its correct tags.")

    @app.command()
    def fit(
        text: TextArg,
        model: Annotated[Path, typer.Option(help="Where to write the model.")] = Path("tagger.linsep"),
        max_iter: Annotated[int | None, typer.Option(min=1, help="Largest number of epochs; 10 if not given.")] = None,
        time_limit: Annotated[
            float | None, typer.Option(min=0.0, help="Largest number of seconds; it replaces --max-iter.")
        ] = None,
        holdout: Annotated[
            float,
            typer.Option(
                min=0.0,
                max=0.9,
                help="Keep this share of the sentences aside, and score on them a tagger trained on the others.",
            ),
        ] = 0.0,
        n_bits: Annotated[
            int | None,
            typer.Option(min=1, max=28, help="Hash feature names to this number of bits instead of keeping them."),
        ] = None,
        seed: Annotated[int, typer.Option(min=0, help="The seed of the order of the sentences.")] = 0,
        tag: TagOpt = TagColumn.UPOS,
        format: FormatOpt = None,
        details: DetailsOpt = False,
        as_json: JsonOpt = False,
    ) -> None:
        """Train a tagger on TEXT, write it to a model file and print its receipt.

        Exit status: 0 done, 2 bad usage or input, 130 after Ctrl-C with the model so far saved.
        """
        if max_iter is not None and time_limit is not None:
            raise typer.BadParameter("give --max-iter or --time-limit, not both")
        from linsep.app.commands import tag as commands

        result = commands.fit(text, format=format, tag=tag.value, max_iter=max_iter, time_limit=time_limit,
                              n_bits=n_bits, seed=seed, holdout=holdout, model=model)  # fmt: skip
        present(result, as_json, details)

    @app.command()
    def predict(
        model: ModelArg,
        text: Annotated[
            str, typer.Argument(help="Text in a layout of `fit`; the tags may be missing. - is standard input.")
        ],
        output: Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")] = "-",
        tag: TagOpt = TagColumn.UPOS,
        format: FormatOpt = None,
    ) -> None:
        """Tag TEXT and write token, tab and tag on each line, or the CoNLL-U file with its tags replaced."""
        from linsep.app.commands import tag as commands

        commands.predict(model, text, output, format=format, tag=tag.value)

    @app.command()
    def score(
        model: ModelArg, text: TextArg, tag: TagOpt = TagColumn.UPOS, format: FormatOpt = None, as_json: JsonOpt = False
    ) -> None:
        """Compare the model's tags with those of TEXT: correct tokens and sentences, and the tags most confused."""
        from linsep.app.commands import tag as commands

        present(commands.score(model, text, format=format, tag=tag.value), as_json, False)

    @app.command()
    def show(
        model: ModelArg,
        weights: Annotated[int, typer.Option(min=1, help="The number of weights to print, the largest ones.")] = 20,
        as_json: JsonOpt = False,
    ) -> None:
        """Print the largest weights of a tagger, by tag and feature and from tag to tag, and how it was made."""
        from linsep.app.commands import tag as commands

        present(commands.show(model, weights), as_json, False)

    return app
