# SPDX-License-Identifier: Apache-2.0
"""test_debian.py ROOT BATON - the files of packaging/debian can be read, agree with the tree, and do only what the manual says.

tools/make_deb.py builds the packages; script/release tries them in roots.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, BATON = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
DEBIAN = ROOT / "packaging/debian"
sys.path[:0] = [str(ROOT / "tests/tree"), str(ROOT / "tools")]

import make_tarball  # noqa: E402
import tap  # noqa: E402


def read(name):
    return (DEBIAN / name).read_text(encoding="utf-8")


def paragraphs(text):
    """The fields of each paragraph; lines that begin with a blank go on with the last field."""
    out = []
    for part in re.split(r"\n\s*\n", text.strip()):
        fields = {}
        for line in part.splitlines():
            if line[0] in " \t":
                fields[name] += "\n" + line
            else:
                name, colon, value = line.partition(":")
                if not colon or not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name) or name in fields:
                    raise AssertionError(f"not a field: {line!r}")
                fields[name] = value.strip()
        out.append(fields)
    return out


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


@tap.claim
def control_names_the_packages():
    source, *packages = paragraphs(read("control"))
    equal(source["Rules-Requires-Root"], "no")
    equal("debhelper-compat (= 13)" in source["Build-Depends"], True)
    equal([package["Package"] for package in packages], ["libbaton0", "libbaton-dev", "baton", "python3-baton"])
    for package in packages:
        summary, *lines = package["Description"].splitlines()
        equal((len(summary) <= 80, all(len(line) <= 80 for line in lines)), (True, True))
    baton = packages[2]
    equal((baton["Recommends"], baton["Suggests"]), ("ca-certificates", "libpq5, python3 (>= 3.9)"))
    equal("libbaton0 (= ${binary:Version})" in packages[1]["Depends"], True)


@tap.claim
def every_program_has_the_module_of_the_playground():
    needed = paragraphs(read("control"))[0]["Build-Depends"]
    equal([name for name in ("binaryen", "clang", "libclang-rt-14-dev-wasm32", "lld", "wasi-libc") if not re.search(rf"\b{name}\b", needed)], [])
    for name in ("packaging/debian/rules", "tools/make_tarball.py"):  # the image and the npm package have the program of the archive
        equal((name, "-Dplayground=enabled" in (ROOT / name).read_text()), (name, True))


@tap.claim
def the_archive_is_built_without_libraries():
    with tempfile.TemporaryDirectory() as folder:
        command = ["meson", "setup", folder, ROOT, *make_tarball.OPTIONS, "-Dplayground=disabled"]
        subprocess.run(command, check=True, capture_output=True)
        targets = json.loads(subprocess.run(["meson", "introspect", "--targets", folder], check=True, capture_output=True).stdout)
    equal([target["name"] for target in targets if target["name"] == "libbaton.a"], [])


@tap.claim
def a_notice_names_libraries_and_data():
    told = make_tarball.notice({"SQLite": "libsqlite3-dev"}, "The program")
    equal([text for text in ("\nThe program contains", "\n  SQLite, from the source package version 3.", "Leon Sorokin", "License: Unicode-3.0") if text not in told], [])
    equal("these libraries" in make_tarball.notice({}, "The program"), False)


@tap.claim
def packages_want_no_newer_zstd_than_the_source():
    least = re.search(r"dependency\('libzstd', version: '>=([\d.]+)'", (ROOT / "meson.build").read_text())[1]
    lines = [line for line in read("shlibs.local").splitlines() if not line.startswith("#")]
    equal(lines, [f"libzstd 1 libzstd1 (>= {least}.0)"])


@tap.claim
def the_symbols_are_the_version_nodes_of_the_library():
    """The lines of debian/rules, run as make runs them, in a tree of two releases."""
    recipe = re.search(r"execute_before_dh_makeshlibs:\n((?:\t.*\n)+)", read("rules"))[1].replace("\\\n", "\n")
    files = {"src/libbaton.map": "/* BATON_9.9 { */\nBATON_0.1 {\nglobal:\n    bt_a;\n};\nBATON_0.2 {\nglobal:\n    bt_b;\nlocal: *;\n} BATON_0.1;\n", "debian/rules": ""}
    with tap.sample(files) as folder:
        subprocess.run(["sh", "-e", "-c", recipe], cwd=folder, check=True)
        equal((pathlib.Path(folder) / "debian/libbaton0.symbols").read_text(), "libbaton.so.0 libbaton0 #MINVER#\n (symver)BATON_0.1 0.1.0\n (symver)BATON_0.2 0.2.0\n")


@tap.claim
def pages_of_functions_are_in_the_package_for_developers():
    equal("usr/share/man/man3" in read("libbaton-dev.install").split(), True)
    equal("usr/share/man/man1" in read("baton.install"), True)


@tap.claim
def copyright_names_what_is_not_ours():
    head, *rest = paragraphs(read("copyright"))
    equal(head["Format"], "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
    named = " ".join(part["Files"] for part in rest if "Files" in part).split()
    for pattern in named:
        equal((pattern, any(True for _ in ROOT.glob(pattern)) or pattern == "*"), (pattern, True))
    for data in ("src/token/data/*.merges", "src/regex/unicode_data.inc", "console/bundle/*", "src/schema/metaschemas.jsonl"):
        equal((data, data in named), (data, True))
    texts = {part["License"].splitlines()[0] for part in rest if "Files" not in part}
    used = {word for part in rest if "Files" in part for word in part["License"].split(" and ")}
    equal(used - texts, set())


@tap.claim
def copyright_names_every_licence_and_every_holder():
    files = {name: part for part in paragraphs(read("copyright")) for name in part.get("Files", "").split()}
    for path in sorted(ROOT.glob("src/**/*.inc")):
        terms = re.search(r"SPDX-License-Identifier: (.*?)(?: \*/)?\n", path.read_text(encoding="utf-8"))[1].split(" AND ")
        part = files.get(str(path.relative_to(ROOT)), files["*"])
        equal((path.name, part["License"]), (path.name, terms[-1]))
    holders = re.findall(r"^Copyright \(c\) (.+)$", (ROOT / "console/bundle/LICENSES").read_text(encoding="utf-8"), re.M)
    equal([holder for holder in holders if holder not in files["console/bundle/*"]["Copyright"]], [])


@tap.claim
def scripts_start_enable_and_delete_nothing():
    scripts = sorted(path.name for path in DEBIAN.iterdir() if re.search(r"\.(pre|post)(inst|rm)$", path.name))
    equal(scripts, ["baton.postrm"])
    words = set(re.findall(r"^\s*([a-z_]+)", read("baton.postrm"), re.M))
    equal(words - {"set", "if", "echo", "fi"}, set())
    rules = read("rules")
    equal(rules.count("--no-enable --no-start"), 2)


@tap.claim
def at_most_three_overrides_each_with_its_reason():
    lines = [line for path in DEBIAN.rglob("*lintian-overrides") for line in path.read_text().splitlines() if line.strip()]
    overrides = [number for number, line in enumerate(lines) if not line.startswith("#")]
    equal(len(overrides) <= 3, True)
    for number in overrides:
        equal((lines[number], number > 0 and lines[number - 1].startswith("#")), (lines[number], True))


@tap.claim
def the_changelog_and_the_scripts_are_read_by_their_own_tools():
    equal(subprocess.run(["sh", "-n", DEBIAN / "baton.postrm"], check=False).returncode, 0)
    first = read("changelog").splitlines()[0]
    equal(re.fullmatch(r"baton \(\d+\.\d+\.\d+-0baton1\) unstable; urgency=medium", first) is not None, True)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([BATON, "config", "check", DEBIAN / "serve.yaml"], capture_output=True, text=True, env={"HOME": home, "PATH": "/usr/bin:/bin"}, check=False)
        equal((done.returncode, done.stdout + done.stderr if done.returncode else ""), (0, ""))
        bad = pathlib.Path(home) / "serve.yaml"
        bad.write_text(read("serve.yaml") + "stor: x\n")
        equal(subprocess.run([BATON, "serve", "--config", bad], capture_output=True, env={"HOME": home, "PATH": "/usr/bin:/bin"}, check=False).returncode, 2)


sys.exit(tap.run())
