# SPDX-License-Identifier: Apache-2.0
"""test_pump_output.py BATON - what operators learn of handlers, and what nobody else learns."""
import json

from program import claim, equal, finish, report, run
from pump_place import Place, listener, message, organism, thread

HANDLER = '''import asyncio
import os
import sys
from dataclasses import dataclass
from baton import xmlify, HandlerMetadata

@xmlify
@dataclass
class AddPayload:
    a: int
    b: int

class Odd(Exception):
    def __str__(self):
        raise ValueError

def inner(a):
    return {}[f"secret \\x1b[31m {a}"]

async def add(payload: AddPayload, metadata: HandlerMetadata) -> bytes:
    case = payload.a
    if case == 1:
        inner(case)
    if case == 2:
        raise Odd
    if case == 3:
        print("to stdout \\x1b[0m")
        print("to stderr", file=sys.stderr)
        os.write(1, b"caf\\xe9 " + b"x" * 2000 + b"\\nlast line")
    if case == 4:
        print("\\n".join(map(str, range(1200))))
    if case == 5:
        os._exit(3)
    if case == 6:
        return "text"
    if case == 7:
        raise RuntimeError("lone \\udc80 " + "y" * 5000)
    if case == 8:
        await asyncio.sleep(0)
        json = __import__("json")
        json.loads("{")
    if case == 9:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return b"<result>9</result>"
    if case == 10:
        return b"<no.such/><huh>1</huh><result>1</result>"
    return b"<result>1</result>"
'''


def once(place, *cases, **more):
    files = []
    for on, case in enumerate(cases, 1):
        name = place.write(f"m{on}.xml", message(case, 0, on=on, **more))
        files += ["--in", name]
    place.write("tools/calc.py", HANDLER)
    result = place.once(*files, "--one-by-one")
    return result, report(result)["pump"], result.stderr.decode()


def params(shown, code):
    return [event["params"] for event in shown["events"] if event["code"] == code]


@claim
def an_exception_reaches_the_operator_with_its_place_and_nobody_else():
    with Place() as place:
        result, shown, log = once(place, 1)
        equal(result.returncode, 1)
        detail = "KeyError: 'secret \\x1b[31m 1' (tools/calc.py:18 in inner)"
        equal(params(shown, "PUMP_HANDLER_FAILED"), [{"kind": "exception", "detail": detail}])
        equal(f"baton: [calc] {detail}\n" in log, True)
        equal([delivery["root"] for delivery in shown["deliveries"]], ["huh"])
        equal("secret" in json.dumps(shown["deliveries"]), False)
        entries = run("ledger", "tail", "--store", ".baton/pump/store.db", "-f", "json", cwd=place.top).stdout
        equal((b"delivery" in entries, b"secret" in entries, b"calc.py" in entries), (True, False, False))
        history = run("pump", "ctl", "thread-history", json.dumps({"thread": thread(1), "client": "alice", "payloads": True}), "--offline", "-f", "json",
                      cwd=place.top).stdout
        equal((b"huh" in history, b"secret" in history), (True, False))


@claim
def exceptions_of_every_sort_have_a_detail_of_at_most_a_thousand_bytes():
    with Place() as place:
        _, shown, _ = once(place, 2, 6, 7, 8)
        failed = [p["detail"] for p in params(shown, "PUMP_HANDLER_FAILED")]
        equal(failed[0], "calc.Odd: <its text cannot be made> (tools/calc.py:25 in add)")
        equal((failed[1].startswith("RuntimeError: lone \\udc80 yyy"), failed[1].endswith("y (tools/calc.py:37 in add)"), len(failed[1])), (True, True, 1000))
        equal(failed[2].startswith("json.decoder.JSONDecodeError: ") and failed[2].endswith(" (tools/calc.py:41 in add)"), True)
        equal(params(shown, "PUMP_RESULT_NOT_BYTES"), [{"kind": "not-bytes", "detail": "it returned str"}])


@claim
def what_a_handler_prints_is_logged_line_by_line_and_shown_in_the_report():
    with Place() as place:
        result, shown, log = once(place, 3)
        equal(result.returncode, 0)
        printed = {(line["listener"], line["stream"], line["text"]) for line in shown["output"]}
        long = "caf\\xe9 " + "x" * (1000 - len("caf\\xe9 "))
        equal(printed, {("calc", "stdout", "to stdout \\x1b[0m"), ("calc", "stderr", "to stderr"), ("calc", "stdout", long)})
        for text in [*(text for _, _, text in printed), "last line"]:  # which has no end, and is told when the host ends
            equal(f"baton: [calc] {text}\n" in log, True)
        equal("\x1b" in log or "output_more" in shown, False)


@claim
def the_report_shows_a_thousand_lines_and_counts_the_rest():
    with Place() as place:
        _, shown, log = once(place, 4)
        equal(([line["text"] for line in shown["output"]], shown["output_more"]), ([str(i) for i in range(1000)], 200))
        equal("[calc] 1199\n" in log, True)


@claim
def a_crash_says_how_the_host_died():
    with Place(organism(listener("calc"), limits={"attempts": 1})) as place:
        _, shown, _ = once(place, 5)
        equal(params(shown, "PUMP_HANDLER_CRASHED"), [{"attempt": 1, "detail": "exit 3"}])


@claim
def a_late_result_names_its_message_and_a_reused_id_is_answered_on_its_own_thread():
    with Place(organism(listener("calc", timeout_seconds=0.5))) as place:
        place.write("a.xml", message(0, 1, on=1, ident="k"))
        place.write("b.xml", message(9, 1, on=2))
        place.write("c.xml", message(0, 2, on=3, ident="k"))
        place.write("tools/calc.py", HANDLER)
        result = place.once("--in", "a.xml", "--in", "b.xml", "--in", "c.xml", "--one-by-one")
        equal(result.returncode, 1)
        shown = report(result)["pump"]
        equal([(e["code"], e["document"]) for e in shown["events"]], [("PUMP_HANDLER_TIMEOUT", 2), ("PUMP_LATE_RESULT", 2)])
        equal([(d["thread"], d["root"]) for d in shown["deliveries"]], [(thread(1), "result"), (thread(2), "huh"), (thread(3), "huh")])


@claim
def security_events_are_recorded_with_their_code_as_the_reason():
    with Place() as place:
        once(place, 10)
        entries = json.loads(run("ledger", "tail", "--store", ".baton/pump/store.db", "--kind", "delivery", "-f", "json", cwd=place.top).stdout)["entries"]
        refs = [entry["entry"]["refs"] for entry in entries]
        equal(sorted((r["event"], r.get("reason")) for r in refs if r["event"] != "delivered"), [("security", "PUMP_BLOCKED"), ("security", "PUMP_RESERVED")])
        equal(all(r["message"] and r["thread"] for r in refs if r["event"] == "security"), True)


@claim
def version_control_is_told_to_leave_the_store_alone():
    for store, ignored in [(None, ".baton/.gitignore"), ("data/pump", "data/pump/.gitignore"), ("a/.baton/b", "a/.baton/.gitignore")]:
        with Place(organism(**({"store": store} if store else {}))) as place:
            once(place, 0)
            equal([str(path.relative_to(place.top)) for path in place.top.rglob(".gitignore")], [ignored])
            equal((place.top / ignored).read_text(), "*\n")
    for store in ("mine", ".baton/pump"):  # a folder that was there, and a file that was there
        with Place(organism(store=store)) as place:
            (place.top / "mine").mkdir(mode=0o700)
            (place.top / ".baton").mkdir()
            (place.top / ".baton/.gitignore").write_text("old\n")
            once(place, 0)
            equal([path.read_text() for path in place.top.rglob(".gitignore")], ["old\n"])


finish()
