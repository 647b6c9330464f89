# SPDX-License-Identifier: Apache-2.0
"""test_hosts.py BATON - events and transcripts as hosts write them, byte for byte but for the text of the agent."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import envelope, fenced  # noqa: E402
from program import claim, equal, finish, folder, report, run  # noqa: E402

HOSTS = pathlib.Path(__file__).parent.parent / "cli/hosts"
# What the block must carry where the host names its agent, and whom Baton knows afterwards.
WHO = {"claude": ("277b7806-1f71-4a0b-84ea-226080a0566a", "a844fb9e0562691f3"),
       "codex": ("01a1dee9-eccd-72e3-83f0-0454f929b49e", "a01a1dee9ed6270d09d7ec1924ea527d3"),
       "copilot": ("01HW2X3Y4Z5", "a80177b959c721da1"), "cursor": ("cdefee2d-2727-4b73-bf77-d9d830f31d2a", "a80177b959c721da1"),
       "gemini": ("g1", "a80177b959c721da1")}
PASS = {"claude": b""}
BACK = {"cursor": ["followup_message"]}


def good(host):
    return fenced(envelope({"/agent_status/agent_id": WHO[host][1]}))


def recorded(name, text):
    """The fixture with the text in it, escaped as its JSON needs it."""
    return (HOSTS / name).read_text().replace("@TEXT@", json.dumps(text)[1:-1])


def hook(place, host, event):
    return run("hook", host, "--store", "s.db", "--workspace", "w", stdin=event, cwd=place)


def states(place):
    return [(agent["session"], agent["agent_id"], agent["state"]) for agent in
            report(run("contract", "state", "-f", "json", "--store", "s.db", cwd=place))["agents"]]


@claim
def each_host_has_a_recorded_stop():
    equal(sorted(path.name for path in HOSTS.glob("*-stop.json")), sorted(f"{host}-stop.json" for host in WHO))


@claim
def a_recorded_stop_is_sent_back_and_then_passes():
    for host, (session, agent_id) in WHO.items():
        with folder({}) as place:
            back = hook(place, host, recorded(f"{host}-stop.json", "finished, no block"))
            equal((host, back.returncode, list(report(back))), (host, 0, BACK.get(host, ["decision", "reason"])))
            done = hook(place, host, recorded(f"{host}-stop.json", good(host)))
            equal((host, done.returncode, done.stdout), (host, 0, PASS.get(host, b"{}\n")))
            equal((host, states(place)), (host, [(session, agent_id, "IN_PROGRESS")]))


@claim
def a_recorded_start_is_answered_with_the_id_that_its_stop_demands():
    for host in ("claude", "codex"):
        with folder({}) as place:
            text = report(hook(place, host, recorded(f"{host}-start.json", "")))["hookSpecificOutput"]["additionalContext"]
            equal((host, WHO[host][1] in text), (host, True))


@claim
def a_recorded_transcript_serves_when_the_event_has_no_text():
    for host in ("claude", "codex", "copilot"):
        for text, passes in ((good(host), True), ("no block", False)):
            with folder({"t.jsonl": recorded(f"{host}.jsonl", text)}) as place:
                event = json.loads(recorded(f"{host}-stop.json", ""))
                for name in ("last_assistant_message", "lastAssistantMessage"):
                    event.pop(name, None)
                for name in ("agent_transcript_path", "transcript_path", "transcriptPath"):
                    if name in event:
                        event[name] = "t.jsonl"
                answer = hook(place, host, json.dumps(event))
                equal((host, text, answer.stdout == PASS.get(host, b"{}\n")), (host, text, passes))


@claim
def no_member_is_needed_and_none_of_a_wrong_type_does_harm():
    for host in WHO:
        whole = json.loads(recorded(f"{host}-stop.json", good(host)))
        for name in whole:
            for value in (None, 0, [], {}, [1], "", "\ud800"):
                for event in ({**whole, name: value}, {other: whole[other] for other in whole if other != name}):
                    with folder({}) as place:
                        answer = hook(place, host, json.dumps(event))
                        told = answer.stdout or answer.stderr
                        equal((host, name, value, answer.returncode, b"Sanitizer" in told), (host, name, value, 0, False))
                        if answer.stdout:
                            report(answer)
                if value is None:
                    continue
                break


finish()
