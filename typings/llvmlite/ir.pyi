from typing import Any

IntType: Any
PointerType: Any
FunctionType: Any
VoidType: Any
