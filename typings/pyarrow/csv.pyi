from collections.abc import Callable, Mapping
from typing import Any

from pyarrow import DataType, NativeFile, Table

class InvalidRow:
    expected_columns: int
    actual_columns: int
    number: int | None
    text: str

class ReadOptions:
    def __init__(
        self, *, use_threads: bool = ..., block_size: int = ..., column_names: list[str] | None = ...
    ) -> None: ...

class ParseOptions:
    def __init__(
        self,
        *,
        delimiter: str = ...,
        newlines_in_values: bool = ...,
        invalid_row_handler: Callable[[InvalidRow], str] | None = ...,
    ) -> None: ...

class ConvertOptions:
    def __init__(self, *, column_types: Mapping[str, DataType] = ..., strings_can_be_null: bool = ...) -> None: ...

class WriteOptions:
    def __init__(self, *, include_header: bool = ..., quoting_style: str = ...) -> None: ...

def read_csv(
    input_file: NativeFile,
    read_options: ReadOptions | None = ...,
    parse_options: ParseOptions | None = ...,
    convert_options: ConvertOptions | None = ...,
) -> Table: ...
def write_csv(data: Table, output_file: Any, write_options: WriteOptions | None = ...) -> None: ...
