"""What can be proved about rows, labels and separators.

In: arrays. Out: verdicts with their proofs, margins, bounds. Begin with `separability/decide.py`. `verify/` checks
proofs and imports nothing of the search.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linsep.theory.bounds.classes import chain_radius as chain_radius
    from linsep.theory.bounds.classes import class_bounds as class_bounds
    from linsep.theory.bounds.classes import margin_upper_bound as margin_upper_bound
    from linsep.theory.bounds.cover import cover_odds as cover_odds
    from linsep.theory.bounds.cover import cover_rows as cover_rows
    from linsep.theory.bounds.cover import holm as holm
    from linsep.theory.bounds.cover import online_risk_bound as online_risk_bound
    from linsep.theory.bounds.cover import vote_bound as vote_bound
    from linsep.theory.bounds.kernel import forgetron_bound as forgetron_bound
    from linsep.theory.bounds.kernel import halving_bound as halving_bound
    from linsep.theory.bounds.kernel import kernel_bounds as kernel_bounds
    from linsep.theory.bounds.kernel import projection_bound as projection_bound
    from linsep.theory.bounds.kernel import random_removal_bound as random_removal_bound
    from linsep.theory.bounds.kernel import removal_bound as removal_bound
    from linsep.theory.bounds.losses import LossBracket as LossBracket
    from linsep.theory.bounds.losses import auto_eta0 as auto_eta0
    from linsep.theory.bounds.losses import gradient_bound as gradient_bound
    from linsep.theory.bounds.losses import least_loss as least_loss
    from linsep.theory.bounds.losses import sgd_bound as sgd_bound
    from linsep.theory.bounds.losses import training_loss as training_loss
    from linsep.theory.bounds.mistakes import aggressive_bounds as aggressive_bounds
    from linsep.theory.bounds.mistakes import collins_bounds as collins_bounds
    from linsep.theory.bounds.mistakes import mistake_bounds as mistake_bounds
    from linsep.theory.bounds.table import Bound as Bound
    from linsep.theory.bounds.table import MistakeBounds as MistakeBounds
    from linsep.theory.margin.geometry import functional_margins as functional_margins
    from linsep.theory.margin.geometry import geometric_margin as geometric_margin
    from linsep.theory.margin.geometry import homogeneous_margin as homogeneous_margin
    from linsep.theory.margin.geometry import projection as projection
    from linsep.theory.margin.geometry import radius as radius
    from linsep.theory.margin.geometry import unit_form as unit_form
    from linsep.theory.margin.max_margin import MarginBracket as MarginBracket
    from linsep.theory.margin.max_margin import max_margin as max_margin
    from linsep.theory.separability.certificate import Separability as Separability
    from linsep.theory.separability.combination import Combination as Combination
    from linsep.theory.separability.whole_file import verify_certificate as verify_certificate
    from linsep.theory.verify.cone import CertificateError as CertificateError
    from linsep.theory.verify.cone import ConeProof as ConeProof
    from linsep.theory.verify.consequences import SeparationProof as SeparationProof

# Where each name is defined: `import linsep.theory` alone loads none of these files, nor NumPy.
_HOMES = {
    "bounds.classes": "chain_radius class_bounds margin_upper_bound",
    "bounds.cover": "cover_odds cover_rows holm online_risk_bound vote_bound",
    "bounds.kernel": "forgetron_bound halving_bound kernel_bounds projection_bound random_removal_bound removal_bound",
    "bounds.losses": "LossBracket auto_eta0 gradient_bound least_loss sgd_bound training_loss",
    "bounds.mistakes": "aggressive_bounds collins_bounds mistake_bounds",
    "bounds.table": "Bound MistakeBounds",
    "margin.geometry": "functional_margins geometric_margin homogeneous_margin projection radius unit_form",
    "margin.max_margin": "MarginBracket max_margin",
    "separability.certificate": "Separability",
    "separability.combination": "Combination",
    "separability.whole_file": "verify_certificate",
    "verify.cone": "CertificateError ConeProof",
    "verify.consequences": "SeparationProof",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
