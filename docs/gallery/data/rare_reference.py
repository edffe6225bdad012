"""Which rows send which coefficients to infinity.

Claim: nobody at ward c improved. With c as the reference level those three rows move the intercept to -infinity, and
the coefficients of all other wards go to +infinity to make up for it. With ward a as the reference the same rows move
the coefficient of c alone. The fit is the same: only a level that is not rare should be the reference.

Seen: Two pictures of rows 12, 13 and 14 against coefficients. With reference level c triangles say that the three rows
push the intercept down, and the wards a, b and d are marked as plus infinite without a row of their own. With
reference level a the same triangles stand beside ward c alone.
"""

import matplotlib.pyplot as plt
import pandas as pd

from linsep import separation
from linsep.plots import plot_separated_rows

wards = pd.get_dummies(list("aaaabbbbddddccc"), dtype=float).add_prefix("ward=")
improved = [0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0]
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
infinite = {}
for ax, reference in zip(axes, "ca", strict=True):
    found = separation(wards.drop(columns=f"ward={reference}"), improved)
    assert found.separated_rows == (12, 13, 14)
    infinite[reference] = [(line.estimate, line.first) for line in found.table() if line.estimate != "finite"]
    plot_separated_rows(found, ax=ax).set_title(f"reference level {reference}", loc="right", fontsize="medium")
assert infinite["c"] == [("-inf", (12, 13, 14)), *3 * [("+inf", ())]]
assert infinite["a"] == [("-inf", (12, 13, 14))]
figure.savefig("rare_reference.png")
