#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_wasm.py --check | [--stamp FILE] DIR - build baton.wasm and schema.wasm in the folder DIR, from the core bundle and src/wasm, with Debian's clang, lld and wasi-libc.

Each imports two functions of its host, baton.now_ms and baton.random, and exports its memory and the functions of its file in src/wasm.
Object files are kept, so a second run compiles only what changed. --check only says whether the tools are here: 0, or 1 and what is missing.
--stamp touches FILE when the module is built.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import core_bundle

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# wasm-ld is called directly: clang would run wasm-opt, where it is installed, and the bytes would depend on it.
COMPILE = ["--target=wasm32-wasi", "-std=c17", "-Oz", "-flto", "-msimd128", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-builtin-printf",
           "-DBT_PROFILE_CORE", "-Wall", "-Wextra", "-Wno-unused-const-variable", "-Werror"]
MODULES = {"baton": "module.c", "schema": "schema.c"}  # the file of src/wasm whose functions the module exports
RULES_OBJECT = "src_report_rules.c.o"
STACK_BYTES = 1 << 20
MEMORY_BYTES_MAX = 512 << 20
LIBC = pathlib.Path("/usr/lib/wasm32-wasi/libc.a")


class WasmError(Exception):
    """The module cannot be built."""


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WasmError(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def find_linker():
    return shutil.which("wasm-ld") or shutil.which("wasm-ld-14")


def find_builtins():
    """The functions that clang's code needs; their place names the version of clang."""
    found = run("clang", "--target=wasm32-wasi", "-print-resource-dir").strip()
    return pathlib.Path(found) / "lib/wasi/libclang_rt.builtins-wasm32.a"


def missing_tools():
    missing = [name for name in ("clang", "meson", "ninja") if not shutil.which(name)]
    missing += [] if find_linker() else ["wasm-ld (Debian: lld)"]
    missing += [] if LIBC.is_file() else ["wasi-libc"]
    return missing or ([] if find_builtins().is_file() else ["libclang-rt-14-dev-wasm32"])


def needs_compiling(made, source, newest_header):
    return not made.is_file() or made.stat().st_mtime < max(source.stat().st_mtime, newest_header)


def compile_all(folder, bundle):
    """The object files of each module; compiled where they are older than their source or any header."""
    objects = folder / "obj"
    objects.mkdir(exist_ok=True)
    paths = (bundle / "FILES").read_text(encoding="utf-8").split()
    jobs = [(bundle / path, objects / (path.replace("/", "_") + ".o"), []) for path in paths]
    # libc.c defines functions of the C library, which the linker must see before it optimises.
    # schema.wasm has the rules about JSON and schemas alone.
    rules = objects / "schema_rules.c"
    tables = re.findall(r"'(src/[a-z_/]+\.rules)'", (SOURCE / "src/report/meson.build").read_text(encoding="utf-8"))
    run(sys.executable, "-B", SOURCE / "tools/gen_tables.py", "schema-source", rules, SOURCE, *tables)
    own = {path.name: (path, objects / f"wasm_{path.name}.o", ["-fno-builtin", *(["-fno-lto"] if path.name == "libc.c" else [])]) for path in sorted((SOURCE / "src/wasm").glob("*.c"))}
    newest = max(path.stat().st_mtime for path in [*bundle.rglob("*.h"), *(SOURCE / "src/wasm").rglob("*.h")])
    launcher = ["ccache"] if shutil.which("ccache") else []
    includes = [f"-I{SOURCE / 'src/wasm'}", f"-I{bundle / 'include'}", f"-I{bundle / 'src'}"]

    def compile_one(job):
        source, made, flags = job
        if needs_compiling(made, source, newest):
            run(*launcher, "clang", *COMPILE, *flags, *includes, "-c", source, "-o", made)
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        *made, small = pool.map(compile_one, [*jobs, own["libc.c"], (rules, objects / "schema_rules.c.o", [])])
        objects_of = {name: [*made, compile_one(own[file])] for name, file in MODULES.items()}
    objects_of["schema"] = [small if path.name == RULES_OBJECT else path for path in objects_of["schema"]]
    return objects_of


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / "bundle"
    core_bundle.write_folder(bundle, core_bundle.bundle_files())
    modules = compile_all(folder, bundle)
    for name, objects in modules.items():
        made = folder / f"{name}.wasm"
        run(find_linker(), "--no-entry", "--gc-sections", "--strip-all", "--lto-O2", "-O2", "--compress-relocations", "-z", f"stack-size={STACK_BYTES}", f"--max-memory={MEMORY_BYTES_MAX}", "-o", made, *objects, LIBC, find_builtins())
        made.chmod(0o644)
    return [folder / f"{name}.wasm" for name in modules]


def main(arguments):
    stamp = pathlib.Path(arguments[1]) if len(arguments) == 3 and arguments[0] == "--stamp" else None
    arguments = arguments[2:] if stamp else arguments
    if len(arguments) != 1:
        print("usage: make_wasm.py --check | [--stamp FILE] DIR", file=sys.stderr)
        return 2
    missing = missing_tools()
    if arguments[0] == "--check" or missing:
        print(f"make_wasm.py: missing: {', '.join(missing)}; script/bootstrap wasm installs it" if missing else "the tools are here")
        return 1 if missing else 0
    try:
        made = build(pathlib.Path(arguments[0]).resolve())
    except (WasmError, core_bundle.BundleError, OSError) as why:
        print(f"make_wasm.py: {why}", file=sys.stderr)
        return 1
    for path in made:
        print(f"{path.stat().st_size} {path}")
    if stamp:
        stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
