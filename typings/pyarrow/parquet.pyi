from pathlib import Path
from typing import IO

from pyarrow import NativeFile, Table

def read_table(source: str | Path | NativeFile) -> Table: ...
def write_table(table: Table, where: str | Path | IO[bytes]) -> None: ...
