from typing import TypedDict

class Found(TypedDict):
    docstring: str
    errors: list[tuple[str, str]]

def validate(obj_name: str) -> Found: ...
