"""The part of llvmlite that linsep uses; it ships no types."""

from . import ir as ir
