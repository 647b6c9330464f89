#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bundle_python.py OUTPUT FILE... - the handler part of the package `baton` of sdk/python as one text in a C file.

The text is what the pump gives a Python host to run: it makes the modules, in the order of the files,
from the sources inside, so nothing has to be installed and nothing can stand in their place. `import
baton` gives the names of baton.handler there, and nothing else of an installed package `baton` is found.
"""
import pathlib
import sys

START = '''\
import sys, types
baton = sys.modules["baton"] = types.ModuleType("baton")
baton.__path__ = []
baton.__package__ = "baton"
def _make(name, source):
    module = types.ModuleType("baton." + name)
    module.__package__ = "baton"
    setattr(baton, name, module)
    sys.modules["baton." + name] = module
    exec(compile(source, "<baton." + name + ">", "exec"), module.__dict__)
    if name == "handler":
        baton.__doc__ = module.__doc__
        baton.__all__ = module.__all__
        for public in module.__all__:
            setattr(baton, public, getattr(module, public))
'''
END = '''\
sys.exit(sys.modules["baton._host"].main(sys.argv[1:]))
'''
LINE_BYTES = 80


def bundle(paths):
    parts = [START]
    for path in paths:
        parts.append(f"_make({path.stem!r}, {path.read_text()!r})\n")
    return "".join(parts) + END


def c_text(text):
    data = text.encode()
    lines = []
    for at in range(0, len(data), LINE_BYTES):
        lines.append("    " + ", ".join(str(byte) for byte in data[at:at + LINE_BYTES]) + ",\n")
    return ("/* SPDX-License-Identifier: Apache-2.0 */\n"
            "/* python_host.c - the Python host; made by tools/bundle_python.py. */\n"
            '#include "sandbox/python.h"\n\n'
            "static const char text[] = {\n" + "".join(lines) + "};\n\n"
            "bt_str bt_host_python_script(void)\n{\n    return (bt_str){text, sizeof(text)};\n}\n")


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(c_text(bundle([pathlib.Path(name) for name in sys.argv[2:]])))
