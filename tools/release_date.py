#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""release_date.py CHANGELOG - print the date of the newest release, YYYY-MM-DD, or an empty line when there is none."""
import pathlib
import re
import sys


def newest_date(text):
    found = re.search(r"^## \[\d[^\]]*\] - (\d{4}-\d{2}-\d{2})$", text, re.MULTILINE)
    return found[1] if found else ""


if __name__ == "__main__":
    print(newest_date(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
