from typing import Any

CalibratedClassifierCV: Any
