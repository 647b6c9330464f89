# SPDX-License-Identifier: Apache-2.0
"""test_version.py ROOT - every place has the version of meson.build; tools/version.py finds one that has not, and corrects it."""
import pathlib
import sys

import tap
import version

ROOT = pathlib.Path(sys.argv[1])
FILES = {
    "meson.build": "project('baton', 'c',\n  version: '1.2.3')\n",
    "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - 2026-03-04\n",
    "include/baton/version.h": "#define BT_VERSION_MAJOR 1\n#define BT_VERSION_MINOR 2\n#define BT_VERSION_PATCH 3\n#define BT_VERSION \"1.2.3\"\n",
    "bench/rust/Cargo.lock": "[[package]]\nname = \"baton-peers\"\nversion = \"1.2.3\"\n",
    "sdk/python/pyproject.toml": "[project]\nname = \"x\"\nversion = \"1.2.3\"\n",
    "npm/package.json": "{\n  \"name\": \"x\",\n  \"version\": \"1.2.3\",\n  \"optionalDependencies\": {\"baton-handoff-cli-linux-x64\": \"1.2.3\"}\n}\n",
    "packaging/debian/changelog": "baton (1.2.3-0baton1) unstable; urgency=medium\n\n  * x\n\n -- A <a@b>  Thu, 01 Jan 2026 00:00:00 +0000\n",
    "packaging/helm/baton/Chart.yaml": "version: 1.2.3\nappVersion: \"1.2.3\"\n",
    "packaging/homebrew/baton.rb": "url \"https://x/baton-1.2.3.tar.xz\"\n",
    "packaging/kubernetes/single/a.yaml": "image: registry/baton:1.2.3\n",
}


@tap.claim
def the_tree_has_one_version():
    complaints, _ = version.go_through(ROOT, False)
    tap.expect_clean(complaints)


@tap.claim
def every_place_that_differs_is_found_and_corrected():
    for name, text in FILES.items():
        if name in ("meson.build", "CHANGELOG.md"):
            continue
        other = text.replace("1.2.3", "1.2.2").replace("PATCH 3", "PATCH 2")
        with tap.sample({**FILES, name: other}) as folder:
            root = pathlib.Path(folder)
            tap.expect_complaint(version.go_through(root, False)[0], f"{name}: ")
            if version.go_through(root, True)[1] != [name]:
                raise AssertionError(f"{name} was not corrected")
            tap.expect_clean(version.go_through(root, False)[0])
            corrected = (root / name).read_text(encoding="utf-8")
            if name.endswith("changelog"):
                if not corrected.endswith(other) or "Wed, 04 Mar 2026 00:00:00 +0000" not in corrected:
                    raise AssertionError(corrected)
            elif corrected != text:
                raise AssertionError(f"{name}: {corrected}")


@tap.claim
def a_place_without_a_version_is_found():
    with tap.sample({**FILES, "packaging/homebrew/baton.rb": "class Baton\nend\n"}) as folder:
        tap.expect_complaint(version.go_through(pathlib.Path(folder), False)[0], "nothing is there like")


sys.exit(tap.run())
