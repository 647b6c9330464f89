#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install_pages.py BATON FOLDER - install the manual pages of section 1 below the prefix; run by meson install."""
import os
import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as pages:
    subprocess.run([sys.argv[1], "man", "--all", pages], check=True)
    for page in sorted(pathlib.Path(pages).glob("*.1")):
        (folder / page.name).write_bytes(page.read_bytes())
