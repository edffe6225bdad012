"""What is proved, in sentences: built here from codes, names and numbers, so that nothing ever reads them again.

In: verdicts and the codes of coefficients. Out: English. Begin with `of_classes.py` and `of_regressions.py`;
`of_models.py` names the regressions, `of_coefficients.py` where coefficients go, `of_advice.py` what to do, `marks.py`
that rounding could change a verdict.
"""
