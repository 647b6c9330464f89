# SPDX-License-Identifier: Apache-2.0
"""test_docs.py ROOT BATON - the pages tell the truth: links lead somewhere, examples are real."""
import pathlib
import sys

import check_docs
import tap

ROOT, BATON = sys.argv[1:3]
README = (pathlib.Path(ROOT) / "README.md").read_text()


@tap.claim
def the_pages_tell_the_truth():
    tap.expect_clean(check_docs.check(ROOT, BATON))


@tap.claim
def the_first_page_shows_a_report():
    if not check_docs.EXAMPLE.search(README):
        raise AssertionError("README.md has no example")


@tap.claim
def a_link_that_leads_nowhere_is_refused():
    with tap.sample({"a.md": "\nsee [b](b.md)\n"}) as tree:
        tap.expect_complaint(check_docs.check(tree, BATON), "a.md:2: there is no b.md")


@tap.claim
def links_that_lead_somewhere_pass():
    pages = {"a.md": "[b](d/b.md#part) [web](https://example.org) `[x](y)`\n", "d/b.md": "[a](../a.md)\n"}
    with tap.sample(pages) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))


@tap.claim
def a_build_is_not_entered():
    entered = []
    sys.addaudithook(lambda event, given: entered.append(str(given[0])) if event == "os.scandir" else None)
    with tap.sample({"build/gone/a.md": "[b](b.md)\n", "docs/c.md": "[a](c.md)\n"}) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))
    if f"{tree}/docs" not in entered or any(path.startswith(f"{tree}/build") for path in entered):
        raise AssertionError(f"entered: {entered}")


@tap.claim
def an_example_that_is_made_up_is_refused():
    with tap.sample({"a.md": "```\n$ baton version\nbaton 99\n```\n"}) as tree:
        tap.expect_complaint(check_docs.check(tree, BATON), "a.md:1: `baton version` says something else")


sys.exit(tap.run())
