from typing import Any, Self

class MLPClassifier:
    coefs_: list[Any]
    intercepts_: list[Any]
    loss_: float
    def __init__(self, **params: Any) -> None: ...
    def partial_fit(self, X: Any, y: Any, *, classes: Any = ...) -> Self: ...
