"""Hypothesis measures no time: compiling, and whatever else the machine does, would decide what passes."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
