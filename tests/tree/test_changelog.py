# SPDX-License-Identifier: Apache-2.0
"""test_changelog.py ROOT - the changelog has its form, and each way to break the form is found."""
import sys

import check_changelog
import tap

ROOT = sys.argv[1]
GOOD = ("# Changelog\n\nWords before the first section are free.\n\n## [Unreleased]\n\n### Added\n- `baton a` does b, e.g. c.\n"
        "\n### Fixed\n- It works ([docs/a.md](docs/a/very/long/path.md)).\n\n## [0.2.0] - 2026-12-01\n\n### Changed\n- A flag.\n"
        "\n## [0.1.0] - 2026-11-01\n\n### Added\n- All.\n")
BAD = {
    "another_title_is_refused": ("# Changelog", "# Changes", "the title"),
    "another_heading_is_refused": ("### Fixed", "### Improved", "the allowed headings"),
    "another_order_is_refused": ("### Added\n- `baton a` does b, e.g. c.", "### Security\n- Yes.", "the order of headings"),
    "a_heading_twice_is_refused": ("### Fixed", "### Added", "the order of headings"),
    "an_empty_heading_is_refused": ("- A flag.\n", "", "### Changed is empty"),
    "a_long_entry_is_refused": ("does b", "does " + "b" * 160, "characters, at most 160"),
    "two_sentences_are_refused": ("does b", "does b. It does d", "one sentence"),
    "a_second_line_is_refused": ("- A flag.", "- A flag.\n  More words.", "one line"),
    "an_entry_twice_is_refused": ("### Changed\n- A flag.", "### Changed\n- A flag.\n- A flag.", "twice in its section"),
    "no_full_stop_is_refused": ("- A flag.", "- A flag", "full stop"),
    "no_brackets_are_refused": ("## [Unreleased]", "## Unreleased", "a section is"),
    "no_date_is_refused": (" - 2026-12-01", "", "a section is"),
    "an_impossible_date_is_refused": ("2026-12-01", "2026-13-01", "is not a date"),
    "an_older_version_first_is_refused": ("[0.2.0]", "[0.0.2]", "newest version comes first"),
    "unreleased_twice_is_refused": ("## [0.1.0] - 2026-11-01", "## [Unreleased]", "first section, once"),
    "an_entry_without_a_heading_is_refused": ("### Changed\n", "", "below a heading"),
    "a_missing_unreleased_is_refused": ("## [Unreleased]", "## [0.3.0] - 2026-12-02", "[Unreleased] is missing"),
}


@tap.claim
def the_changelog_has_its_form():
    tap.expect_clean(check_changelog.check(ROOT))


@tap.claim
def a_good_changelog_passes():
    for version in ("0.1.0", "0.2.0", "0.3.0"):
        tap.expect_clean(check_changelog.check_text(GOOD, version))


@tap.claim
def a_version_without_a_section_is_refused():
    tap.expect_complaint(check_changelog.check_text(GOOD, "0.1.5"), "version 0.1.5 of the build has no section")


def refuse(name, old, new, words):
    def test():
        if old not in GOOD:
            raise AssertionError(f"{old!r} is not in the sample")
        tap.expect_complaint(check_changelog.check_text(GOOD.replace(old, new, 1), "0.3.0"), words)
    test.__name__ = name
    tap.claim(test)


for name, (old, new, words) in BAD.items():
    refuse(name, old, new, words)
sys.exit(tap.run())
