# SPDX-License-Identifier: Apache-2.0
"""plan_peer.py FIGURES - a child process per validation, with Debian's python3-jsonschema, beside the figures of bench_plan.

The parent has imported and compiled everything; each child is forked, validates once and ends, which is how a validation is bounded
where the validator itself is not.
"""
import json
import os
import sys
import time

import jsonschema

ROUNDS, TURNS = 40, 9


def fork_ns(validator, payload):
    from_ns = time.perf_counter_ns()
    for _ in range(ROUNDS):
        child = os.fork()
        if child == 0:
            os._exit(0 if validator.is_valid(json.loads(payload)) else 1)
        if os.waitpid(child, 0)[1] != 0:
            raise SystemExit("the peer refuses the payload")
    return (time.perf_counter_ns() - from_ns) / ROUNDS


def main(path):
    lines = [line.rstrip("\n") for line in open(path, encoding="utf-8")]
    figures = dict(line.split(" ", 1) for line in lines if not line.startswith("rows"))
    schema, payload = json.loads(figures["schema"]), figures["payload"]
    loaded, whole = float(figures["loaded_ns"]), float(figures["whole_ns"])
    validator = jsonschema.Draft202012Validator(schema)
    forked = min(fork_ns(validator, payload) for _ in range(TURNS))
    print(f"validate, schema loaded     {loaded / 1e3:10.2f} us")
    print(f"validate, loading included  {whole / 1e3:10.2f} us")
    print(f"a forked child, jsonschema  {forked / 1e3:10.2f} us   {forked / loaded:,.0f} x loaded, {forked / whole:,.0f} x with loading")
    for line in lines:
        if line.startswith("rows"):
            _, rows, _, audit, _, waves = line.split()
            print(f"{int(rows):>8,} rows: audit {float(audit):9.2f} ms ({float(audit) * 1e3 / int(rows):.2f} us/row), "
                  f"waves {float(waves):9.2f} ms ({float(waves) * 1e3 / int(rows):.2f} us/row)")


main(sys.argv[1])
