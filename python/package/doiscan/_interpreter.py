"""Refuses interpreters for which the package is not built or tested."""

import sysconfig

# pip refuses the wheel, whose stable ABI needs the GIL; a build from source would get this far.
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError("doiscan does not support free-threaded CPython; use the standard build")
