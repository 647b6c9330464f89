# SPDX-License-Identifier: Apache-2.0
"""test_starts.py BATON [--write] - the four first minutes: each takes at most three commands, and its picture in docs/start shows what happens.

A session is starts/NAME.txt. Its first command installs: tests/install/test_source.py runs it, too, in a bare root; here the program is on PATH
already. --write makes the pictures anew.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tree"), str(ROOT / "tools")]

import page_runner  # noqa: E402
import tap  # noqa: E402
import terminal_svg  # noqa: E402
from sessions import INSTALL, SESSIONS, run_session  # noqa: E402

BATON = sys.argv[1]
COMMANDS_MAX = 3
TITLES = {"ci-user": "CI user", "claude-code-user": "Claude Code user", "operator": "Operator", "python-user": "Python user"}


def picture_of(path):
    return ROOT / "docs/start" / f"{path.stem}.svg"


def draw(path):
    return terminal_svg.picture(path.read_text(encoding="utf-8"), f"{TITLES[path.stem]}: the first minute")


def session_claim(path):
    def test():
        text = path.read_text(encoding="utf-8")
        try:
            count = run_session(text, BATON)
        except page_runner.PageError as wrong:
            raise AssertionError(str(wrong)) from None
        if not text.startswith(f"$ {INSTALL}\n") or count > COMMANDS_MAX or str(ROOT.parent) in text:
            raise AssertionError(f"{count} commands, or a path of this machine")
        page = (ROOT / "docs/start/README.md").read_text(encoding="utf-8")
        if f"({path.stem}.svg)" not in page or f"## {TITLES[path.stem]}: {count} commands" not in page:
            raise AssertionError(f"docs/start/README.md does not show {path.stem} with {count} commands")
    test.__name__ = f"the_first_minute_of_{path.stem} happens"
    tap.claim(test)


def picture_claim(path):
    def test():
        if not picture_of(path).exists() or picture_of(path).read_text(encoding="utf-8") != draw(path):
            raise AssertionError(f"{picture_of(path)} is stale; make it again with: tests/docs/test_starts.py BATON --write")
    test.__name__ = f"the_picture_of_{path.stem} shows its session"
    tap.claim(test)


@tap.claim
def there_are_four():
    if [path.stem for path in SESSIONS] != list(TITLES):
        raise AssertionError(f"{[path.stem for path in SESSIONS]}")


@tap.claim
def a_session_that_shows_something_else_fails():
    try:
        run_session(f"$ {INSTALL}\n$ baton version\nbaton 99\n", BATON)
    except page_runner.PageError:
        return
    raise AssertionError("it passed")


@tap.claim
def a_picture_escapes_its_text_and_wraps_long_lines():
    made = terminal_svg.picture("$ echo '<&>' \\\n  x\n" + "word " * 60 + "\n", "a & b")
    if "&lt;&amp;&gt;" not in made or "a &amp; b" not in made or made != terminal_svg.picture("$ echo '<&>' \\\n  x\n" + "word " * 60 + "\n", "a & b"):
        raise AssertionError(made)
    if max(map(terminal_svg.width, (text for _, text in terminal_svg.rows("x" * 400)))) > terminal_svg.COLUMNS + 4:
        raise AssertionError("a line is too long")


if "--write" in sys.argv:
    for session in SESSIONS:
        picture_of(session).parent.mkdir(exist_ok=True)
        picture_of(session).write_text(draw(session), encoding="utf-8")
    sys.exit(0)
for session in SESSIONS:
    session_claim(session)
    picture_claim(session)
sys.exit(tap.run())
