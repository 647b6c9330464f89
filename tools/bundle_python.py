#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bundle_python.py OUTPUT FILE... - the package `baton` of host/python as one text in a C file.

The text is what the pump gives a Python host to run: it makes the modules, in the order of the files,
from the sources inside, so nothing has to be installed and nothing can stand in their place.
"""
import pathlib
import sys

START = '''\
import sys, types
baton = sys.modules["baton"] = types.ModuleType("baton")
baton.__path__ = []
def _make(name, source):
    module = sys.modules.get(name) or types.ModuleType(name)
    module.__package__ = "baton"
    if module is not baton:
        setattr(baton, name.rpartition(".")[2], module)
    sys.modules[name] = module
    exec(compile(source, "<" + name + ">", "exec"), module.__dict__)
'''
END = '''\
sys.exit(sys.modules["baton._host"].main(sys.argv[1:]))
'''
LINE_BYTES = 80


def bundle(paths):
    parts = [START]
    for path in paths:
        name = "baton" if path.stem == "__init__" else "baton." + path.stem
        parts.append(f"_make({name!r}, {path.read_text()!r})\n")
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
