from typing import Any

import numpy as np

class InputTags:
    one_d_array: bool
    two_d_array: bool
    three_d_array: bool
    sparse: bool
    categorical: bool
    string: bool
    dict: bool
    positive_only: bool
    allow_nan: bool
    pairwise: bool

class TargetTags:
    required: bool
    one_d_labels: bool
    two_d_labels: bool
    positive_only: bool
    multi_output: bool
    single_output: bool

class ClassifierTags:
    poor_score: bool
    multi_class: bool
    multi_label: bool

class Tags:
    estimator_type: str | None
    target_tags: TargetTags
    transformer_tags: Any
    classifier_tags: ClassifierTags
    regressor_tags: Any
    array_api_support: bool
    no_validation: bool
    non_deterministic: bool
    requires_fit: bool
    input_tags: InputTags

class Bunch(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...

def get_tags(estimator: Any) -> Tags: ...
def check_random_state(seed: Any) -> np.random.RandomState: ...
def check_array(array: Any, accept_sparse: Any = ..., **options: Any) -> Any: ...
def shuffle(*arrays: Any, random_state: Any = ..., n_samples: int | None = ...) -> Any: ...
