# SPDX-License-Identifier: Apache-2.0
"""__main__.py - the command line of script/release. Exit 0 done, 1 a step failed or something was found, 2 nothing was done."""
import argparse
import datetime
import os
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True

import builds  # noqa: E402
import cut  # noqa: E402
import make  # noqa: E402
import source  # noqa: E402
import verify  # noqa: E402
from run import TREE, Failure, Misuse, output  # noqa: E402


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        print(f"release: {message}", file=sys.stderr)
        sys.exit(2)


def make_parser():
    parser = Parser(prog="script/release", description="Make a release in a folder. Commands: cut VERSION, verify DIR, core (see their --help).")
    parser.add_argument("--out", default="dist", metavar="DIR", help="a folder that is empty or does not exist (default: dist)")
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"some artefacts of: {' '.join(builds.names())}")
    parser.add_argument("--twice", action="store_true", help="build everything twice in different places and compare the bytes")
    parser.add_argument("--key", metavar="FILE", help="private key of the release ledger, whose store lies beside it")
    parser.add_argument("--ssh-key", metavar="FILE", help="private OpenSSH key that signs SHA256SUMS")
    parser.add_argument("--test-keys", action="store_true", help="use keys that anybody can compute and a new ledger; any clean commit will do")
    parser.add_argument("--against", action="append", default=[], metavar="CHECKPOINT", help="checkpoint of a published ledger/ that the ledger must extend")
    parser.add_argument("--build", metavar="DIR", help="use the program and tables of this build folder, and install nothing")
    return parser


def run_make(words):
    given = make_parser().parse_args(words)
    only = [name for name in given.only.split(",") if name]
    make.make(make.Options(given.out, only, given.twice, given.key, given.ssh_key, given.test_keys, given.build, given.against))
    return 0


def run_cut(words):
    parser = Parser(prog="script/release cut", description="Turn [Unreleased] of CHANGELOG.md into a release and print the changes.")
    parser.add_argument("version", metavar="VERSION")
    parser.add_argument("--date", default=datetime.datetime.now(datetime.timezone.utc).date().isoformat(), metavar="D", help="YYYY-MM-DD (default: today)")
    parser.add_argument("--commit", action="store_true", help="commit the changes and make the tag vVERSION")
    given = parser.parse_args(words)
    cut.cut(given.version, given.date, given.commit)
    return 0


def run_core(words):
    parser = Parser(prog="script/release core", description="Write the core bundle of the files of this tree, unsigned: baton-core-VERSION.tar.xz.")
    parser.add_argument("--out", default="dist", metavar="DIR", help="the folder to write to (default: dist)")
    given = parser.parse_args(words)
    if "core" not in builds.names():
        raise Misuse("this tree has no tools/core_bundle.py")
    pathlib.Path(given.out).mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(given.out).resolve() / f"baton-core-{source.version()}.tar.xz"
    output(["python3", "-B", TREE / "tools/core_bundle.py", "tarball", path], cwd=TREE)
    print(path)
    return 0


def find_program(given):
    """The program that checks receipts: the named one, one of this tree, or that of PATH."""
    built = [str(path) for path in (TREE / "build/release/app/cli/baton", TREE / "build/install/app/cli/baton", TREE / "build/run/app/cli/baton") if path.is_file()]
    program = given or next(iter(built), None) or shutil.which("baton")
    if not program or not os.access(program, os.X_OK):
        raise Misuse("there is no program to check receipts with; install Baton, or give it with --baton FILE")
    return pathlib.Path(program).resolve()


def run_verify(words):
    parser = Parser(prog="script/release verify", description="Check sums, signature and receipts of a folder of released files. Exit 0, 1 with findings, 2.")
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--against", action="append", default=[], metavar="CHECKPOINT", help="an older checkpoint that ledger/ must extend (repeatable)")
    parser.add_argument("--vkey", metavar="V", help="verifier key of the release ledger, or @FILE (default: release.vkey of DIR)")
    parser.add_argument("--allowed-signers", metavar="FILE", help="the signer's public key (default: allowed_signers of DIR)")
    parser.add_argument("--baton", metavar="FILE", help="the program to check receipts with")
    given = parser.parse_args(words)
    check = verify.Check(find_program(given.baton), given.folder, given.vkey, given.allowed_signers, given.against)
    complaints = check.run()
    for complaint in complaints:
        print(complaint)
    if complaints:
        return 1
    print(f"{len(check.sums)} files of version {check.version} are as they were released")
    if (check.folder / "TEST-KEYS").exists():
        print("note: they were signed and recorded with test keys, which anybody can compute")
    elif check.uses_own_keys:
        print("note: the keys are those of the folder; give --vkey and --allowed-signers from elsewhere to know who released it")
    return 0


def main(words):
    commands = {"core": run_core, "cut": run_cut, "verify": run_verify}
    try:
        return commands[words[0]](words[1:]) if words and words[0] in commands else run_make(words)
    except Misuse as why:
        print(f"release: {why}", file=sys.stderr)
        return 2
    except Failure as why:
        print(f"release: {why}", file=sys.stderr)
        return 1


sys.exit(main(sys.argv[1:]))
