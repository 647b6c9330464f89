# SPDX-License-Identifier: Apache-2.0
"""test_binary.py ROOT CC... - tools/check_binary.py takes a hardened program, and finds each thing that a release must not have."""
import pathlib
import subprocess
import sys
import tempfile

ROOT, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2:]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import check_binary  # noqa: E402
import tap  # noqa: E402

PLACE = tempfile.TemporaryDirectory(prefix="baton-binary-")
HARD = ["-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"]


def build(*flags):
    """A program that was linked with these flags last."""
    folder = pathlib.Path(PLACE.name)
    source, program = folder / "main.c", folder / "main"
    source.write_text("#include <stdio.h>\nint main(int count, char **words)\n{\n    return printf(\"%s\\n\", words[count - 1]) < 0;\n}\n")
    subprocess.run([*COMPILER, str(source), *HARD, *flags, "-o", str(program)], check=True, capture_output=True)
    return program


def expect(program, words):
    found = check_binary.check(program)
    if not any(words in complaint for complaint in found):
        raise AssertionError(f"expected {words!r}, got {found}")


@tap.claim
def a_hardened_program_passes():
    tap.expect_clean(check_binary.check(build()))


@tap.claim
def each_fault_is_found():
    for flags, words in ((["-Wl,--no-as-needed", "-lcrypto"], "needs libcrypto.so"),
                         (["-Wl,-z,lazy"], "RELRO is not full"),
                         (["-Wl,-z,norelro"], "has no RELRO"),
                         (["-Wl,-z,execstack"], "executable stack"),
                         (["-Wl,-rpath,/opt/lib"], "run path /opt/lib"),
                         (["-fno-pie", "-no-pie"], "not position independent"),
                         (["-static"], "not a program that is linked dynamically")):
        expect(build(*flags), words)


@tap.claim
def a_newer_libc_is_found():
    program = build()
    bytes_ = program.read_bytes()
    if b"GLIBC_2.34\0" not in bytes_:
        raise AssertionError("the compiler's libc has no GLIBC_2.34")
    program.write_bytes(bytes_.replace(b"GLIBC_2.34\0", b"GLIBC_2.38\0"))
    expect(program, "needs GLIBC_2.38, above GLIBC_2.34")


@tap.claim
def a_large_file_is_found():
    program = build()
    with program.open("ab") as file:
        file.truncate(check_binary.BYTES_MAX + 1)
    expect(program, "at most 20000000")


@tap.claim
def other_files_are_no_programs():
    expect(ROOT / "LICENSE", "not a program")


sys.exit(tap.run())
