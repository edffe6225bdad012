from typing import Any

SelectFromModel: Any
