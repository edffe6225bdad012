from typing import Any

Constant: Any
FunctionType: Any
IntType: Any
PointerType: Any
Undefined: Any
VectorType: Any
VoidType: Any
