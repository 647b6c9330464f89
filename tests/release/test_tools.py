# SPDX-License-Identifier: Apache-2.0
"""test_tools.py ROOT BUILD - archives, the search for secrets, contents of artefacts, two builds, the bill of materials; each with what it must find."""
import base64
import contextlib
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from place import BUILD, EPOCH, ROOT, commit, deb, equal, git, has_network_namespaces, holds, repository, tap

import archive
import artefact_tests
import builds
import compare
import contents
import make
import sbom
import secret_scan
import source
from run import Failure

KEY = "PRIVATE+KEY+{}+0a1b2c3d+" + base64.b64encode(bytes(range(33))).decode()
TOKEN = "bt_" + base64.urlsafe_b64encode(bytes(range(100, 132))).decode().rstrip("=")
PEM = "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + base64.b64encode(bytes(200)).decode() + "\n"


def tar(files, compress=lambda data: data):
    return compress(archive.tar_bytes([archive.Member(name, content=content) for name, content in files.items()], EPOCH))


@tap.claim
def a_tar_depends_on_its_content_alone():
    files = {"b/run": b"#!/bin/sh\n", "a": b"x", "c" * 150: b"long"}
    first = archive.tar_bytes([archive.Member("b/run", 0o700, files["b/run"]), archive.Member("a", 0o600, b"x"), archive.Member("c" * 150, content=b"long")], EPOCH)
    second = archive.tar_bytes([archive.Member("c" * 150, content=b"long"), archive.Member("a", 0o664, b"x"), archive.Member("b/run", 0o775, files["b/run"])], EPOCH)
    equal(first == second, True)
    with tarfile.open(fileobj=io.BytesIO(first)) as made:
        equal([(m.name, m.mode, m.mtime, m.uid, m.uname) for m in made][:2], [("a", 0o644, EPOCH, 0, ""), ("b/run", 0o755, EPOCH, 0, "")])
    equal(archive.gzip_bytes(first)[4:8], b"\0\0\0\0")
    equal({m.name: m.content for m in archive.read_tar(archive.xz_bytes(first))}, files)


@tap.claim
def damaged_archives_are_reported():
    good = tar({"a": b"x" * 5000}, archive.xz_bytes)
    for data in (b"", b"x" * 600, good[:-20], good[:40] + b"\0" * 8 + good[48:]):
        try:
            list(archive.read_tar(data))
        except archive.Unreadable:
            continue
        raise AssertionError(f"{len(data)} damaged bytes were read")
    for data in (b"!<arch>\nshort", b"PK"):
        try:
            list(archive.read_ar(data) if data.startswith(b"!") else archive.read_zip(data))
        except archive.Unreadable:
            continue
        if data.startswith(b"PK"):
            raise AssertionError("a damaged zip was read")


@tap.claim
def a_planted_secret_is_found_wherever_it_lies():
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("baton/x.py", f"token = '{TOKEN}'\n")
    deep = tar({"usr/share/x.gz": gzip.compress(KEY.format("baton/releases").encode())}, archive.gzip_bytes)
    for name, data, words in (("a.txt", KEY.format("baton/releases").encode(), "a.txt: a private key of a ledger"),
                              ("a.tar.xz", tar({"x/id": PEM.encode()}, archive.xz_bytes), "a.tar.xz!x/id: a private key"),
                              ("a.whl", wheel.getvalue(), "a.whl!baton/x.py: an access token"),
                              ("a.tar", tar({"layer": deep}), "a.tar!layer!usr/share/x.gz!content: a private key of a ledger")):
        tap.expect_complaint(list(secret_scan.find(name, data)), words)
    library = {"usr/lib/libgnutls.so.30": PEM.encode()}
    equal(list(secret_scan.find("a.tar", tar({"layer": tar({**library, "etc/passwd": b""}, archive.gzip_bytes)}))), [])
    equal(len(list(secret_scan.find("a.tar", tar({"layer": tar(library, archive.gzip_bytes)})))), 1)
    harmless = [KEY.format("ledger.example/team"), "PRIVATE+KEY+", "bt_" + "a" * 43, "bt_entry_optional_bool_and_many_more_words_x", "-----BEGIN PRIVATE KEY-----\n..."]
    for text in harmless:
        equal(list(secret_scan.find("a", text.encode())), [])


@tap.claim
def a_surplus_file_in_an_artefact_is_found():
    top = "baton-core-0.1.0/"
    files = {top + "FILES": b"", top + "src/base/a.c": b"", top + "LICENSE": b""}
    equal(contents.check("core", "baton-core-0.1.0.tar.xz", tar(files, archive.xz_bytes)), [])
    for surplus in (top + "src/base/.a.c.swp", top + "run.sh", "other/FILES", top + "src/../../x.c", "/etc/x.c"):
        found = contents.check("core", "baton-core-0.1.0.tar.xz", tar({**files, surplus: b""}, archive.xz_bytes))
        equal(len(found) >= 1, True)
    tap.expect_complaint(contents.check("core", "baton-core-0.1.0.tar.xz", tar({top + "FILES": b""}, archive.xz_bytes)), "nothing is there like")


@tap.claim
def a_module_that_is_larger_than_promised_is_found():
    def complaints(name, content):
        return list(contents.check_sizes("baton-handoff-0.1.0.tgz", [archive.Member(name, content=content)]))

    random = bytes(range(256)) * 2000 + os.urandom(360_001)
    equal(complaints("package/baton.wasm", bytes(1_150_000)), [])
    tap.expect_complaint(complaints("package/baton.wasm", bytes(1_150_001)), "package/baton.wasm has 1150001 bytes")
    tap.expect_complaint(complaints("package/baton.wasm", random), "at most 1150000 and 360000 are allowed")
    equal(complaints("package/other.wasm", bytes(2_000_000)), [])


@tap.claim
def a_source_tarball_has_the_files_of_the_commit():
    files = {"a.c": "int a;\n", "run": "#!/bin/sh\n", "d/e": "x\n"}
    folder, tree = repository(files)
    with folder:
        (tree / "run").chmod(0o755)
        (tree / "link").symlink_to("a.c")
        commit(tree)
        head = git(tree, "rev-parse", "HEAD").strip()
        members = [*source.committed(head, tree), archive.Member("generated/commit", content=head.encode())]
        path = pathlib.Path(folder.name) / "baton-0.1.0.tar.xz"

        def complaints(kept):
            path.write_bytes(archive.xz_bytes(archive.tar_bytes([archive.Member("baton-0.1.0/" + m.name, m.mode, m.content, m.target) for m in kept], EPOCH)))
            return source.check(path, head, tree)
        equal(complaints(members), [])
        tap.expect_complaint(complaints([*members, archive.Member("surplus", content=b"")]), "surplus is not in the commit")
        tap.expect_complaint(complaints([m for m in members if m.name != "d/e"]), "d/e is missing")
        tap.expect_complaint(complaints([archive.Member(m.name, 0o644, m.content, m.target) for m in members]), "run has another mode")


@tap.claim
def a_build_with_an_embedded_time_is_found():
    with tempfile.TemporaryDirectory(prefix="baton-twice-") as name:
        first, second = pathlib.Path(name, "a"), pathlib.Path(name, "b")
        for folder, now in ((first, 1), (second, 2)):
            folder.mkdir()
            (folder / "same").write_bytes(tar({"x": b"same"}))
            (folder / "dated").write_text(f"built {time.ctime(now)}\n")
        (second / "extra").touch()
        told = []
        equal(compare.compare(first, second, told.append), ["extra: made by one build only", "dated: two builds of the same source differ"])
        holds("built" if "install" not in told[0] else "diffoscope", told[0])
        (second / "extra").unlink()
        (second / "dated").write_bytes((first / "dated").read_bytes())
        equal(compare.compare(first, second, told.append), [])


def built_twice(command, has_locale=False):
    """Build a sample by a shell command in two places; the complaint, or None. Making the other locale takes a second, so most do without."""
    def step(place):
        place.run("sample", "sh", "-c", command, "sample", place.out / "sample")
        return [builds.Artefact(place.out / "sample", "sample")], []
    steps, said, explain, make_locale = dict(builds.STEPS), make.say, compare.explain, make.make_locale
    builds.STEPS.clear()
    builds.STEPS["sample"] = step
    make.say, compare.explain = lambda words: None, lambda first, second: ""
    make.make_locale = make_locale if has_locale else lambda work: None
    try:
        with tempfile.TemporaryDirectory(prefix="baton-twice-") as name:
            work = pathlib.Path(name)
            work.chmod(0o755)
            tarball = work / "baton-0.1.0.tar.xz"
            tarball.write_bytes(tar({"baton-0.1.0/x.c": b"int x;\n"}, archive.xz_bytes))
            with contextlib.redirect_stdout(io.StringIO()):
                make.build_twice(make.Options("dist", [], True, None, None, True, None, []), tarball, work, "0.1.0", EPOCH)
    except Failure as why:
        return str(why)
    finally:
        builds.STEPS.clear()
        builds.STEPS.update(steps)
        make.say, compare.explain, make.make_locale = said, explain, make_locale
    return None


@tap.claim
def two_builds_differ_in_all_that_must_not_show():
    if not has_network_namespaces():
        raise tap.Skip("no network namespaces here")
    equal(built_twice('cat x.c >"$1"; date -u -d "@$SOURCE_DATE_EPOCH" >>"$1"'), None)
    for command in ('date +%N >"$1"', 'pwd >"$1"', 'umask >"$1"', 'echo "$LC_ALL" >"$1"', 'echo "$TZ" >"$1"', 'echo "$HOME" >"$1"',
                    'uname -r >"$1"', *(['id -u >"$1"', 'uname -n >"$1"'] if os.geteuid() == 0 else [])):
        holds("sample: two builds of the same source differ", built_twice(command) or f"unnoticed: {command}")
    if pathlib.Path("/usr/share/i18n/locales/de_DE").is_file():
        holds("sample: two builds of the same source differ", built_twice('locale decimal_point >"$1"', has_locale=True) or "unnoticed: the locale")
    holds("failed with exit", built_twice("exit 3") or "unnoticed")


@tap.claim
def a_packaged_library_with_other_symbols_is_found():
    with tempfile.TemporaryDirectory(prefix="baton-abi-") as name:
        work = pathlib.Path(name)
        (work / "empty.c").write_text("int bt_other(void) { return 0; }\n")
        subprocess.run(["strip", "-o", work / "same.so", next((BUILD / "src").glob("libbaton.so.*.*"))], check=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", work / "other.so", work / "empty.c"], check=True)
        for library, wanted in (("same.so", ""), ("other.so", "Removed")):
            package = work / "libbaton0_0.1.0-1_amd64.deb"
            package.write_bytes(deb({"./usr/lib/x86_64-linux-gnu/libbaton.so.0.1.0": (work / library).read_bytes()}))
            try:
                artefact_tests.test_abi(package, work)
                equal(wanted, "")
            except Failure as why:
                holds(wanted or "no failure", str(why))


@tap.claim
def old_code_in_a_program_is_found():
    told = {"static": True, "libraries": {"openssl": "3.0.19", "zstd": "1.5.4"}}
    equal(artefact_tests.check_libraries(told, {"openssl": "3.0.19-1~deb12u2", "zstd": "1:1.5.4+dfsg2-5"}), [])
    tap.expect_complaint(artefact_tests.check_libraries(told, {"openssl": "3.0.20-1~deb12u1"}), "openssl 3.0.19 is linked in, and 3.0.20-1~deb12u1 is installed")
    tap.expect_complaint(artefact_tests.check_libraries(told, {"sqlite": "3.40.1-2"}), "sqlite None")
    tap.expect_complaint(artefact_tests.check_libraries({**told, "static": False}, {}), "not linked in")


def bill(artefacts):
    with tempfile.TemporaryDirectory(prefix="baton-sbom-") as name:
        paths = []
        for (kind, file), data in artefacts.items():
            path = pathlib.Path(name) / file
            path.write_bytes(data)
            paths.append((kind, path))
        text = sbom.make("0.1.0", EPOCH, ROOT, paths)
        equal(sbom.make("0.1.0", EPOCH, ROOT, paths[::-1]), text)
        return json.loads(text)


@tap.claim
def the_bill_of_materials_names_everything_and_refers_to_nothing_else():
    packed = tar({"baton-0.1.0/bin/baton": b"program", "baton-0.1.0/LICENSE": b"words"}, archive.xz_bytes)
    told = bill({("source", "baton-0.1.0.tar.xz"): tar({"baton-0.1.0/a.c": b"int a;\n"}, archive.xz_bytes), ("tarball", "baton-0.1.0-linux-x64.tar.xz"): packed})
    equal((told["spdxVersion"], told["dataLicense"], told["creationInfo"]["created"]), ("SPDX-2.3", "CC0-1.0", "2026-02-02T02:40:00Z"))
    elements = ["SPDXRef-DOCUMENT", *(row["SPDXID"] for row in told["packages"] + told["files"])]
    equal(len(set(elements)), len(elements))
    named = {end for row in told["relationships"] for end in (row["spdxElementId"], row["relatedSpdxElement"])}
    equal(named - set(elements), set())
    equal(set(elements) - named, set())
    names = {row["SPDXID"]: row["name"] for row in told["packages"]}
    linked = {(names[row["spdxElementId"]], names[row["relatedSpdxElement"]]) for row in told["relationships"] if row["relationshipType"] == "STATIC_LINK"}
    equal(linked, {("baton-0.1.0-linux-x64.tar.xz", name) for name in ("openssl", "libfyaml", "sqlite", "zstd", "wasi-libc", "compiler-rt")})
    made = [(names[row["spdxElementId"]], names[row["relatedSpdxElement"]]) for row in told["relationships"] if row["relationshipType"] == "GENERATED_FROM"]
    equal(made, [("baton-0.1.0-linux-x64.tar.xz", "baton-0.1.0.tar.xz")])
    equal({row["name"] for row in told["packages"] if row["SPDXID"].startswith("SPDXRef-Console")}, {"@dagrejs/dagre", "@dagrejs/graphlib", "preact", "uplot"})
    equal(sorted(row["fileName"] for row in told["files"]), ["./baton-0.1.0/LICENSE", "./baton-0.1.0/a.c", "./baton-0.1.0/bin/baton"])
    for row in json.loads((ROOT / "packaging/sbom.json").read_text())["data"]:
        for file in row["files"]:
            equal((file, (ROOT / file).is_file()), (file, True))


sys.exit(tap.run())
