# SPDX-License-Identifier: Apache-2.0
"""make.py - the order of a release: what must hold before it starts, builds, checks, description, sums, signature, records."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import archive
import artefact_tests
import builds
import compare
import contents
import keys as release_keys
import records
import secret_scan
import source
import verify
from run import TREE, Failure, Misuse, git, logged, output, say

sys.path.insert(0, str(TREE / "tools"))

import sbom  # noqa: E402

TOOLS = ["git", "ssh-keygen", "openssl", "dpkg-query"]
# Versions that decide about the bytes.
BUILT_WITH = ["gcc", "binutils", "libc6-dev", "meson", "ninja-build", "python3", "libssl-dev", "libfyaml-dev", "libsqlite3-dev", "libzstd-dev"]


OTHER_LOCALE = "de_DE.UTF-8"
# Artefacts that are tested in system roots.
NEED_ROOT = {"deb", "tarball", "wheel", "npm", "oci"}


class Options:
    def __init__(self, out, only, twice, key, ssh_key, test_keys, build, against):
        self.out, self.only, self.twice, self.key, self.ssh_key = pathlib.Path(out), only, twice, key, ssh_key
        self.test_keys, self.build, self.against = test_keys, build and pathlib.Path(build).resolve(), against


def check_start(options):
    """The commit to release. Misuse: it cannot start, and nothing was written."""
    unknown = sorted(set(options.only) - set(builds.names()))
    if unknown:
        raise Misuse(f"--only: {', '.join(unknown)} is not one of {' '.join(builds.names())}")
    if bool(options.key) != bool(options.ssh_key) or bool(options.key) == bool(options.test_keys):
        raise Misuse("give the keys of the release with --key FILE and --ssh-key FILE, or use --test-keys")
    if options.out.exists() and (not options.out.is_dir() or any(options.out.iterdir())):
        raise Misuse(f"--out {options.out} is not empty; nothing is overwritten")
    missing = [name for name in TOOLS if not shutil.which(name)]
    if missing:
        raise Misuse(f"missing programs: {', '.join(missing)} (script/bootstrap release installs them)")
    if subprocess.run(["git", "-C", str(TREE), "rev-parse", "--git-dir"], capture_output=True, check=False).returncode != 0:
        raise Misuse("a release is made from a Git repository")
    if git("status", "--porcelain"):
        raise Misuse("the tree is not clean; commit or remove what `git status` lists")
    commit, version = git("rev-parse", "HEAD"), source.version()
    if not options.test_keys and f"v{version}" not in git("tag", "--points-at", "HEAD").split("\n"):
        raise Misuse(f"HEAD has no tag v{version}; `script/release cut` makes one")
    if os.geteuid() != 0 and NEED_ROOT & set(options.only or builds.names()):
        raise Misuse(f"system roots are entered by root alone; run script/release as root, or make others than {', '.join(sorted(NEED_ROOT))} with --only")
    return commit


def prepare_build(options):
    """A build of the program, which prints the manual pages and keeps the ledger."""
    if options.build:
        if not (options.build / "app/cli/baton").is_file():
            raise Misuse(f"--build {options.build} has no program app/cli/baton")
        return options.build
    say("installing what the release needs, and building the program")
    folder, log = TREE / "build/release", TREE / "build/log/release.log"
    logged(log, [TREE / "script/bootstrap", "build", "sdk", "wasm", "npm", "release"], cwd=TREE)
    if not (folder / "build.ninja").is_file():
        logged(log, ["meson", "setup", folder, "--buildtype=release", "-Dtests=false", "-Dwerror=false"], cwd=TREE)
    logged(log, ["ninja", "-C", folder], cwd=TREE)
    return folder


def build_all(options, tarball, place):
    """The artefacts of one build, and what had to be skipped."""
    place.unpack(tarball)
    made, skipped = [], []
    for name, step in builds.STEPS.items():
        if not options.only or name in options.only:
            say(f"building {name}")
            artefacts, left_out = step(place)
            made += artefacts
            skipped += left_out
    return made, skipped


def make_locale(work):
    """A folder with the other locale, which a system rarely has; None without its source, which is in Debian's package locales."""
    folder = work / "locales"
    folder.mkdir()
    done = subprocess.run(["localedef", "-i", OTHER_LOCALE.partition(".")[0], "-f", "UTF-8", str(folder / OTHER_LOCALE)], capture_output=True, check=False)
    return folder if done.returncode == 0 else None


def build_twice(options, tarball, work, version, epoch):
    """Build in two places that differ in all that must not show, and compare."""
    first = builds.Place(work / "first", version, epoch)
    made = build_all(options, tarball, first)
    if options.twice:
        say("building everything again elsewhere, as another user, with another locale, umask, time zone, number of jobs, host name and kernel name")
        locales = make_locale(work)
        if not locales:
            say(f"the locale {OTHER_LOCALE} cannot be made here, so that messages of programs do not differ")
        second = builds.Place(work / "elsewhere/deeper/second", version, epoch, jobs=1, locale=OTHER_LOCALE, locales=locales, umask=0o002, zone="Pacific/Chatham",
                              other_user=True, other_machine=True)
        build_all(options, tarball, second)
        complaints = compare.compare(first.out, second.out)
        if complaints:
            raise Failure("not reproducible:\n" + "\n".join(complaints))
    return made


def check_artefacts(artefacts):
    """Surplus files and secrets."""
    complaints = []
    for artefact in artefacts:
        data = artefact.path.read_bytes()
        try:
            complaints += contents.check(artefact.kind, artefact.path.name, data)
            complaints += secret_scan.find(artefact.path.name, data)
        except archive.Unreadable as why:
            complaints.append(f"{artefact.path.name}: {why}")
    if complaints:
        raise Failure("these files must not be released:\n" + "\n".join(complaints))


def built_with():
    lines = output(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *BUILT_WITH]).decode().splitlines()
    return dict(line.split() for line in lines)


def describe(options, commit, epoch, artefacts, tested, skipped):
    """release.json. `reproducible` is null when it was built once only."""
    generation = TREE / "packaging/abi/GENERATION"
    listed = [{"file": artefact.path.name, "sha256": records.sha256(artefact.path), "size": artefact.path.stat().st_size, "kind": artefact.kind,
               "reproducible": True if options.twice else None} for artefact in sorted(artefacts, key=lambda artefact: artefact.path.name)]
    return json.dumps({"baton_release": 1, "version": source.version(), "commit": commit, "source_date_epoch": epoch,
                       "generation": int(generation.read_text()) if generation.is_file() else 0, "test_keys": options.test_keys,
                       "artefacts": listed, "tested": tested, "skipped": skipped, "built_with": built_with()}, indent=1) + "\n"


def make_files(options, build, commit, work):
    """Every file that SHA256SUMS will list, in a folder of their own."""
    version, epoch = source.version(), int(git("log", "-1", "--format=%ct", commit))
    stage = work / "stage"
    stage.mkdir()
    say(f"packing the source of {version}")
    tarball = source.make(build, commit, epoch, work)
    complaints = source.check(tarball, commit)
    if options.twice and source.make(build, commit, epoch, stage).read_bytes() != tarball.read_bytes():
        complaints.append(f"{tarball.name}: two runs differ")
    if complaints:
        raise Failure("\n".join(complaints))
    artefacts, skipped = build_twice(options, tarball, work, version, epoch)
    if not options.only or "source" in options.only:
        artefacts.append(builds.Artefact(tarball, "source"))
    for artefact in artefacts:
        artefact.path = pathlib.Path(shutil.copy(artefact.path, stage / artefact.path.name))
    say("checking the files")
    check_artefacts(artefacts)
    tested, left_out = artefact_tests.run_all(artefacts, work, version)
    bill = stage / f"baton-{version}.spdx.json"
    bill.write_text(sbom.make(version, epoch, TREE, [(artefact.kind, artefact.path) for artefact in artefacts]), encoding="ascii")
    (stage / "release.json").write_text(describe(options, commit, epoch, artefacts, tested, skipped + left_out))
    return stage, [*(artefact.path.name for artefact in artefacts), bill.name, "release.json"]


def print_table(told, folder):
    """Every artefact with its size, and where it was tested."""
    for row in told["artefacts"]:
        roots = [item["root"] for item in told["tested"] if item["file"] == row["file"]]
        print(f"{row['size']:>10}  {row['file']:<62} {'same bytes twice' if row['reproducible'] else 'built once':<17} {', '.join(roots)}")
    for name in sorted(path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".tlog-proof" and path.name not in {row["file"] for row in told["artefacts"]}):
        print(f"{(folder / name).stat().st_size:>10}  {name}")
    for reason in sorted({item["reason"] for item in told["skipped"]}):
        print(f"skipped: {reason}")


def make(options):
    commit = check_start(options)
    own = release_keys.own(options.key, options.ssh_key) if not options.test_keys else None
    build = prepare_build(options)
    baton, version = build / "app/cli/baton", source.version()
    with tempfile.TemporaryDirectory(prefix="baton-release-") as name:
        work = pathlib.Path(name)
        os.chmod(work, 0o755)
        secret = work / "keys"
        secret.mkdir(mode=0o700)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(git("log", "-1", "--format=%ct", commit))))
        keys = own or release_keys.test(baton, secret, now)
        records.check_new(baton, keys, version)
        stage, files = make_files(options, build, commit, work)
        options.out.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(stage / file, options.out / file)
        records.complete(baton, keys, options.out, files, version, options.against)
        complaints = verify.Check(baton, options.out).run()
        if complaints:
            (options.out / records.SUMS).unlink()
            raise Failure("the release does not verify:\n" + "\n".join(complaints))
        records.publish(keys, options.out)
        print_table(json.loads((options.out / "release.json").read_text(encoding="utf-8")), options.out)
    say(f"{len(files)} files of version {version} are in {options.out}")
