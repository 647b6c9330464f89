# SPDX-License-Identifier: Apache-2.0
"""trial.py BATON NAME - one adapter beside its real framework, with a stub model: what must hold for every one of them.

Runs the example of the adapter in the environment where the framework is installed. Prints TAP.
"""
import concurrent.futures
import contextlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.parent.parent
BATON, NAME = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
sys.path.insert(0, str(ROOT / "examples/adapters"))

import baton  # noqa: E402

example = importlib.import_module(f"{NAME}_handoff")
BAD, GOOD = {"working": {"release": "1.4"}}, {"summary": "Build release 1.4.", "working": {"release": "1.4"}}
TESTS = []


HOOKS = NAME == "claude_agent_sdk"  # its client is asked by hooks: no transfer of its own, no exception, and the program records


def claim(function):
    TESTS.append((function, None))
    return function


def claim_with_client(function):
    TESTS.append((function, "the gate of hooks has no client" if HOOKS else None))
    return function


def expect(truth, what):
    if not truth:
        raise AssertionError(what)


@contextlib.contextmanager
def serving():
    with tempfile.TemporaryDirectory(prefix="baton-adapter-") as folder:
        env = {**os.environ, "HOME": folder, "BATON_STATE_DIR": folder + "/state"}
        subprocess.run([BATON, "ledger", "init", "--origin", "adapters.example/log", "--store", "s.db"], cwd=folder, env=env, check=True, capture_output=True)
        child = subprocess.Popen([BATON, "serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db"], cwd=folder, env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
        try:
            ready = json.loads(child.stdout.readline())
            yield baton.Client(f"http://127.0.0.1:{ready['listen'][0].rsplit(':', 1)[1]}", retries=0), child
        finally:
            child.terminate()
            child.wait(30)


def refusal_of(gate, brief):
    """The text that the operation retryText gives for this brief, attempt 1."""
    run = gate.begin()
    return gate.decide(brief, "planner", "builder", run).text


@claim
def a_bad_brief_goes_back_and_the_corrected_one_is_handed_over():
    asked, given, result = example.play(example.Gate(), [BAD, GOOD])
    shown = refusal_of(example.Gate(build=(lambda _: {"summary": ""}) if NAME == "agent_framework" else None), BAD)
    expect(len(asked) == 2 and shown and shown in asked[1] and shown not in asked[0], f"the next request does not hold the text: {asked!r}")
    expect("Build release 1.4." in given and "trace_id" in given or NAME in ("crewai", "agent_framework", "claude_agent_sdk") and "Build release 1.4." in given, f"the target was given {given[:500]!r}")
    expect("Built." in str(result), result)


@claim
def refusals_end_the_run_at_the_limit():
    reports = []
    gate = example.Gate(limit=2, on_report=reports.append)
    try:
        example.play(gate, [BAD] * 5)
    except BaseException as error:
        found = error
        while found is not None and not isinstance(found, baton.Rejected):
            found = found.__cause__ or found.__context__
        expect(HOOKS and "last attempt" in str(error) or isinstance(found, baton.Rejected), f"the run ended with {type(error).__name__}: {error}")
    else:
        raise AssertionError("the run went on")
    expect(len(reports) == 2, f"{len(reports)} attempts were judged")


@claim_with_client
def the_ledger_has_one_entry_for_each_attempt_and_the_receipt_verifies():
    with serving() as (client, _child):
        accepted = []
        gate = example.Gate(client, on_report=lambda report: accepted.append(report.accepted))
        example.play(gate, [BAD, GOOD])
        entries = [item["entry"] for item in client.list_handoffs(order="asc")["entries"]]
        verdicts = [entry["verdict"] for entry in entries if entry["kind"] == "handoff"]
        expect(verdicts == ["rejected", "accepted"], f"the ledger has {verdicts}")
        seq = next(entry["seq"] for entry in entries if entry["verdict"] == "accepted")
        receipt = client.get_receipt(seq)
        vkey = client.get_ledger()["vkey"]
        expect(baton.verify_receipt(receipt, [vkey]).accepted, "the receipt does not verify")


@claim_with_client
def nothing_is_handed_over_while_the_server_is_stopped():
    with serving() as (client, child):
        child.terminate()
        child.wait(30)
        problems = []
        try:
            asked, given, _result = example.play(example.Gate(client, limit=1, on_report=problems.append), [GOOD])
        except BaseException:
            asked, given = None, ""
        expect(not given, f"the target was given {given[:200]!r}")
        expect(problems, "nobody was told")


@claim
def two_runs_at_once_do_not_share_counts():
    gate = example.Gate(limit=2)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(example.play, gate, [BAD, GOOD]) for _ in range(2)]
        expect(all("Built." in str(run.result(120)[2]) for run in runs), "a run was ended by the refusal of the other")
    expect("Built." in str(example.play(gate, [BAD, GOOD])[2]), "a later run was ended by an earlier one")


@claim
def without_the_gate_the_bad_brief_is_handed_over():
    _asked, given, result = example.play(example.Gate(mode="observe"), [BAD])
    expect(given and "Built." in str(result), "the control: nothing was handed over without the gate either")


print(f"1..{len(TESTS)}")
failed = 0
for number, (test, skipped) in enumerate(TESTS, 1):
    if skipped:
        print(f"ok {number} - {test.__name__} # SKIP {skipped}", flush=True)
        continue
    try:
        test()
        print(f"ok {number} - {test.__name__}", flush=True)
    except BaseException as error:
        failed += 1
        print(f"not ok {number} - {test.__name__}\n# {type(error).__name__}: " + str(error).replace("\n", "\n# "), flush=True)
sys.exit(failed > 0)
