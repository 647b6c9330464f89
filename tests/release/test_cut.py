# SPDX-License-Identifier: Apache-2.0
"""test_cut.py ROOT BUILD - script/release cut in small repositories: what it changes, and what it refuses without a change."""
import contextlib
import io
import sys

from place import commit, equal, git, holds, repository, tap

import cut
from run import Failure, Misuse

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n- `NEW_CODE` is reported for new faults.\n"
WRITER = "import re, sys\nversion = re.search(r\"version: '(.*)'\", open('meson.build').read())[1]\nassert sys.argv[1:] == ['--write']\nopen('version.h', 'w').write(version + '\\n')\n"
LISTER = "import sys\nassert sys.argv[1] == '--release'\nopen('released', 'a').write(sys.argv[2] + '\\n')\n"
FILES = {"CHANGELOG.md": CHANGELOG, "meson.build": "project('baton', 'c',\n  version: '0.1.0',\n)\n", "version.h": "0.1.0\n", "tools/version.py": WRITER, "tools/symbol_map.py": LISTER, "tools/gen_reference.py": "", "released": "", "include/baton/version.h": "#define BT_ABI 0\n",
         "examples/library/judge.c": "int main(void)\n{\n    return 0;\n}\n",
         "src/a.rules": "rule OLD_CODE\n  meaning x\n"}


@contextlib.contextmanager
def place(**files):
    folder, tree = repository({**FILES, **files})
    with folder:
        yield tree


def cut_quietly(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        cut.cut(*arguments)
    return told.getvalue()


def refused(tree, words, version="0.2.0", date="2026-12-01", kind=Misuse):
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts}
    try:
        cut.cut(version, date, True, tree)
    except kind as why:
        holds(words, str(why))
    else:
        raise AssertionError(f"{version} was cut although: {words}")
    equal({path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts}, before)


def set_name(tree):
    for name, value in (("user.name", "Test"), ("user.email", "test@baton.example")):
        git(tree, "config", name, value)


@tap.claim
def a_cut_writes_the_section_the_version_the_commit_and_the_tag():
    with place() as tree:
        set_name(tree)
        cut_quietly("0.1.0", "2026-12-01", True, tree)
        holds("## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n### Added\n", (tree / "CHANGELOG.md").read_text())
        equal((git(tree, "log", "-1", "--format=%s").strip(), git(tree, "cat-file", "-t", "v0.1.0").strip(), git(tree, "status", "--porcelain")),
              ("release: 0.1.0", "tag", ""))
        (tree / "CHANGELOG.md").write_text((tree / "CHANGELOG.md").read_text().replace("## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n- It works.\n"))
        commit(tree)
        cut_quietly("0.2.0", "2026-12-02", False, tree)
        equal(((tree / "version.h").read_text(), "version: '0.2.0'" in (tree / "meson.build").read_text()), ("0.2.0\n", True))
        equal(git(tree, "ls-files", "tests").split(), ["tests/abi/old/0.1.0/examples/judge.c", "tests/abi/old/0.1.0/include/baton/version.h"])
        equal((tree / "released").read_text(), "0.1.0\n0.2.0\n")
        equal((git(tree, "tag").split(), "CHANGELOG.md" in git(tree, "status", "--porcelain")), (["v0.1.0"], True))


@tap.claim
def what_cannot_be_cut_is_left_as_it_is():
    with place() as tree:
        for version in ("1.2", "01.2.3", "1.2.3-rc1", "v1.2.3", ""):
            refused(tree, "is not a version", version)
        for date in ("2026-13-01", "20261201", "2026-W49-2", "2026-12-01T00:00:00", "today", ""):
            refused(tree, "is not a day written YYYY-MM-DD", date=date)
        git(tree, "tag", "v0.2.0")
        refused(tree, "the tag v0.2.0 exists")
        refused(tree, "not above the last version", "0.1.9")
        refused(tree, "not above the last version", "0.2.0-".rstrip("-").replace("0.2.0", "0.0.9"))
        (tree / "new").write_text("x")
        refused(tree, "not clean", "0.3.0")


@tap.claim
def an_empty_section_is_not_a_release():
    with place(**{"CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n### Added\n- Everything.\n"}) as tree:
        refused(tree, "[Unreleased] is empty")


@tap.claim
def a_new_code_must_be_listed():
    with place() as tree:
        git(tree, "tag", "v0.1.0")
        (tree / "src/a.rules").write_text("rule OLD_CODE\n  meaning x\n\nrule NEW_CODE\n  meaning y\n\nrule SILENT_CODE\n  meaning z\n")
        commit(tree)
        refused(tree, "does not list these new finding codes: SILENT_CODE")
        (tree / "CHANGELOG.md").write_text(CHANGELOG.replace("`NEW_CODE` is", "`NEW_CODE` and `SILENT_CODE` are"))
        commit(tree)
        set_name(tree)
        cut_quietly("0.2.0", "2026-12-01", True, tree)


@tap.claim
def a_version_that_cannot_be_written_changes_nothing():
    with place(**{"tools/version.py": "import sys\nopen('version.h', 'w').write('half')\nsys.exit('no')\n"}) as tree:
        refused(tree, "no", kind=Failure)
    with place(**{"tools/symbol_map.py": "import sys\nopen('released', 'w').write('half')\nsys.exit('a released node has changed')\n"}) as tree:
        refused(tree, "a released node has changed", kind=Failure)


sys.exit(tap.run())
