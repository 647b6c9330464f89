#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sdist.py tarball OUT | folder DIR - the source distribution of the Python package: baton_handoff-VERSION.tar.gz in the folder OUT, or its files in DIR.

core/ is the core bundle (tools/core_bundle.py). parts/ holds what the profile `check` has besides it or with other bytes, the merge lists and FILES, which
sdk/python/setup.py reads. The package that it builds answers like the wheel, without what needs a library that is not found. The bytes depend on the source and
SOURCE_DATE_EPOCH (without it: the time of the commit).
"""
import json
import pathlib
import re
import sys
import tempfile

import core_bundle
import make_tarball
import wheel
from core_files import core_files

SOURCE = core_bundle.SOURCE
SDK = SOURCE / "sdk/python"
# Folders of programs alone; the extension uses nothing of them.
LEFT_OUT = ("transcript/", "evidence/", "trace/", "shell/")
# Built for x86-64 alone, or made where the package is built.
NOT_LISTED = re.compile(r"json/index_sse2\.c|.*/token_\w+\.c")
# Which part a file belongs to, when the core profile does not have it; and what stands in its place.
NEEDS = [(re.compile(r"(yaml|skill|organism|sandbox)/.+|engine/judge_yaml\.c"), "yaml"), (re.compile(r"base/hash\.c|ledger/ed25519\.c"), "ed25519")]
INSTEAD = {"yaml/read_json.c": "!yaml", "skill/skill_absent.c": "!yaml", "organism/xsd_absent.c": "!yaml", "base/hash_portable.c": "!ed25519", "ledger/ed25519_host.c": "!ed25519"}
TABLE = re.compile(r"'(\w+_base)': '([0-9a-f]{64})'")


def check_profile():
    """The C files of the profile `check`, relative to src/, and what is generated for it."""
    with tempfile.TemporaryDirectory(prefix="baton-sdist-") as name:
        build = pathlib.Path(name).resolve() / "build"
        made = core_bundle.make_tables(build, "check", "-Dtests=false", "-Dpython=disabled")
        targets = json.loads(core_bundle.run("meson", "introspect", "--targets", build))
    listed = [path for target in targets if target["name"] in ("baton_inside", "rules") for part in target["target_sources"]
              for path in part.get("sources", []) + part.get("generated_sources", [])]
    paths = {str(pathlib.Path(path).relative_to(top)) for path in listed for top in (SOURCE / "src", build / "src") if pathlib.Path(path).is_relative_to(top)}
    return sorted(path for path in paths if path.endswith(".c") and not path.startswith(LEFT_OUT) and not NOT_LISTED.fullmatch(path)), made


def row_of(path, core):
    part = next((word for pattern, word in NEEDS if pattern.fullmatch(path)), None) if path not in core else None
    return f"src/{path} {part}\n" if part else f"src/{path}\n"


def part_files(bundle):
    """parts/: what the core bundle lacks, or has with other bytes."""
    compiled, made = check_profile()
    core = set(core_files(SOURCE / "src"))
    rows = [row_of(path, core) for path in compiled] + [f"src/{path} {word}\n" for path, word in INSTEAD.items()]
    files = core_bundle.with_headers(["src/" + path for path in compiled], made)
    found = {path: content for path, content in files.items() if bundle.get(path) != content}
    found["FILES"] = "".join(sorted(rows)).encode()
    found["TABLES"] = "".join(f"{name} {digest}\n" for name, digest in TABLE.findall((SOURCE / "src/token/meson.build").read_text())).encode()
    found["tools/make_token_tables.c"] = (SOURCE / "tools/make_token_tables.c").read_bytes()
    for path in (SOURCE / "src/token/data").glob("*.merges"):
        found[f"data/{path.name}"] = path.read_bytes()
    found["data/LICENSE"] = (SOURCE / "src/token/data/LICENSE").read_bytes()
    return found


def sdist_files():
    """The files of the distribution by their paths."""
    bundle = core_bundle.bundle_files()
    files = {f"core/{path}": content for path, content in bundle.items()}
    files.update({f"parts/{path}": content for path, content in part_files(bundle).items()})
    for path in sorted(SDK.rglob("*")):
        name = path.relative_to(SDK).as_posix()
        if path.suffix in (".py", ".pyi", ".toml", ".typed") and "__pycache__" not in path.parts:
            files[name] = path.read_bytes()
        elif path.parent.name == "core" and path.suffix in (".c", ".h") and not name.startswith("core/fyaml_streams"):
            files[name.replace("core/", "extension/")] = path.read_bytes()
    files["README.md"] = (SDK / "PACKAGE.md").read_bytes()
    files["LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    files["NOTICE"] = make_tarball.notice({}, "").encode()
    files["PKG-INFO"] = wheel.metadata().encode()
    return dict(sorted(files.items()))


def write_tarball(out, files):
    top = f"{wheel.name_of_distribution().replace('-', '_')}-{wheel.version_of_tree()}"
    members = [core_bundle.archive.Member(f"{top}/{name}", content=content) for name, content in files.items()]
    path = out / f"{top}.tar.gz"
    out.mkdir(parents=True, exist_ok=True)
    path.write_bytes(core_bundle.archive.gzip_bytes(core_bundle.archive.tar_bytes(members, make_tarball.source_epoch(SOURCE))))
    print(f"{path.stat().st_size} {path}")


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("tarball", "folder"):
        print("usage: sdist.py tarball OUT | folder DIR", file=sys.stderr)
        return 2
    try:
        files = sdist_files()
        if arguments[0] == "folder":
            core_bundle.write_folder(pathlib.Path(arguments[1]), files)
        else:
            write_tarball(pathlib.Path(arguments[1]), files)
    except (core_bundle.BundleError, core_bundle.CoreError, OSError) as why:
        print(f"sdist.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
