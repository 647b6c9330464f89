# SPDX-License-Identifier: Apache-2.0
"""artefact_tests.py - what users do with each artefact: install it in a system root, run it, remove it. A failure ends the release."""
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile

import archive
import image_test
import roots
from run import TREE, Failure, output, say

sys.path.insert(0, str(TREE / "tools"))

import describe_abi  # noqa: E402
import sbom  # noqa: E402

NOBODY = 65534
TOOLCHAIN = ["gcc", "libc6-dev", "pkg-config", "python3"]
# Python and Node are older there than the packages want.
TOO_OLD = {"ubuntu-22.04"}
NPM_KINDS = ("npm", "npm-wasm", "npm-program")
KINDS_IN_ROOTS = {"deb", "tarball", "wheel", "sdist", *NPM_KINDS}
# What building the Python package from source needs, and what it uses when it is there.
PYTHON_BUILD = ["gcc", "libc6-dev", "python3-dev", "python3-venv", "python3-setuptools-whl", "python3-wheel-whl"]
PYTHON_LIBRARIES = ["libssl-dev", "libfyaml-dev", "pkg-config"]
# Libraries as the program names them, and the packages that they are linked from.
LINKED = {"openssl": "libssl-dev", "sqlite": "libsqlite3-dev", "zstd": "libzstd-dev", "fyaml": "libfyaml-dev"}
# What a purged package may leave: the records of the operator, and the state of the package manager.
LEFT = re.compile(r"var/lib/baton(/.*)?|var/(lib/(dpkg|apt)|cache|log)/.*")
EXAMPLE = "new universal --source planner --target builder --summary Build.it --stdout"


APT = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "--no-install-recommends"]


def install(root, *packages):
    """Install packages of the system, or files in the root; everything else is done without a network."""
    roots.expect(root, [*APT, "install", *packages], network=True)


TUTORIAL = "docs/tutorials/your-first-handoff.md"
PYTHON_PAGE = "docs/how-to/use-from-python.md"


def follow_page(root, page, program, before=None, **env):
    """Run the commands of a page, or what it has before a line, in a root; `program` is the path of baton there."""
    sys.path.insert(0, str(TREE / "tests/docs"))
    import page_runner  # of the tests, which a source without them does not have
    text = (TREE / page).read_text(encoding="utf-8")
    try:
        page_runner.run_page(text.partition(before)[0] if before else text, pathlib.Path(program), TREE, env, root)
    except page_runner.PageError as why:
        raise Failure(f"in {root.name}: {page}: {why}") from why


def paths_of(artefacts, kind):
    return [artefact.path for artefact in artefacts if artefact.kind == kind]


# ---- Debian packages ----

def check_enabled(root):
    """No unit is enabled by an installation."""
    found = [str(path) for path in (root / "etc/systemd/system").rglob("baton*")] if (root / "etc/systemd/system").is_dir() else []
    if found:
        raise Failure(f"the packages enabled {', '.join(found)}")


def check_removed(root, debs):
    """Nothing of the packages is left but what an operator made."""
    installed = {member.name.rstrip("/") for path in debs for member in archive.deb_part(path.read_bytes(), "data") if not member.is_folder()}
    left = sorted(name for name in roots.listing(root) if (name in installed or "baton" in name.split("/")[-1]) and not LEFT.fullmatch(name))
    left = [name for name in left if not name.startswith("debs/")]
    if left:
        raise Failure(f"purging left {', '.join(left[:10])}")


def test_debs(root, system, debs):
    """Install, use, remove and purge."""
    shutil.copytree(debs[0].parent, root / "debs", ignore=lambda _, names: [name for name in names if name not in {path.name for path in debs}])
    words = [f"/debs/{path.name}" for path in debs if system not in TOO_OLD or not path.name.startswith("python3-")]
    names = [path.name.split("_")[0] for path in debs if f"/debs/{path.name}" in words]
    install(root, *TOOLCHAIN, *words)
    check_enabled(root)
    check_module(root / "usr/bin/baton")
    shell = ["sh", "-ec", f"cd /tmp; baton {EXAMPLE} >a.json; baton check a.json; baton version -f json"]
    roots.expect(root, shell, user=NOBODY)
    example = "cd /tmp; cp -r /usr/share/doc/libbaton-dev/examples e; find e -name '*.gz' -exec gunzip {} +; for f in $(find e -name '*.c' | sort | head -n 1); do gcc -o x $f $(pkg-config --cflags --libs baton); ldd x; done; test -x x"
    roots.expect(root, ["sh", "-ec", example])
    follow_page(root, TUTORIAL, "/usr/bin/baton")
    if system not in TOO_OLD:
        follow_page(root, PYTHON_PAGE, "/usr/bin/baton")
    roots.expect(root, ["sh", "-c", "mkdir -p /var/lib/baton && echo kept >/var/lib/baton/record"])
    roots.expect(root, ["env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--remove", *names])
    roots.expect(root, ["env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--purge", *names])
    if (root / "var/lib/baton/record").read_text() != "kept\n":
        raise Failure("purging changed /var/lib/baton")
    check_removed(root, debs)
    roots.expect(root, [*APT, "autoremove"])  # what the packages brought along; the source distribution must not find it


def test_abi(path, work):
    """The symbols of the packaged library, with their versions, are those of the committed description; install/abi compares types, which a stripped file lacks."""
    library = work / "libbaton.so"
    library.write_bytes(next(member.content for member in archive.deb_part(path.read_bytes(), "data") if re.search(r"/libbaton\.so\.[0-9]+\.[0-9.]+$", member.name)))
    status, told = describe_abi.compare(library)
    if status:
        raise Failure(f"{path.name}: abidiff ended with exit {status}:\n{told[:2000]}")


# ---- The archive ----

def check_module(program):
    """The playground of an installed program judges in the browser."""
    if b"/assets/baton.wasm" not in program.read_bytes():
        raise Failure(f"{program}: it has no WebAssembly module")


def test_archive(root, path):
    """Runs with nothing installed, from a folder with spaces in its name, as an unprivileged user, with and without libpq."""
    folder = root / "opt/a folder"
    folder.mkdir(parents=True)
    with tarfile.open(path) as tar:
        tar.extractall(folder, filter="tar") if hasattr(tarfile, "tar_filter") else tar.extractall(folder)
    program = f"/opt/a folder/{os.listdir(folder)[0]}/bin/baton"
    check_module(root / program.lstrip("/"))
    roots.expect(root, ["sh", "-ec", f'cd /tmp; "$0" {EXAMPLE} >a.json; "$0" check a.json; "$0" ledger init --origin root.example/test --store s.db; "$0" ledger append --store s.db a.json --no-refs', program],
                 user=NOBODY)
    follow_page(root, TUTORIAL, program)
    code, told = roots.run(root, [program, "store", "info", "--store", "postgresql://127.0.0.1:9/none"], user=NOBODY)
    if code != 2 or "libpq" not in told:
        raise Failure(f"without libpq5 a PostgreSQL store must be refused with that reason: exit {code}: {told}")
    install(root, "libpq5")
    code, told = roots.run(root, [program, "store", "info", "--store", "postgresql://127.0.0.1:9/none"], user=NOBODY)
    if code != 2 or "libpq" in told:
        raise Failure(f"with libpq5 it must be used: exit {code}: {told}")
    shutil.rmtree(folder)  # what is found later was left by a package


def test_wheel(root, path):
    shutil.copy(path, root / "opt" / path.name)
    install(root, "python3-venv")
    roots.expect(root, ["sh", "-ec", f"python3 -m venv /opt/wheel; /opt/wheel/bin/pip install --no-index /opt/{path.name}; /opt/wheel/bin/pip check"])
    follow_page(root, PYTHON_PAGE, "/nonexistent", "## With a server", PATH="/opt/wheel/bin:/usr/sbin:/usr/bin:/sbin:/bin")


# Prints the parts that can be missing from a build of the source.
PRINT_PARTS = """
import baton
def has(call):
    try:
        call()
    except baton.Problem as why:
        if why.code != "NOT_IMPLEMENTED":
            raise
        return False
    return True
assert baton.check(b"{}", "universal").verdict == "rejected" and baton.tokens.count("a b") == 2
print("parts:", has(lambda: baton.check(b"organism: {}", "organism")), has(lambda: baton.verify_receipt("x", ["VKEY"])))
"""
VKEY = "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"


def test_sdist(root, path):
    """Built offline in a fresh environment: first with a compiler alone, then with OpenSSL and libfyaml."""
    shutil.copy(path, root / "opt" / path.name)
    build = (f"rm -rf /opt/sdist; python3 -m venv /opt/sdist; cd /opt/sdist/bin; ./pip install --no-index --find-links /usr/share/python-wheels /opt/{path.name}; "
             f"./pip check; ./python -c '{PRINT_PARTS.replace('VKEY', VKEY)}'")
    for packages, parts in ((PYTHON_BUILD, "parts: False False"), (PYTHON_LIBRARIES, "parts: True True")):
        install(root, *packages)
        told = roots.expect(root, ["sh", "-ec", build])
        if parts not in told.splitlines():
            raise Failure(f"{path.name} has other parts than {parts}: {told[-1000:]}")
    follow_page(root, PYTHON_PAGE, "/nonexistent", "## With a server", PATH="/opt/sdist/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def test_npm_in_root(root, installed):
    """What npm installed outside of the root, with the Node of the system."""
    install(root, "nodejs")
    shutil.copytree(installed, root / "opt/npm", symlinks=True)
    roots.expect(root, ["sh", "-ec", "cd /opt/npm; exec node api.mjs"])
    follow_page(root, TUTORIAL, "/opt/npm/node_modules/.bin/baton")


def test_in_root(system, root, artefacts, tested, work):
    """Every artefact that a system uses, in a root of it."""
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    roots.expect(root, [*APT, "update"], network=True)
    for path in paths_of(artefacts, "tarball"):
        test_archive(root, path)
        tested.append({"file": path.name, "root": system, "result": "passed"})
    debs = paths_of(artefacts, "deb")
    if debs:
        test_debs(root, system, debs)
        tested.extend({"file": path.name, "root": system, "result": "passed"} for path in debs if system not in TOO_OLD or not path.name.startswith("python3-"))
    for path in paths_of(artefacts, "wheel") if system not in TOO_OLD else []:
        test_wheel(root, path)
        tested.append({"file": path.name, "root": system, "result": "passed"})
    for path in paths_of(artefacts, "sdist") if system not in TOO_OLD else []:
        test_sdist(root, path)
        tested.append({"file": path.name, "root": system, "result": "passed"})
    packages = [path for kind in NPM_KINDS for path in paths_of(artefacts, kind)]
    if packages and system not in TOO_OLD:
        test_npm_in_root(root, work / "npm-use")
        tested.extend({"file": path.name, "root": system, "result": "passed"} for path in packages)


# ---- What needs no root ----

def upstream(version):
    """A version of Debian without what Debian added."""
    return re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", version)[1]


def check_libraries(told, installed):
    """The program holds the versions that the bill of materials names. Complaints."""
    complaints = [] if told["static"] else ["the libraries are not linked in"]
    for name, version in installed.items():
        if told["libraries"].get(name) != upstream(version):
            complaints.append(f"{name} {told['libraries'].get(name)} is linked in, and {version} is installed")
    return complaints


def test_libraries(path, version, work):
    """What `version -f json` of the archive's program prints is what the bill of materials says, and the commit is known."""
    program = work / "program"
    program.write_bytes(next(member.content for member in archive.read_tar(path.read_bytes()) if member.name.endswith("/bin/baton")))
    program.chmod(0o755)
    told = json.loads(output([program, "version", "-f", "json"]))
    installed = {name: sbom.installed(package)[0] for name, package in LINKED.items()}
    complaints = check_libraries(told, installed)
    if told["version"] != version or not told["commit"]:
        complaints.append(f"the program is version {told['version']}, commit {told['commit']}")
    if complaints:
        raise Failure(f"{path.name}: " + "; ".join(complaints))


def test_npm(paths, version, work):
    """Install the packages offline in an empty folder; run the program, the API as an ES module and by require, and the types."""
    folder = work / "npm-use"
    folder.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "npm_config_offline": "true", "npm_config_audit": "false", "npm_config_update_notifier": "false"}
    output(["npm", "install", "--ignore-scripts", "--no-fund", *paths], cwd=folder, env=env)
    told = output(["npx", "--no-install", "baton", "version"], cwd=folder, env=env).decode()
    if told != f"baton {version}\n":
        raise Failure(f"npx baton version printed {told!r}")
    shutil.copy(TREE / "tests/wasm/api.mjs", folder)
    output(["node", "api.mjs"], cwd=folder, env=env)
    output(["node", "-e", "require('baton-handoff').load().then((baton) => { if (baton.countTokens('a b') !== 2) process.exit(1); })"], cwd=folder, env=env)
    (folder / "package.json").write_text('{"name": "empty", "version": "1.0.0", "private": true, "type": "module"}\n')
    sys.path.insert(0, str(TREE / "tests/wasm"))
    import test_node  # it needs TypeScript, which only these packages do
    holds, refuses, told = test_node.check_types(folder, ["--module", "node16", "--moduleResolution", "node16"])
    if not holds or not refuses:
        raise Failure(f"tsc --strict: {told[-2000:] or 'a wrong use passes'}")


def test_deploy(path, artefacts, work):
    """The formula parses, and names the source tarball of this release."""
    with tarfile.open(path) as tar:
        tar.extractall(work / "deploy", filter="tar") if hasattr(tarfile, "tar_filter") else tar.extractall(work / "deploy")
    formula = next((work / "deploy").rglob("baton.rb"))
    output(["ruby", "-c", formula])
    digests = [digest for digest in re.findall(r'sha256 "([0-9a-f]{64})"', formula.read_text()) if digest != "0" * 64]
    sources = [output(["sha256sum", source]).decode().split()[0] for source in paths_of(artefacts, "source")]
    if len(digests) != 1 or (sources and digests != sources):
        raise Failure("the digest of the formula is not that of the source tarball")


def test_outside(artefacts, version, work, tested):
    for path in paths_of(artefacts, "deb"):
        if path.name.startswith("libbaton0_"):
            test_abi(path, work)
    for path in paths_of(artefacts, "tarball"):
        test_libraries(path, version, work)
    for path in paths_of(artefacts, "wheel"):
        output(["python3", "-B", TREE / "tools/wheel.py", "check", path])
    for path in paths_of(artefacts, "oci"):
        output(["python3", "-B", TREE / "tools/oci.py", "check", path])
        place = work / "image"
        place.mkdir()
        image_test.run_all(path, version, place)
        tested.append({"file": path.name, "root": "image", "result": "passed"})
    for path in paths_of(artefacts, "deploy"):
        test_deploy(path, artefacts, work)
        tested.append({"file": path.name, "root": "none", "result": "passed"})
    packages = [path for kind in NPM_KINDS for path in paths_of(artefacts, kind)]
    if packages:
        test_npm(packages, version, work)
        tested.extend({"file": path.name, "root": "none", "result": "passed"} for path in packages)


def run_all(artefacts, work, version):
    """What was tested where, and what was skipped. Failure: a test failed, or a root that must be there cannot be had."""
    tested, skipped = [], []
    kinds = {artefact.kind for artefact in artefacts}
    test_outside(artefacts, version, work, tested)
    for system, (_, may_miss) in roots.SYSTEMS.items() if kinds & KINDS_IN_ROOTS else []:
        say(f"testing in {system}")
        try:
            with roots.made(system, work) as root:
                test_in_root(system, root, artefacts, tested, work)
        except roots.NoRoot as why:
            if not may_miss:
                raise Failure(str(why)) from why
            skipped += [{"file": artefact.path.name, "reason": str(why)} for artefact in artefacts if artefact.kind in KINDS_IN_ROOTS]
    if "deb" in kinds:
        skipped += [{"file": path.name, "reason": "no earlier release to upgrade from"} for path in paths_of(artefacts, "deb")]
    return tested, skipped
