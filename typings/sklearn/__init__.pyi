from typing import Any

__version__: str

def clone(estimator: Any, *, safe: bool = ...) -> Any: ...
