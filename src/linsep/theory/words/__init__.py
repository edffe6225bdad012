"""What is proved, in sentences: built here from codes, names and numbers, so that nothing ever reads them again.

In: verdicts and the codes of coefficients. Out: English. Begin with `of_coefficients.py`; `of_models.py` names the
regressions, `of_advice.py` says what to do, `of_classes.py` is about two classes and `marks.py` about rounding.
"""
