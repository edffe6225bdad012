"""What all tests share.

Hypothesis measures no time: compiling, and whatever else the machine does, would decide what passes. Model files say
when they were made; here that is one moment, so that equal models make equal files.
"""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
