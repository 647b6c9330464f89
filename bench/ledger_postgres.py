# SPDX-License-Identifier: Apache-2.0
"""ledger_postgres.py PROGRAM FOLDER - durable appends to PostgreSQL beside pgbench, on one server and in turns.

Both have 32 clients. pgbench's insert rows as large as those of entries, each in a transaction of its own; the server flushes
them together, which is its group commit."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/cli"))
import postgres_server  # noqa: E402

CLIENTS = 32
SECONDS = 3
ROUNDS = 5
ROW_BYTES = 337
TABLE = "CREATE TABLE bare (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, bytes BYTEA)"
INSERT = f"INSERT INTO bare (bytes) VALUES ('\\\\x{'61' * ROW_BYTES}');\n"


def appends(program, folder, url):
    """Decisions a second, in a schema and a workspace of their own."""
    workspace = tempfile.mkdtemp(dir=folder)
    schema = "run_" + os.path.basename(workspace).lower()
    result = subprocess.run([program, workspace, f"{url}&schema={schema}"], capture_output=True, text=True, timeout=120, check=False)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return float(result.stdout)


def inserts(script, url):
    result = subprocess.run(["pgbench", "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2", "-T", str(SECONDS), "-f", script, url],
                            capture_output=True, text=True, timeout=120, check=False)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return float(next(line for line in result.stdout.splitlines() if line.startswith("tps")).split()[2])


def main():
    program, folder = sys.argv[1:]
    reason = postgres_server.missing()
    if reason:
        print(f"PostgreSQL: left out, {reason}")
        return 0
    tempfile.tempdir = folder
    script = os.path.join(folder, "insert.sql")
    pathlib.Path(script).write_text(INSERT)
    with postgres_server.running() as url:
        postgres_server.psql(url, TABLE)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(appends(program, folder, url))
            theirs.append(inserts(script, url))
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"PostgreSQL, {CLIENTS} writers      {statistics.median(ours):8.0f} /s   ({min(ours):.0f} to {max(ours):.0f})")
    print(f"pgbench, {CLIENTS} clients         {statistics.median(theirs):8.0f} /s   ({min(theirs):.0f} to {max(theirs):.0f})")
    print(f"ratio                      {ratio:9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
