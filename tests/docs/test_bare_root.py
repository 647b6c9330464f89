# SPDX-License-Identifier: Apache-2.0
"""test_bare_root.py BATON [PAGE...] - every command of README.md and docs/ does what its page says in a bare Debian root.

The root has the essential packages, the libraries that the program links, and the tools that pages name. Pages that compile a program are
left out: they need a compiler and the library, and tests/install/test_source.py runs them.
"""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tree"))

import bare_root  # noqa: E402
import tap  # noqa: E402
from page_runner import PageError, run_page  # noqa: E402

BATON = str(pathlib.Path(sys.argv[1]).resolve())
PAGES = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def page_claim(path, bare):
    def test():
        try:
            run_page(path.read_text(encoding="utf-8"), bare_root.PROGRAM, ROOT, bare=bare)
        except PageError as wrong:
            raise AssertionError(f"{path.relative_to(ROOT)}: {wrong}") from None
    test.__name__ = f"what_{path.relative_to(ROOT)} shows happens in a bare root"
    tap.claim(test)


def control(bare):
    @tap.claim
    def what_the_packages_do_not_hold_is_not_there():
        for command in ("cc --version", "meson --version", f"test -e {ROOT}", "test -n \"$(ls -A ~ | grep -v gitconfig)\""):
            try:
                run_page(f"```\n$ {command}\n…\n```\n```sh\n{command}\n```\n", bare_root.PROGRAM, bare=bare)
            except PageError:
                continue
            raise AssertionError(f"{command} succeeds in the root")


def main():
    with tempfile.TemporaryDirectory(prefix="baton-root-", ignore_cleanup_errors=True) as place:
        bare = pathlib.Path(place).resolve()
        try:
            packages = bare_root.make(bare, BATON)
        except bare_root.BareRootError as reason:
            print(f"1..0 # SKIP {reason}")
            return 0
        print(f"# {len(packages)} packages")
        for path in PAGES:
            if "pkg-config" not in path.read_text(encoding="utf-8"):
                page_claim(path, bare)
        control(bare)
        return tap.run()


sys.exit(main())
