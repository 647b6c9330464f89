# SPDX-License-Identifier: Apache-2.0
"""test_counts.py ROOT BUILD [counted] - script/bench counts: what it counts, and when it complains. With `counted`, the counts of the small sets of
tests/schema/real are compared with tests/bench/counts.txt, which only the compiler and processor that they were made for can give."""
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/tree")]
import counts  # noqa: E402
import tap  # noqa: E402

BUILD = pathlib.Path(sys.argv[2])
IS_RELEASE = "counted" in sys.argv[3:]
ACCEPTED = ROOT / "tests/bench/counts.txt"
COMMAND = "tests/bench/test_counts.py --write"


def count_small():
    """The counts of the small sets, made once."""
    if not hasattr(count_small, "made"):
        if not IS_RELEASE:
            raise tap.Skip("the accepted counts are those of gcc 12, a release build and x86-64")
        try:
            count_small.made = counts.count_all(BUILD, ROOT / "tests/schema")
        except counts.Refused as why:
            raise tap.Skip(str(why)) from None
    return count_small.made


@tap.claim
def a_count_three_percent_above_its_line_is_accepted():
    tap.expect_clean(counts.complaints({"a": 1030, "b": 10}, {"a": 1000, "b": 1000}))


@tap.claim
def a_count_above_that_is_refused():
    tap.expect_complaint(counts.complaints({"a": 1031}, {"a": 1000}), "3.1% more than the accepted 1000")


@tap.claim
def sets_and_lines_belong_together():
    tap.expect_complaint(counts.complaints({"a": 1}, {}), "no accepted count")
    tap.expect_complaint(counts.complaints({}, {"a": 1}), "was not counted")


@tap.claim
def what_is_written_can_be_read():
    made = {"json/a": 12, "schema/b": 345}
    if counts.read_counts(counts.write_counts(made, "x")) != made:
        raise AssertionError("the file says something else")


@tap.claim
def the_accepted_counts_of_all_programs_are_there():
    for path in (ACCEPTED, ROOT / "bench/counts.txt"):
        kinds = {name.split("/")[0] for name in counts.read_counts(path.read_text(encoding="utf-8"))}
        if kinds != {"json", "schema", "universal", "tokens"}:
            raise AssertionError(f"{path}: {kinds}")


@tap.claim
def small_sets_take_no_more_instructions_than_accepted():
    tap.expect_clean(counts.complaints(count_small(), counts.read_counts(ACCEPTED.read_text(encoding="utf-8"))))


@tap.claim
def a_slowdown_of_four_percent_is_noticed_in_every_set():
    made = count_small()
    slower = {name: round(count * 1.04) for name, count in made.items()}
    found = counts.complaints(slower, made)
    if len(found) != len(made):
        raise AssertionError(f"{len(found)} of {len(made)} sets: {found}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        ACCEPTED.write_text(counts.write_counts(counts.count_all(BUILD, ROOT / "tests/schema"), COMMAND), encoding="utf-8")
        sys.exit(0)
    sys.exit(tap.run())
