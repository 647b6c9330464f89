# SPDX-License-Identifier: Apache-2.0
"""setup.py - build the extension baton._core of the source distribution with a C17 compiler, and with OpenSSL and libfyaml where they are found.

core/ is the core bundle of Baton, parts/ what a build with files, tokens, signatures and YAML has besides, or in its place. Each line of parts/FILES is a file to
compile; one with a word behind it is compiled only when that part is there, or, with "!" before it, when it is not. BATON_WITHOUT=ed25519,yaml leaves parts out.
"""
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# The package that a part needs, its oldest version, a program that uses it, and how it is linked without pkg-config.
LIBRARIES = {
    "ed25519": ("libcrypto", "3.0", "#include <openssl/evp.h>\n#if OPENSSL_VERSION_NUMBER < 0x30000000L\n#error too old\n#endif\nint main(void) { return EVP_MD_CTX_new() == NULL; }\n", ["-lcrypto"]),
    "yaml": ("libfyaml", "0.7.12", "#include <stddef.h>\n#include <libfyaml.h>\nint main(void) { return fy_library_version() == NULL; }\n", ["-lfyaml"]),
}
# Assertions stay: a broken invariant must never become an acceptance.
COMPILE = ["-std=c17", "-UNDEBUG", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-strict-aliasing"]
MACROS = [("_POSIX_C_SOURCE", "200809L"), ("BT_PROFILE_CHECK", None), ("BT_SCALAR", None)]
INCLUDES = ["parts/src", "core/include", "core/src"]
TABLE_MAKER = ["parts/tools/make_token_tables.c", "src/token/make_table.c", "src/base/arena.c", "src/base/base64.c", "src/base/buf.c", "src/base/sha256.c"]


def find_source(path):
    return next((place for place in (f"parts/{path}", f"core/{path}") if os.path.exists(place)), path)


def pkg_config_flags(package, oldest):
    """Flags for the compiler and for the linker; None where pkg-config does not know the package in such a version."""
    program = os.environ.get("PKG_CONFIG", "pkg-config")
    try:
        return [shlex.split(subprocess.run([program, option, f"{package} >= {oldest}"], check=True, capture_output=True, text=True).stdout)
                for option in ("--cflags", "--libs")]
    except (OSError, subprocess.CalledProcessError):
        return None


class BuildCore(build_ext):
    def compile(self, sources, macros=(), flags=()):
        """The objects of C files, several at a time."""
        def compile_one(source):
            return self.compiler.compile([source], self.build_temp, [*MACROS, *macros], INCLUDES, extra_postargs=[*COMPILE, *flags])

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return [made for objects in pool.map(compile_one, sources) for made in objects]

    def find_library(self, part):
        """(compiler flags, linker flags) of the library of a part; None: it is not here."""
        package, oldest, program, link = LIBRARIES[part]
        if part in os.environ.get("BATON_WITHOUT", "").split(","):
            return None
        found = pkg_config_flags(package, oldest) or ([], link)
        source = pathlib.Path(self.build_temp, f"probe_{part}.c")  # its object lies below build_temp once more
        source.write_text(program)
        try:
            objects = self.compile([str(source)], flags=found[0])
            self.compiler.link_executable(objects, f"probe_{part}", self.build_temp, extra_postargs=found[1])
        except Exception as why:  # of distutils, whose classes have moved
            print(f"{package} {oldest} or later is not found, so that this build has no {part} ({why})", file=sys.stderr)
            return None
        return found

    def make_tables(self):
        """The sources of the token tables, made from the merge lists as this machine lays out numbers."""
        maker = self.compiler.executable_filename("make_token_tables", output_dir=self.build_temp)
        self.compiler.link_executable(self.compile(map(find_source, TABLE_MAKER)), "make_token_tables", self.build_temp)
        made = []
        for line in pathlib.Path("parts/TABLES").read_text().splitlines():
            name, digest = line.split()
            made.append(str(pathlib.Path(self.build_temp, f"token_{name}.c")))
            table = pathlib.Path(self.build_temp, f"token_{name}.bin").resolve()
            subprocess.run([os.path.abspath(maker), name, digest, f"parts/data/{name}.merges", table, made[-1]], check=True)
        return made

    def build_extension(self, extension):
        os.makedirs(self.build_temp, exist_ok=True)
        found = {part: self.find_library(part) for part in LIBRARIES}
        rows = [line.split() for line in pathlib.Path("parts/FILES").read_text().splitlines()]
        wanted = [row[0] for row in rows if len(row) == 1 or (found[row[1].lstrip("!")] is None) == row[1].startswith("!")]
        macros = [(f"BT_WITHOUT_{part.upper()}", None) for part, flags in found.items() if flags is None]
        flags = [flag for pair in found.values() if pair for flag in pair[0]]
        objects = self.compile([*map(find_source, wanted), *self.make_tables()], macros, flags)
        self.compiler.create_static_lib(objects, "baton_inside", self.build_temp)
        extension.extra_objects = [self.compiler.library_filename("baton_inside", output_dir=self.build_temp)]
        extension.extra_link_args = [*(["-Wl,-dead_strip", "-Wl,-exported_symbol,_PyInit__core"] if sys.platform == "darwin" else ["-Wl,--gc-sections", "-Wl,--exclude-libs,ALL"]),
                                     *(flag for pair in found.values() if pair for flag in pair[1])]
        super().build_extension(extension)


setup(license="Apache-2.0", cmdclass={"build_ext": BuildCore},
      ext_modules=[Extension("baton._core", sorted(map(str, pathlib.Path("extension").glob("*.c"))), include_dirs=["core/include"], py_limited_api=True,
                             define_macros=[("Py_LIMITED_API", "0x030b0000")], extra_compile_args=COMPILE)])
