"""`--help` of a command with many options: those that people use first, then the others by what they are about."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

# The first ten of `linsep fit`, in the order in which they are needed.
_FIRST = ("target", "positive", "learner", "holdout", "model", "max_iter", "time_limit", "details", "report", "as_json")
_LEARNER = (
    *("seed", "class_weight", "sample_weight", "probabilities", "loss", "projection_radius"),
    *("kernel", "degree", "gamma", "coef0"),
)
_STREAM = "Stream:"


class GroupedHelp(TyperCommand):
    """A command whose options stand in groups in its help."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group."""
        arguments = []
        groups: dict[str, list[tuple[str, str]]] = {
            "Options that people use first": [],
            "The learner": [],
            "The table": [],
            "Streams": [],
        }
        ranked = sorted(self.get_params(ctx), key=lambda one: _FIRST.index(one.name) if one.name in _FIRST else 99)
        for one in ranked:
            record = one.get_help_record(ctx)
            if record is None:
                continue
            if one.param_type_name == "argument":
                arguments.append(record)
            else:
                groups[_group(one)].append(record)
        for title, records in {"Arguments": arguments, **groups}.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _group(option: Any) -> str:
    if option.name in (*_FIRST, "help"):
        return "Options that people use first"
    if option.name in _LEARNER:
        return "The learner"
    told = getattr(option, "help", None) or ""
    return "Streams" if told.startswith(_STREAM) or option.name == "stream" else "The table"
