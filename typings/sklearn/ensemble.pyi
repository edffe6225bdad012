from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

class HistGradientBoostingClassifier(ClassifierMixin, BaseEstimator):
    def __init__(self, **parameters: Any) -> None: ...
