# SPDX-License-Identifier: Apache-2.0
"""test_pump_change.py BATON - an organism that changes while its pump runs: register, unregister, reload."""
import json
import sys

from pump_place import INJECT, Place, listener, organism, payload, replied, thread
from program import claim, equal, finish, run, until


@claim
def a_listener_is_registered_and_taken_away_while_the_pump_runs():
    agent = {"name": "boss", "description": "asks", "agent": True, "peers": ["calc"], "handler": "tools/calc.py:add", "payload_class": "AddPayload", "result": "int"}
    with Place(organism(listener("calc"), agent)) as place, place.pump():
        equal(place.ask("register", {"listener": listener("Sum.Two")}), {"name": "sum.two", "tag": "sum.two.addpayload"})
        place.ask("inject", {"client": "alice", "payload": payload(20, 1, "sum.two"), "thread": thread(1)})
        until(lambda: replied(place), "the reply")
        equal(replied(place), ["<result>21</result>"])
        equal((place.top / "schemas/sum.two/v1.xsd").exists(), True)
        rows = [
            (listener("CALC"), -32002, []),
            (listener("alice"), -32002, []),
            ({"name": "x", "handler": "tools/calc.py:add", "payload_class": "AddPayload", "result": "int"}, -32602, [("PUMP_DESCRIPTION_MISSING", "")]),
            (listener("x", peers=["nobody"]), -32602, [("PUMP_PEER_UNKNOWN", "/peers/0")]),
            (listener("x", "nosuch"), -32602, [("PUMP_HANDLER_LOAD", "/handler")]),
            (listener("core.x"), -32602, [("PUMP_NAME_RESERVED", "/name")]),
            (listener("x", env={"API_KEY": "1"}), -32602, [("PUMP_SECRET_INLINE", "/env/API_KEY")]),
        ]
        for wanted, code, found in rows:
            error = place.ctl("register", {"listener": wanted})[1]["error"]
            equal((error["code"], [(one["code"], one["pointer"]) for one in error.get("data", {}).get("findings", [])]), (code, found))
        equal([one["name"] for one in place.ask("list")["listeners"]], ["boss", "calc", "sum.two"])
        equal(place.ask("unregister", {"name": "Calc"}), {"name": "calc", "dropped": 0})
        equal(place.ctl("unregister", {"name": "calc"})[1]["error"]["code"], -32001)
        equal(place.ctl("inject", INJECT)[1]["error"]["data"]["findings"][0]["code"], "XML_CAPABILITY_UNKNOWN")
        equal([edge for edge in place.ask("graph")["edges"] if "calc" in edge.values()], [])
        equal(place.ask("register", {"listener": listener("calc")})["name"], "calc")  # and its callers may call it again
        equal([edge for edge in place.ask("graph")["edges"] if "calc" in edge.values()], [{"from": "alice", "to": "calc"}, {"from": "boss", "to": "calc"}])
        place.ask("inject", {**INJECT, "thread": thread(2)})
        until(lambda: replied(place, 2), "the reply")


@claim
def who_waits_for_a_listener_that_is_taken_away_is_told_at_once_or_answered_first():
    with Place(organism(listener("calc", "slow"))) as place, place.pump():
        for number in (1, 2, 3):
            place.ask("inject", {**INJECT, "thread": thread(number)})
        until(lambda: place.ask("status")["in_flight"] == 3, "the calls")
        equal(place.ask("unregister", {"name": "calc", "mode": "now"})["dropped"], 3)
        for number in (1, 2, 3):
            equal("<error>Handler failed</error>" in until(lambda: replied(place, number), "the huh")[0], True)
        equal(place.ask("status")["in_flight"], 0)
    with Place(organism(listener("calc", "slow"))) as place, place.pump():
        place.ask("inject", INJECT)
        until(lambda: place.ask("status")["in_flight"] == 1, "the call")
        equal(place.ask("unregister", {"name": "calc", "mode": "drain"})["dropped"], 0)
        equal(place.ask("list")["listeners"], [])
        place.write("tools/go", "")
        equal(until(lambda: replied(place), "the reply"), ["<result>3</result>"])


@claim
def a_reload_changes_what_the_file_changed_and_nothing_when_it_is_wrong():
    with Place(organism(listener("calc"), listener("other"), listener("third"))) as place, place.pump() as pump:
        hosts = lambda: {one["name"]: one for one in place.ask("list")["listeners"]}
        until(lambda: all(one["state"] == "ready" for one in hosts().values()), "the hosts")
        names = ["calc", "other", "third"]
        equal(place.ask("reload"), {"added": [], "removed": [], "updated": [], "unchanged": names})
        place.ask("register", {"listener": listener("sum")})
        changed = organism(listener("calc"), listener("third", timeout_seconds=5), listener("new"))
        changed["clients"].append({"name": "bob", "may_call": ["new"]})
        place.write("organism.yaml", json.dumps(changed))
        equal(place.ask("reload"), {"added": ["new"], "removed": ["other", "sum"], "updated": ["third"], "unchanged": ["calc"]})
        for client, to, code in (("alice", "third", None), ("bob", "new", None), ("bob", "calc", "XML_CAPABILITY_DENIED"), ("alice", "other", "XML_CAPABILITY_UNKNOWN")):
            said = place.ctl("inject", {"client": client, "payload": payload(1, 1, to)})[1]
            equal(said.get("error", {}).get("data", {}).get("findings", [{}])[0].get("code"), code)
        for wrong, pointer in ((organism(listener("calc"), oops=1), "/oops"), (organism(listener("calc", "nosuch")), "/listeners/0/handler")):
            place.write("organism.yaml", json.dumps(wrong))
            error = pump.connect().ask("reload")["error"]
            equal((error["code"], error["data"]["findings"][0]["pointer"]), (-32602, pointer))
        place.write("organism.yaml", json.dumps(organism(listener("calc"), store="elsewhere")))
        equal("/store cannot change" in pump.connect().ask("reload")["error"]["message"], True)
        place.write("organism.yaml", "{")
        equal(pump.connect().ask("reload")["error"]["data"]["findings"][0]["code"], "YAML_SYNTAX")
        shown = run("pump", "ctl", "list", "--socket", ".baton/pump/oob.sock", "-f", "json", cwd=place.top)
        equal([one["name"] for one in json.loads(shown.stdout)["result"]["listeners"]], ["calc", "new", "third"])
        equal(pump.stop(), 0)


@claim
def nothing_is_lost_or_answered_wrongly_while_the_organism_changes_under_load():
    """Three organisms take turns; each adds another number, so an answer tells which one it is of."""
    def version(number):
        return organism(listener("calc", config={"more": number}), *[listener(f"extra{k}") for k in range(number)])

    with Place(version(0)) as place:
        text = (place.top / "tools/calc.py").read_text()
        place.write("tools/calc.py", text.replace("import os\n", "import os\nimport baton\n", 1).replace(
            "{payload.a + payload.b}", "{payload.a + payload.b + int(baton.ready['config'].get('more', 0))}"))
        with place.pump() as pump, pump.connect() as line:
            sent, counts = 0, set()
            for turn in range(6):
                place.write("organism.yaml", json.dumps(version(turn % 3)))
                line.say({"jsonrpc": "2.0", "id": "reload", "method": "reload"})
                with pump.connect() as feeder:
                    for _ in range(40):
                        sent += 1
                        equal("result" in feeder.ask("inject", {"client": "alice", "payload": payload(sent, 0), "thread": thread(sent)}), True)
                answer = line.hear()
                counts.add(len(answer["result"]["added"]) + len(answer["result"]["removed"]))
            equal(counts - {0} != set(), True)  # they did change
            until(lambda: place.ask("status")["processed"] == sent, "all of them")
            for number in range(1, sent + 1, 7):
                told = replied(place, number)
                equal(len(told), 1)
                equal(int(told[0][8:-9]) - number in (0, 1, 2), True)
            equal(place.ask("status")["dead"], 0)


if __name__ == "__main__":
    sys.exit(finish())
