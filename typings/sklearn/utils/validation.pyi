from typing import Any

def validate_data(
    _estimator: Any,
    X: Any = ...,
    y: Any = ...,
    reset: bool = ...,
    validate_separately: Any = ...,
    skip_check_array: bool = ...,
    **check_params: Any,
) -> Any: ...
def check_array(array: Any, accept_sparse: Any = ..., **options: Any) -> Any: ...
def check_is_fitted(estimator: Any, attributes: Any = ..., *, msg: str | None = ..., all_or_any: Any = ...) -> None: ...
def check_consistent_length(*arrays: Any) -> None: ...
def column_or_1d(y: Any, *, dtype: Any = ..., warn: bool = ..., device: Any = ...) -> Any: ...
def _check_sample_weight(
    sample_weight: Any,
    X: Any,
    *,
    dtype: Any = ...,
    force_float_dtype: bool = ...,
    ensure_non_negative: bool = ...,
    ensure_same_device: bool = ...,
    copy: bool = ...,
    allow_all_zero_weights: bool = ...,
) -> Any: ...
def _check_feature_names(estimator: Any, X: Any, *, reset: bool) -> None: ...
def _num_samples(x: Any) -> int: ...
