# SPDX-License-Identifier: Apache-2.0
"""contents.py - which files an artefact may hold, by its kind. A file that no pattern allows is surplus; a pattern without a file is a gap."""
import re

import archive

# Regular expressions of whole names. VERSION is the version.
ALLOWED = {
    "core": [r"baton-core-VERSION/FILES", r"baton-core-VERSION/(?:include|src)/.+\.(?:c|h|inc)", r"baton-core-VERSION/(?:LICENSE|README|NOTICE)(?:\.md)?"],
}
# Patterns that need not match anything.
OPTIONAL = {"core": {2}}


def version_of(name):
    found = re.search(r"\d+\.\d+\.\d+", name)
    return found[0] if found else ""


def check_names(kind, artefact, names):
    """Complaints about the names of files in an artefact."""
    rows = [re.compile(row.replace("VERSION", re.escape(version_of(artefact)))) for row in ALLOWED.get(kind, [])]
    used, complaints = set(), []
    for name in names:
        fits = [number for number, row in enumerate(rows) if row.fullmatch(name)]
        used.update(fits)
        if rows and not fits:
            complaints.append(f"{artefact}: {name} is surplus")
        if name.startswith("/") or ".." in name.split("/"):
            complaints.append(f"{artefact}: {name} leaves the folder in which it is unpacked")
    missing = set(range(len(rows))) - used - OPTIONAL.get(kind, set())
    return complaints + [f"{artefact}: nothing is there like {ALLOWED[kind][number]}" for number in sorted(missing)]


def check(kind, artefact, data):
    return check_names(kind, artefact, [member.name for member in archive.members(artefact, data) if not member.is_folder()])
