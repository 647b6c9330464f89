# SPDX-License-Identifier: Apache-2.0
"""test_postgres_names.py BATON MODULE - servers that are known by name, and a resolver that hangs."""
import pathlib
import sys
import tempfile
import urllib.parse

import postgres_server
from ledger_tools import ORIGIN
from postgres_tls import tls_server
from program import SANITIZED, claim_if, expect, finish, run

MODULE = str(pathlib.Path(sys.argv[2]).resolve())
WITHOUT = "the sanitizer wants to be loaded first" if SANITIZED else postgres_server.missing()


class Place:
    """A folder with an authority, and a server on a port that has a certificate for `db.example`."""

    def __init__(self, folder, port):
        self.folder = folder
        self.end = f"port={port}&sslrootcert={urllib.parse.quote(str(folder / 'authority.crt'), safe='')}"

    def do(self, hosts, *words):
        """Run a command on the store that these hosts have, with a resolver of our own."""
        store = f"postgresql://postgres@/postgres?host={hosts}&{self.end}"
        return run(*words, "--store", store, cwd=self.folder, env={"LD_PRELOAD": MODULE})


@claim_if(not WITHOUT, WITHOUT)
def a_name_that_is_never_found_costs_the_deadline_and_no_more():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        with tls_server(folder) as port:
            place = Place(folder, port)
            # A name is looked up, and the certificate must still be that of the name.
            expect(place.do("other.example", "ledger", "init", "--origin", ORIGIN), 2, err="does not match")
            expect(place.do("db.example", "ledger", "init", "--origin", ORIGIN), 0)
            # The resolver never comes back; the command does.
            expect(place.do("slow.example", "ledger", "tail", "--deadline", "300"), 2, err="was not found before the deadline")
            expect(place.do("slow.example,db.example", "ledger", "tail", "--deadline", "4000"), 0, err="No entries.")
            expect(place.do("nowhere.invalid", "ledger", "tail"), 2, err="the name nowhere.invalid")


sys.exit(finish())
