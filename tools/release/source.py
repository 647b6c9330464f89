# SPDX-License-Identifier: Apache-2.0
"""source.py - the source tarball: the files of a commit, and below generated/ the manual pages, the tables and the commit.

The console lies built in the tree (console/bundle), so the tarball needs neither npm nor Git.
"""
import io
import pathlib
import re
import tarfile
import tempfile

import archive
from run import TREE, Failure, git, output

# Tables that the build generates and that are worth reading: rules, operations, commands.
TABLES = ["src/report/rules.h", "src/report/rules.c", "src/operation/operation_ids.h", "src/operation/operations.c", "src/operation/problem_ids.h",
          "src/operation/problems.c", "app/cli/commands.h", "app/cli/command_table.c"]


def version(tree=TREE):
    found = re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (tree / "meson.build").read_text(encoding="utf-8"), re.M)
    if not found:
        raise Failure("meson.build has no version")
    return found[1]


def committed(commit, tree=TREE):
    """The files of a commit as members."""
    data = output(["git", "-C", tree, "archive", "--format=tar", commit])
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for info in tar:
            if info.issym():
                yield archive.Member(info.name, target=info.linkname)
            elif info.isreg():
                yield archive.Member(info.name, info.mode, tar.extractfile(info).read())


def generated(build, commit):
    """What the build makes and a reader of the source wants: pages, tables, and which commit this is."""
    yield archive.Member("generated/commit", content=commit.encode() + b"\n")
    for name in TABLES:
        yield archive.Member("generated/" + name.rsplit("/", 1)[1], content=(build / name).read_bytes())
    with tempfile.TemporaryDirectory() as pages:
        output([build / "app/cli/baton", "man", "--all", pages])
        for path in sorted(pathlib.Path(pages).iterdir()):
            yield archive.Member("generated/man/" + path.name, content=path.read_bytes())


def make(build, commit, epoch, folder):
    """Write baton-VERSION.tar.xz into a folder; returns its path."""
    name = f"baton-{version()}"
    members = [*committed(commit), *generated(build, commit)]
    for member in members:
        member.name = f"{name}/{member.name}"
    path = folder / f"{name}.tar.xz"
    path.write_bytes(archive.xz_bytes(archive.tar_bytes(members, epoch)))
    return path


def check(path, commit, tree=TREE):
    """Complaints: the tarball has exactly the files of the commit and what is generated, with the same bytes."""
    top = path.name.removesuffix(".tar.xz") + "/"
    wanted = {}
    for line in git("ls-tree", "-r", "-z", commit, tree=tree).split("\0"):
        if line:
            wanted[line.split("\t", 1)[1]] = line.split()[0]
    complaints = []
    for member in archive.read_tar(path.read_bytes()):
        name = member.name.removeprefix(top)
        if not member.name.startswith(top):
            complaints.append(f"{path.name}: {member.name} is outside of {top}")
        elif name not in wanted and not name.startswith("generated/"):
            complaints.append(f"{path.name}: {name} is not in the commit")
        elif wanted.get(name, "").startswith("100") and (member.mode & 0o111 != 0) != (wanted[name] == "100755"):
            complaints.append(f"{path.name}: {name} has another mode than in the commit")
        wanted.pop(name, None)
    return complaints + [f"{path.name}: {name} is missing" for name in sorted(wanted)]
