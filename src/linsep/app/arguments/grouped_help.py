"""`--help` of a command with many options: those that people use first, then the others by what they are about."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

# The first ten of `linsep fit`, in the order in which they are needed.
_FIRST = ("target", "positive", "learner", "holdout", "model", "max_iter", "time_limit", "details", "report", "as_json")
_LEARNER = (
    *("seed", "class_weight", "sample_weight", "probabilities", "loss", "projection_radius"),
    "intercept_scaling",
    *("kernel", "degree", "gamma", "coef0"),
)
_STREAM = "Stream:"
_USED_FIRST = "Options that people use first"
_TABLE = "The table"
# Of `linsep separation`.
_FIRST_OF_MODEL = ("target", "family", "link", "order", "intercept", "time_limit", "certificate", "report", "as_json")
_BESIDE = ("trials", "weights", "offset", "event", "strata", "entry")


class GroupedHelp(TyperCommand):
    """A command whose options stand in groups in its help."""

    first: tuple[str, ...] = _FIRST
    titles: tuple[str, ...] = (_USED_FIRST, "The learner", _TABLE, "Streams")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group."""
        arguments = []
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in self.titles}
        ranked = sorted(
            self.get_params(ctx), key=lambda one: self.first.index(one.name) if one.name in self.first else 99
        )
        for one in ranked:
            record = one.get_help_record(ctx)
            if record is None:
                continue
            if one.param_type_name == "argument":
                arguments.append(record)
            else:
                used_first = one.name in (*self.first, "help")
                groups[_USED_FIRST if used_first else self.group(one)].append(record)
        for title, records in {"Arguments": arguments, **groups}.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def group(self, option: Any) -> str:
        """The title of the group of an option that is not among the first."""
        if option.name in _LEARNER:
            return "The learner"
        told = getattr(option, "help", None) or ""
        return "Streams" if told.startswith(_STREAM) or option.name == "stream" else _TABLE


class RegressionHelp(GroupedHelp):
    """The help of a command about a regression."""

    first = _FIRST_OF_MODEL
    titles = (_USED_FIRST, "Columns beside the target", _TABLE)

    def group(self, option: Any) -> str:
        """The title of the group of an option that is not among the first."""
        return self.titles[1] if option.name in _BESIDE else _TABLE
