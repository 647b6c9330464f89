# SPDX-License-Identifier: Apache-2.0
"""test_migrate.py BATON - every command on the pages of docs/migrate does what the page says."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import BATON, claim, equal, finish  # noqa: E402

from page_runner import PageError, run_page  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/migrate").glob("*.md"))


def page_claim(path):
    def test():
        text = path.read_text(encoding="utf-8")
        count = run_page(text, BATON, ROOT / "examples")
        equal((path.name, path.name == "README.md" or count > 0), (path.name, True))
    test.__name__ = f"the_page_{path.stem.replace('-', '_')}_shows_what_happens"
    claim(test)


for page in PAGES:
    page_claim(page)


@claim
def there_are_pages():
    equal(bool(PAGES), True)


def fails(text):
    try:
        run_page(text, BATON)
    except PageError:
        return True
    return False


@claim
def a_page_that_shows_something_else_fails():
    good = "```json file=a/x.json\n{\"a\":1}\n```\n\n```console\n$ baton json canon a/x.json\n{\"a\":1}\n$ baton check a/gone.json\n...\n[exit 2]\n```\n"
    equal(run_page(good, BATON), 2)
    for other in (good.replace("\n{\"a\":1}\n$ baton check", "\n{\"a\":2}\n$ baton check"), good.replace("[exit 2]", "[exit 1]"),
                  good.replace("[exit 2]\n", ""), good.replace("file=a/x.json", "file=a/y.json"), good.replace("\n...\n", "\n"),
                  good.replace("console\n$", "console\nwords\n$"), good[:-4], good.replace("file=a/", "file=../a/"),
                  "```sh\nfalse\n```\n", "```sh\ntrue\nexit 3\n```\n"):
        equal((other, fails(other)), (other, True))


@claim
def a_command_may_go_on_in_the_next_line():
    equal(run_page("```console\n$ echo a \\\n    b\na b\n```\n\n```sh\necho a \\\n  > f\ntest -s f\n```\n", BATON), 3)


sys.exit(finish())
