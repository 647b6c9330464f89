# SPDX-License-Identifier: Apache-2.0
"""test_console_bundle.py ROOT - the built console that is part of the source was built from the source beside it."""
import json
import pathlib
import sys

import console_bundle
import tap

ROOT = pathlib.Path(sys.argv[1])
SOURCES = {"index.html": "<!doctype html>\n", "package.json": "{}\n", "tsconfig.json": "{}\n", "vite.config.ts": "\n", "src/main.ts": "main();\n",
           "src/ui/list.tsx": "list();\n", "test/a.test.ts": "test();\n",
           "package-lock.json": json.dumps({"packages": {"": {}, "node_modules/used": {"version": "1.0.0"}, "node_modules/tool": {"version": "2.0.0", "dev": True}}})}
BUILT = {"dist/index.html": "page\n", "dist/assets/index-1.js": "main()\n", "dist/test/a.test.mjs": "test()\n", "node_modules/used/LICENSE": "MIT, of used\n"}


def bundled():
    """A console with its bundle, as script/console leaves it."""
    tree = tap.sample({**{f"console/{name}": body for name, body in SOURCES.items()}, **{f"built/{name}": body for name, body in {**SOURCES, **BUILT}.items()}})
    place = pathlib.Path(tree.name)
    tap.expect_clean(console_bundle.write(place / "built", place / "console"))
    return tree


@tap.claim
def the_console_in_the_tree_was_built_from_its_source():
    tap.expect_clean(console_bundle.check(ROOT / "console"))


@tap.claim
def a_fresh_bundle_is_clean_and_names_whose_code_is_inside():
    with bundled() as tree:
        place = pathlib.Path(tree)
        tap.expect_clean(console_bundle.check(place / "console"))
        tap.expect_clean(console_bundle.compare(place / "built", place / "console"))
        told = (place / "console/bundle/LICENSES").read_text()
        if told != "used 1.0.0\n\nMIT, of used\n":
            raise AssertionError(told)


@tap.claim
def a_source_that_changed_came_or_went_is_named():
    for name in [*SOURCES, "src/new.ts", "test/new.test.ts"]:
        with bundled() as tree:
            path = pathlib.Path(tree) / "console" / name
            path.write_text("changed\n")
            tap.expect_complaint(console_bundle.check(pathlib.Path(tree) / "console"), f"console/{name}: not what console/bundle was built from; run script/console")
            path.unlink()
            complaints = console_bundle.check(pathlib.Path(tree) / "console")
            if name in SOURCES:
                tap.expect_complaint(complaints, f"console/{name}: not what")
            else:
                tap.expect_clean(complaints)


@tap.claim
def a_bundle_that_was_edited_is_named():
    for name in ("index.html", "assets/index-1.js", "test/a.test.mjs", "LICENSES", "assets/more.js"):
        with bundled() as tree:
            (pathlib.Path(tree) / "console/bundle" / name).write_text("edited\n")
            tap.expect_complaint(console_bundle.check(pathlib.Path(tree) / "console"), f"console/bundle/{name}: not what script/console wrote")
    with bundled() as tree:
        (pathlib.Path(tree) / "console/bundle/SHA256SUMS").unlink()
        tap.expect_complaint(console_bundle.check(pathlib.Path(tree) / "console"), "SHA256SUMS: missing")


@tap.claim
def a_rebuild_that_makes_other_bytes_is_named():
    for name in ("index.html", "assets/index-1.js", "test/a.test.mjs", "assets/more.js"):
        with bundled() as tree:
            place = pathlib.Path(tree)
            (place / "built/dist" / name).write_text("other\n")
            tap.expect_complaint(console_bundle.compare(place / "built", place / "console"), f"console/bundle/{name}: a rebuild makes another file")


sys.exit(tap.run())
