# SPDX-License-Identifier: Apache-2.0
"""worker.py URL AGENT [COUNT] - take handoffs for an agent from a server, and handle them; COUNT of them, or without end.

The token is in the environment variable BATON_TOKEN. An exception refuses the delivery, and it comes again.
"""
import json
import os
import sys

import baton


def handle(delivery):
    handoff = json.loads(delivery.document)["handoff"]
    print(f"{delivery.ref} from {delivery.source}: {handoff['context']['summary']}", flush=True)


def main(url, agent, count=None):
    left = int(count) if count else None
    with baton.Client(url, token=os.environ.get("BATON_TOKEN")) as client:
        for delivery in client.inbox(agent):
            with delivery:
                handle(delivery)
            left = None if left is None else left - 1
            if left == 0:
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
