# SPDX-License-Identifier: Apache-2.0
"""test_generated.py BATON ROOT - the generated parts of the clients are those of this server, and a change of it shows in every language."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tools"))

import gen_clients
from program import claim, equal, expect, finish, run

ROOT = pathlib.Path(sys.argv[2])
DOCUMENT = json.loads(expect(run("serve", "--print-openapi"), 0).stdout)
HOW = "run: baton serve --print-openapi | python3 tools/gen_clients.py - ."


@claim
def what_is_committed_is_what_is_made():
    changed = gen_clients.differing(ROOT, gen_clients.generate(DOCUMENT))
    if changed:
        raise AssertionError(f"{changed} differ from what is made now; {HOW}")


@claim
def every_operation_is_a_method_of_every_client():
    files = gen_clients.generate(DOCUMENT)
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            for name, text in files.items():
                equal((name, operation["operationId"], text.count(f'"{operation["operationId"]}"') > 0 or name.endswith("aio_operations.py")),
                      (name, operation["operationId"], True))


@claim
def a_changed_server_changes_every_file():
    """The negative control: a path, a parameter, a member and a version that are other ones."""
    before = gen_clients.generate(DOCUMENT)
    for change in (lambda document: document["paths"]["/v1/whoami"]["get"].update(operationId="whoAreYou"),
                   lambda document: document["paths"]["/v1/check"]["post"]["parameters"].append({"name": "extra", "in": "query", "schema": {"type": "string"}}),
                   lambda document: document["paths"]["/v1/approvals/{id}/deny"]["post"]["requestBody"]["content"]["application/json"]["schema"]["required"].append("reason")):
        changed = json.loads(json.dumps(DOCUMENT))
        change(changed)
        after = gen_clients.generate(changed)
        equal([name for name in before if before[name] == after[name]], [])


sys.exit(finish())
