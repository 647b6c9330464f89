# SPDX-License-Identifier: Apache-2.0
"""compare.py - two builds of the same source have the same bytes, or diffoscope reports where they differ."""
import filecmp
import pathlib
import shutil
import subprocess

REPORT_BYTES_MAX = 20_000


def explain(first, second):
    """What differs inside of two files; "" without diffoscope."""
    if not shutil.which("diffoscope"):
        return "install diffoscope to see where (script/bootstrap release)\n"
    done = subprocess.run(["diffoscope", "--no-progress", "--max-text-report-size", str(REPORT_BYTES_MAX), "--text", "-", str(first), str(second)],
                          capture_output=True, timeout=1800, check=False)
    return done.stdout.decode("utf-8", "replace")[:REPORT_BYTES_MAX]


def compare(first, second, report=print):
    """Complaints about the files of two folders."""
    names = [sorted(path.name for path in pathlib.Path(folder).iterdir()) for folder in (first, second)]
    complaints = [f"{name}: made by one build only" for name in sorted(set(names[0]) ^ set(names[1]))]
    for name in sorted(set(names[0]) & set(names[1])):
        pair = pathlib.Path(first) / name, pathlib.Path(second) / name
        if not filecmp.cmp(*pair, shallow=False):
            complaints.append(f"{name}: two builds of the same source differ")
            report(explain(*pair))
    return complaints
