from typing import NamedTuple

class Parameter(NamedTuple):
    name: str
    type: str
    desc: list[str]

class NumpyDocString:
    def __init__(self, docstring: str) -> None: ...
    def __getitem__(self, key: str) -> list[Parameter]: ...
