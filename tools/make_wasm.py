#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_wasm.py --check | [--stamp FILE --depfile FILE] DIR - build baton.wasm and schema.wasm in the folder DIR, from the core bundle and src/wasm, with Debian's clang, lld, wasi-libc and binaryen.

Each imports two functions of its host, baton.now_ms and baton.random, and exports its memory and the functions of its file in src/wasm.
Object files are kept, so a second run compiles only what changed, and links only what was compiled. --check only says whether the tools are here: 0, or 1 and what is missing.
--stamp touches FILE when the modules are built; --depfile writes for Ninja what that depends on.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import core_bundle

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Whatever has SIMD has the other features as well.
COMPILE = ["--target=wasm32-wasi", "-std=c17", "-Oz", "-flto", "-msimd128", "-msign-ext", "-mbulk-memory", "-mnontrapping-fptoint", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-builtin-printf",
           "-DBT_PROFILE_CORE", "-Wall", "-Wextra", "-Wno-unused-const-variable", "-Werror"]
# wasm-ld is called directly, because clang would run wasm-opt with options of its own. What is inlined compresses badly.
LINK = ["--no-entry", "--gc-sections", "--strip-all", "--lto-O2", "-O2", "--compress-relocations", "-mllvm", "-inline-threshold=-100"]
# Data begins at 1024, so that small offsets can be added to any address.
OPTIMISE = ["-Oz", "--converge", "--low-memory-unused", "--enable-simd", "--enable-sign-ext", "--enable-bulk-memory", "--enable-nontrapping-float-to-int"]
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
    missing += [] if shutil.which("wasm-opt") else ["wasm-opt (Debian: binaryen)"]
    return missing or ([] if find_builtins().is_file() else ["libclang-rt-14-dev-wasm32"])


def is_older(made, inputs):
    return not made.is_file() or made.stat().st_mtime < max(path.stat().st_mtime for path in inputs)


def compile_all(folder, bundle):
    """The object files of each module; compiled where they are older than their source, any header or this program, which has the flags."""
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
    newest = max([pathlib.Path(__file__), *bundle.rglob("*.h"), *(SOURCE / "src/wasm").rglob("*.h")], key=lambda path: path.stat().st_mtime)
    launcher = ["ccache"] if shutil.which("ccache") else []
    includes = [f"-I{SOURCE / 'src/wasm'}", f"-I{bundle / 'include'}", f"-I{bundle / 'src'}"]

    def compile_one(job):
        source, made, flags = job
        if is_older(made, [source, newest]):
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
        inputs = [*objects, LIBC, find_builtins()]
        if not is_older(made, [*inputs, pathlib.Path(__file__)]):
            continue
        linked = folder / f"{name}.linked"
        run(find_linker(), *LINK, "-z", f"stack-size={STACK_BYTES}", f"--max-memory={MEMORY_BYTES_MAX}", "-o", linked, *inputs)
        run("wasm-opt", *OPTIMISE, linked, "-o", made)
        made.chmod(0o644)
    return [folder / f"{name}.wasm" for name in modules]


def write_depfile(path, stamp):
    """Everything that the modules can depend on: a new file of src/ needs a line in a meson.build there."""
    inputs = [file for top in ("src", "include", "tools") for file in sorted((SOURCE / top).rglob("*")) if file.is_file() and file.suffix != ".pyc"]
    words = [str(file).replace(" ", "\\ ") for file in [*inputs, SOURCE / "meson.build", SOURCE / "meson_options.txt"]]
    path.write_text(f"{stamp}: {' '.join(words)}\n", encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_wasm.py", description="Build baton.wasm and schema.wasm in a folder.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--stamp", type=pathlib.Path)
    parser.add_argument("--depfile", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    given = parser.parse_args(arguments)
    if bool(given.check) == bool(given.folder) or bool(given.depfile) != bool(given.stamp):
        parser.error("give --check, or a folder; --depfile goes with --stamp")
    missing = missing_tools()
    if given.check or missing:
        print(f"make_wasm.py: missing: {', '.join(missing)}; script/bootstrap wasm installs it" if missing else "the tools are here")
        return 1 if missing else 0
    try:
        made = build(given.folder.resolve())
    except (WasmError, core_bundle.BundleError, OSError) as why:
        print(f"make_wasm.py: {why}", file=sys.stderr)
        return 1
    for path in made:
        print(f"{path.stat().st_size} {path}")
    if given.stamp:
        write_depfile(given.depfile, given.stamp)
        given.stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
