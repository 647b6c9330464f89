# SPDX-License-Identifier: Apache-2.0
"""python3 -m baton call [--root NAME=DIR]... OPERATION - one operation: the request on standard input, the reply on standard output.

Exit 0: what was requested happened. 1: it did not, and the reply says why. 2: there is no reply.
"""
import argparse
import sys

import baton

_REQUEST_BYTES_MAX = 1 << 30


def _root_of(text):
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=DIR")
    return name, folder


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m baton", description="One operation of Baton, from standard input to standard output.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="call")
    command = commands.add_parser("call", help="run an operation")
    command.add_argument("--root", action="append", default=[], type=_root_of, metavar="NAME=DIR", help="name a folder that requests may refer to")
    command.add_argument("operation", metavar="OPERATION", help="its name in the HTTP API, such as check")
    given = parser.parse_args(arguments)
    try:
        engine = baton.Engine(roots=dict(given.root))
        reply = baton.call(given.operation, sys.stdin.buffer.read(_REQUEST_BYTES_MAX), engine=engine)
    except (baton.BatonError, OSError, ImportError) as error:
        print(f"baton: {error}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(reply.json + b"\n")
    sys.stdout.buffer.flush()
    return 0 if reply.done else 1


if __name__ == "__main__":
    sys.exit(main())
