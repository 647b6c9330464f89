# SPDX-License-Identifier: Apache-2.0
"""test_docs.py ROOT BATON - links of pages lead somewhere, examples show real output, the index lists every page, and the tree every folder."""
import pathlib
import re
import sys

import check_docs
import gen_command_list
import gen_glossary
import tap

ROOT, BATON = sys.argv[1:3]


@tap.claim
def the_pages_are_right():
    tap.expect_clean(check_docs.check(ROOT, BATON))


@tap.claim
def the_glossary_is_that_of_the_program():
    source = pathlib.Path(ROOT, "app/cli/topics/glossary.txt").read_text(encoding="utf-8")
    if pathlib.Path(ROOT, "docs/glossary.md").read_text(encoding="utf-8") != gen_glossary.page(source):
        raise AssertionError("docs/glossary.md is stale; make it again with: tools/gen_glossary.py app/cli/topics/glossary.txt > docs/glossary.md")


def command_names(page):
    return re.findall(r"^\| `(baton [^`]+)` \|", page, re.M)


@tap.claim
def the_page_of_commands_names_every_command():
    page = pathlib.Path(ROOT, "docs/commands.md").read_text(encoding="utf-8")
    if command_names(page) != command_names(gen_command_list.page(ROOT)) or len(command_names(page)) < 100:
        raise AssertionError("docs/commands.md is stale; make it again with: tools/gen_command_list.py . > docs/commands.md")


@tap.claim
def a_link_that_leads_nowhere_is_refused():
    with tap.sample({"a.md": "\nsee [b](b.md)\n"}) as tree:
        tap.expect_complaint(check_docs.check(tree, BATON), "a.md:2: there is no b.md")


@tap.claim
def links_that_lead_somewhere_pass():
    pages = {"a.md": "[b](d/b.md#part-two-of-3) [c](#a-heading) [web](https://example.org) `[x](y)`\n\n# A *heading*\n```\n[x](y)\n```\n",
             "d/b.md": "[a](../a.md) [d](#part-two-of-3-1)\n## Part two, `of` 3\n## Part two of 3\n"}
    with tap.sample(pages) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))


@tap.claim
def an_anchor_that_leads_nowhere_is_refused():
    with tap.sample({"a.md": "[b](d/b.md#gone)\n\n[a](#none)\n", "d/b.md": "# Here\n```\n# gone\n```\n"}) as tree:
        complaints = check_docs.check(tree, BATON)
        tap.expect_complaint(complaints, "a.md:1: d/b.md has no heading #gone")
        tap.expect_complaint(complaints, "a.md:3: this page has no heading #none")


@tap.claim
def a_page_that_the_index_leaves_out_is_refused():
    pages = {"docs/README.md": "[a](a.md) [b](sub/b.md#b)\n", "docs/a.md": "a\n", "docs/sub/b.md": "# b\n", "docs/decisions/0001-x.md": "x\n"}
    with tap.sample(pages) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))
        tap.write(tree, {"docs/sub/c.md": "c\n"})
        tap.expect_complaint(check_docs.check(tree, BATON), "it does not list sub/c.md")


@tap.claim
def a_folder_that_the_page_about_the_architecture_leaves_out_is_refused():
    tree_of_code = {"docs/architecture.md": "```\nsrc/\n  base/  strings\n  xml/ yaml/  readers\n```\n`src/csv/` is below\n",
                    "src/base/a.c": "", "src/yaml/b.c": "", "app/xml/c.c": ""}
    with tap.sample(tree_of_code) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))
        tap.write(tree, {"src/csv/d.c": ""})
        tap.expect_complaint(check_docs.check(tree, BATON), "its tree does not list src/csv/")


@tap.claim
def a_build_is_not_entered():
    entered = []
    sys.addaudithook(lambda event, given: entered.append(str(given[0])) if event == "os.scandir" else None)
    with tap.sample({"build/gone/a.md": "[b](b.md)\n", "docs/c.md": "[a](c.md)\n"}) as tree:
        tap.expect_clean(check_docs.check(tree, BATON))
    if f"{tree}/docs" not in entered or any(path.startswith(f"{tree}/build") for path in entered):
        raise AssertionError(f"entered: {entered}")


@tap.claim
def an_example_with_other_output_is_refused():
    with tap.sample({"a.md": "```\n$ baton version\nbaton 99\n```\n"}) as tree:
        tap.expect_complaint(check_docs.check(tree, BATON), "a.md:1: `baton version` prints something else")


sys.exit(tap.run())
