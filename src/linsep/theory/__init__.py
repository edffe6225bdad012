"""What can be proved about rows, labels and separators.

In: arrays. Out: verdicts with their proofs, margins, bounds. Begin with `separability/decide.py`. `verify/` checks
proofs and imports nothing of the search.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linsep.theory.bounds.aggressive import aggressive_bounds
    from linsep.theory.bounds.chain_radius import chain_radius
    from linsep.theory.bounds.classes import class_bounds
    from linsep.theory.bounds.cover import cover_odds, cover_rows, holm
    from linsep.theory.bounds.descent import auto_eta0, gradient_bound, sgd_bound
    from linsep.theory.bounds.kernel import (
        forgetron_bound,
        halving_bound,
        kernel_bounds,
        projection_bound,
        random_removal_bound,
        removal_bound,
    )
    from linsep.theory.bounds.least_loss import LossBracket, least_loss, training_loss
    from linsep.theory.bounds.margin import margin_upper_bound
    from linsep.theory.bounds.mistakes import collins_bounds, mistake_bounds
    from linsep.theory.bounds.online_risk import online_risk_bound, vote_bound
    from linsep.theory.bounds.table import Bound, MistakeBounds
    from linsep.theory.margin.geometry import (
        functional_margins,
        geometric_margin,
        homogeneous_margin,
        projection,
        radius,
        unit_form,
    )
    from linsep.theory.margin.max_margin import MarginBracket, max_margin
    from linsep.theory.separability.certificate import Separability
    from linsep.theory.separability.combination import Combination
    from linsep.theory.separability.whole_file import verify_certificate
    from linsep.theory.verify.cone import CertificateError, ConeProof
    from linsep.theory.verify.consequences import SeparationProof

__all__ = [
    "Bound",
    "CertificateError",
    "Combination",
    "ConeProof",
    "LossBracket",
    "MarginBracket",
    "MistakeBounds",
    "Separability",
    "SeparationProof",
    "aggressive_bounds",
    "auto_eta0",
    "chain_radius",
    "class_bounds",
    "collins_bounds",
    "cover_odds",
    "cover_rows",
    "forgetron_bound",
    "functional_margins",
    "geometric_margin",
    "gradient_bound",
    "halving_bound",
    "holm",
    "homogeneous_margin",
    "kernel_bounds",
    "least_loss",
    "margin_upper_bound",
    "max_margin",
    "mistake_bounds",
    "online_risk_bound",
    "projection",
    "projection_bound",
    "radius",
    "random_removal_bound",
    "removal_bound",
    "sgd_bound",
    "training_loss",
    "unit_form",
    "verify_certificate",
    "vote_bound",
]

# Where each name is defined: `import linsep.theory` alone loads none of these files, nor NumPy.
_HOMES = {
    "bounds.aggressive": ("aggressive_bounds",),
    "bounds.chain_radius": ("chain_radius",),
    "bounds.classes": ("class_bounds",),
    "bounds.cover": ("cover_odds", "cover_rows", "holm"),
    "bounds.descent": ("auto_eta0", "gradient_bound", "sgd_bound"),
    "bounds.kernel": (
        "forgetron_bound",
        "halving_bound",
        "kernel_bounds",
        "projection_bound",
        "random_removal_bound",
        "removal_bound",
    ),
    "bounds.least_loss": ("LossBracket", "least_loss", "training_loss"),
    "bounds.margin": ("margin_upper_bound",),
    "bounds.mistakes": ("collins_bounds", "mistake_bounds"),
    "bounds.online_risk": ("online_risk_bound", "vote_bound"),
    "bounds.table": ("Bound", "MistakeBounds"),
    "margin.geometry": (
        "functional_margins",
        "geometric_margin",
        "homogeneous_margin",
        "projection",
        "radius",
        "unit_form",
    ),
    "margin.max_margin": ("MarginBracket", "max_margin"),
    "separability.certificate": ("Separability",),
    "separability.combination": ("Combination",),
    "separability.whole_file": ("verify_certificate",),
    "verify.cone": ("CertificateError", "ConeProof"),
    "verify.consequences": ("SeparationProof",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
