from typing import Any

Target: Any
create_mcjit_compiler: Any
initialize_native_asmprinter: Any
initialize_native_target: Any
parse_assembly: Any
