# SPDX-License-Identifier: Apache-2.0
"""nodes.py - nodes that share a ledger on a server: their workspaces, their processes, what they said."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import ORIGIN, do  # noqa: E402
from postgres_server import psql  # noqa: E402

TOOL = str(pathlib.Path(sys.argv[2]).resolve())
WAIT_S = 600


class Ledger:
    """A ledger in a schema of its own, and a workspace with its key that nodes share."""

    def __init__(self, url, schema):
        self.temporary = tempfile.TemporaryDirectory(prefix="baton-node-")
        self.folder = pathlib.Path(self.temporary.name)
        self.schema = schema
        do(self.folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", "--store", self.at(url))

    def at(self, url):
        return f"{url}&schema={self.schema}"

    def node(self, mode, url, prefix, count=0, deadline=2000):
        """Start a node; it runs until it has decided so many, or is ended. What one says that nobody listens to goes to a file: a pipe would be full."""
        said = open(self.folder / f"{prefix}.said", "w+", encoding="ascii") if count == 0 else None
        node = subprocess.Popen([TOOL, mode, str(self.folder), self.at(url), prefix, str(count), str(deadline)],
                                stdin=subprocess.PIPE, stdout=said or subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        node.said = said
        return node

    def sql(self, url, statement):
        return psql(url, f"SET search_path = {self.schema}; {statement}")

    def names(self, url, column="trace_id"):
        """The names that the log has, in order."""
        return self.sql(url, f"SELECT {column} FROM ledger_entry WHERE {column} IS NOT NULL ORDER BY seq").split()

    def verify(self, url, entries=0):
        """A quarter of a millisecond or more for each entry that has a checkpoint of its own."""
        do(self.folder, "ledger", "verify", "--store", self.at(url), timeout=60 + entries // 500)


class InFile(Ledger):
    """The same in a file."""

    def __init__(self):
        super().__init__("sqlite:store.db", "")
        self.url = f"sqlite:{self.folder}/store.db"

    def at(self, url):
        return url


def one_after_the_other(*nodes):
    """What came of nodes that all look before the first goes on, each when the one before it has ended."""
    def heard(node):
        return (node.stdout.readline().split() or [None, node.stderr.read()])[1]
    looks = [heard(node) for node in nodes]
    if set(looks) != {"looked"}:
        raise AssertionError(f"not looked: {looks}")
    results = []
    for node in nodes:
        node.stdin.write("go on\n")
        node.stdin.flush()
        results.append(heard(node))
        node.communicate(timeout=WAIT_S)
    return results


def outcomes(*nodes):
    """What nodes said, once they have ended: lists of names by outcome, and the longest answer in ms."""
    said = {"recorded": [], "refused": [], "failed": [], "unknown": [], "alarm": []}
    longest = 0
    for node in nodes:
        output, errors = node.communicate(timeout=WAIT_S)
        if node.returncode == 2:
            raise AssertionError(errors)
        if node.said:
            with node.said as file:
                file.seek(0)
                output = file.read()
        for line in output.split("\n")[:-1]:  # a line that was cut was never read by anybody
            name, outcome, took = line.split()
            said[outcome].append(name)
            longest = max(longest, int(took))
    return said, longest
