"""What is proved, in sentences: built here from codes, names and numbers, so that nothing ever reads them again.

In: verdicts and the codes of coefficients. Out: English. Begin with `of_classes.py` and `of_regressions.py`;
`of_regressions.py` also says what to do.
"""
