# SPDX-License-Identifier: Apache-2.0
"""test_package.py ROOT BUILD COMPILER... - what is installed can be used: command, manual, headers, libraries, Python package."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
COMPILER = sys.argv[3:]
sys.path.insert(0, str(ROOT / "tests/tree"))

import tap  # noqa: E402

EXAMPLE = ROOT / "examples/library/judge.c"
PAGE = (ROOT / "docs/library.md").read_text()
BAD = "examples/universal/loop.handoff.json"
GOOD = "examples/universal/planner-to-builder.handoff.json"
PLACE = pathlib.Path(tempfile.mkdtemp(prefix="baton-install-"))


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)


def good(result):
    if result.returncode != 0:
        raise AssertionError(f"{result.args}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def one(pattern):
    found = sorted(PLACE.rglob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{pattern}: {found}")
    return found[0]


def flags(*asked):
    """What pkg-config says, as if the package stood at the root."""
    env = {**os.environ, "PKG_CONFIG_PATH": str(one("baton.pc").parent), "PKG_CONFIG_SYSROOT_DIR": str(PLACE)}
    return good(run("pkg-config", *asked, "baton", env=env)).split()


def judge(program, path):
    library = str(one("libbaton.so").parent)
    return run(program, path, cwd=ROOT, env={**os.environ, "LD_LIBRARY_PATH": library})


@tap.claim
def the_command_runs_and_has_a_manual_page():
    equal(re.fullmatch(r"baton \d+\.\d+\.\d+\n", good(run(one("bin/baton"), "version"))) is not None, True)
    equal(one("baton.1").read_text().startswith(".TH "), True)


@tap.claim
def every_public_header_and_nothing_else_of_ours_is_there():
    equal(sorted(path.name for path in one("base.h").parent.iterdir()), sorted(path.name for path in (ROOT / "include/baton").iterdir()))


@tap.claim
def the_example_of_the_page_compiles_and_judges():
    program = PLACE / "judge"
    good(run(*COMPILER, "-std=c17", "-Wall", "-Wextra", "-Werror", EXAMPLE, "-o", program, *flags("--cflags", "--libs")))
    bad = judge(program, BAD)
    equal((bad.returncode, bad.stderr), (1, ""))
    equal(f"$ ./judge {BAD}\n{bad.stdout}" in PAGE, True)
    equal(judge(program, GOOD).returncode, 0)
    missing = judge(program, "none.json")
    equal((missing.returncode, missing.stdout), (2, ""))


@tap.claim
def the_example_of_one_call_compiles_as_c_and_cxx_and_answers():
    library = {**os.environ, "LD_LIBRARY_PATH": str(one("libbaton.so").parent)}
    for name, how in (("c17", [*COMPILER, "-std=c17"]), ("c++17", ["g++", "-x", "c++", "-std=c++17"])):
        program = PLACE / f"call-{name}"
        good(run(*how, "-Wall", "-Wextra", "-Werror", ROOT / "examples/library/call.c", "-o", program, *flags("--cflags", "--libs")))
        said = good(run(program, "countTokens", input='{"text":"Does this fit?"}', env=library))
        equal(f"./call countTokens\n{said}" in PAGE, True)
        equal(run(program, "getRule", input='{"code":"none"}', env=library).returncode, 1)
        equal(run(program, "--store", "none.db", "version", input="{}", env=library).returncode, 2)


@tap.claim
def every_public_function_has_a_manual_page():
    folder = one("libbaton.3").parent
    pages = {path.name for path in folder.iterdir()}
    for line in good(run("nm", "-D", "--defined-only", one("libbaton.so.0"))).splitlines():
        name = line.split()[-1].split("@")[0]
        if name.startswith("bt_"):
            equal((name, f"{name}.3" in pages), (name, True))
    leads = {(folder / name).read_text() for name in pages if name.startswith("bt_")}
    equal([text for text in sorted(leads) if not (folder.parent / text.split()[1]).is_file()], [])


@tap.claim
def the_page_shows_the_example_as_it_is():
    equal(EXAMPLE.read_text().split("*/\n", 2)[2] in PAGE, True)


@tap.claim
def the_static_library_needs_only_what_pkg_config_names():
    program = PLACE / "judge-static"
    rest = [flag for flag in flags("--libs", "--static") if flag != "-lbaton"]
    good(run(*COMPILER, EXAMPLE, "-o", program, *flags("--cflags"), one("libbaton.a"), *rest))
    equal("libbaton" in good(run("ldd", program)), False)
    equal(judge(program, BAD).returncode, 1)


@tap.claim
def handlers_can_be_tested_with_the_python_package():
    package = one("_model.py").parent
    equal(package.name, "baton")
    good(run(sys.executable, "-B", "-c", "import baton", env={**os.environ, "PYTHONPATH": str(package.parent)}))


try:
    good(run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", PLACE))
    CODE = tap.run()
finally:
    shutil.rmtree(PLACE)
sys.exit(CODE)
