from typing import Any

from sklearn.linear_model import _Linear

class LinearSVC(_Linear):
    def __init__(self, **params: Any) -> None: ...

class SVC(_Linear):
    def __init__(self, **params: Any) -> None: ...
