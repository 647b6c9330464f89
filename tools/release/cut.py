# SPDX-License-Identifier: Apache-2.0
"""cut.py - script/release cut VERSION: turn [Unreleased] of the changelog into a release, write the version everywhere, list the
symbols of the library as released, keep its headers for tests, and tag it.

Everything is checked before a file is changed. A later failure puts the files back.
"""
import datetime
import re
import shutil
import subprocess

import source
from run import TREE, Failure, Misuse, git, output

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
RULE = re.compile(r"^rule ([A-Z][A-Z0-9_:]+)", re.M)


def number(version):
    return tuple(int(part) for part in version.split("."))


def last_version(tree):
    """The highest version that has a tag, or None."""
    tags = [tag[1:] for tag in git("tag", "--list", "v*", tree=tree).split("\n") if VERSION.fullmatch(tag[1:])]
    return max(tags, key=number) if tags else None


def unreleased(text):
    """The text of the section [Unreleased]."""
    found = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", text, re.M | re.S)
    return found[1] if found else None


def rule_codes(tree, commit):
    """Codes of the rules at a commit."""
    names = [name for name in git("ls-tree", "-r", "--name-only", commit, tree=tree).split("\n") if name.endswith(".rules")]
    return {code for name in names for code in RULE.findall(git("show", f"{commit}:{name}", tree=tree))}


def check(tree, version, date):
    """Misuse, with the reason, when this version cannot be cut."""
    if not VERSION.fullmatch(version):
        raise Misuse(f"{version} is not a version such as 1.2.3")
    try:
        is_date = datetime.date.fromisoformat(date).isoformat() == date  # newer Pythons read other forms as well
    except ValueError:
        is_date = False
    if not is_date:
        raise Misuse(f"--date {date} is not a day written YYYY-MM-DD")
    if git("status", "--porcelain", tree=tree):
        raise Misuse("the tree is not clean; commit or remove what `git status` lists")
    if git("tag", "--list", f"v{version}", tree=tree):
        raise Misuse(f"the tag v{version} exists")
    last = last_version(tree)
    if last and number(version) <= number(last):
        raise Misuse(f"{version} is not above the last version, {last}")
    section = unreleased((tree / "CHANGELOG.md").read_text(encoding="utf-8"))
    if section is None or not re.search(r"^- ", section, re.M):
        raise Misuse("CHANGELOG.md: [Unreleased] is empty")
    # Before the first tag every code is new, and the changelog describes the whole program.
    new = rule_codes(tree, "HEAD") - rule_codes(tree, f"v{last}") if last else set()
    silent = sorted(code for code in new if not re.search(rf"\b{re.escape(code)}\b", section))
    if silent:
        raise Misuse(f"CHANGELOG.md: [Unreleased] does not list these new finding codes: {', '.join(silent)}")


def change(tree, version, date):
    path = tree / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("## [Unreleased]\n", f"## [Unreleased]\n\n## [{version}] - {date}\n", 1), encoding="utf-8")
    path = tree / "meson.build"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"version: '{source.version(tree)}'", f"version: '{version}'", 1), encoding="utf-8")
    output(["python3", "-B", "tools/version.py", "--write"], cwd=tree)
    output(["python3", "-B", "tools/symbol_map.py", "--release", version], cwd=tree)
    output(["python3", "-B", "tools/gen_reference.py", "--write"], cwd=tree)
    # tests/abi runs programs of this release with the libraries of later ones.
    shutil.copytree(tree / "include", kept(tree, version) / "include")
    shutil.copytree(tree / "examples/library", kept(tree, version) / "examples")


def kept(tree, version):
    """Where the headers and examples of a release are kept."""
    return tree / "tests/abi/old" / version


def cut(version, date, commits, tree=TREE):
    """Change the files and print the diff; with `commits` commit and tag them."""
    check(tree, version, date)
    try:
        change(tree, version, date)
        diff = output(["git", "-C", tree, "diff", "--no-color"])
        if commits:
            git("add", "--", str(kept(tree, version)), tree=tree)
            git("commit", "-q", "-a", "-m", f"release: {version}", tree=tree)
            git("tag", "-a", f"v{version}", "-m", f"Baton {version}", tree=tree)
    except (Failure, OSError):
        # The tree was clean, so this restores what it held.
        shutil.rmtree(kept(tree, version), ignore_errors=True)
        subprocess.run(["git", "-C", str(tree), "reset", "-q"], check=False)
        subprocess.run(["git", "-C", str(tree), "checkout", "-q", "HEAD", "--", "."], check=False)
        raise
    print(diff.decode("utf-8", "replace"), end="")
