# SPDX-License-Identifier: Apache-2.0
"""hook.py BATON HOST PROGRAM - a real agent host, offline, must be made to ask its subagent again by `baton hook HOST`, must be able to resume a
subagent that asked a question, must send one back that claims a test run it never made, must stop one that has spent its budget and no other,
and must not run a command that needs consent before a person grants it, and then once. Its transcripts must show a command in the background, one
that was refused, and what it does after it was resumed.

Everything is told, so that the output is the proof. A second run without Baton is the control: there the subagent is not asked again.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import model
import perform

TIMEOUT_S = 120
TURNS, TURNS_RECORDED = 2, 12
BATON, HOST, PROGRAM = (str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve()))
PROMPT = f"{model.ROOT_WORD}: hand the task to a subagent and wait for it."


def environment(home, port):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(pathlib.Path(BATON).parent), kept.get("PATH", "/usr/bin:/bin")])
    return {**kept, "HOME": str(home), "CODEX_HOME": str(home / ".codex"), "STUB_KEY": "none", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "none", "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}


def command(port, place, prompt, again=False):
    """The host's command line; `again` resumes its last session."""
    if HOST == "codex":
        provider = f'{{name="stub",base_url="http://127.0.0.1:{port}/v1",wire_api="responses",env_key="STUB_KEY"}}'
        # A host that nobody sits at cannot be asked to trust the hook, so it is told to.
        return [PROGRAM, "exec", *(["resume", "--last"] if again else []), "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-m", "gpt-5",
                "-c", 'sandbox_mode="workspace-write"', "-c", "model_provider=stub", "-c", f"model_providers.stub={provider}",
                "-c", f'projects={{"{place}"={{trust_level="trusted"}}}}', prompt]
    # The stream shows what the person sees, messages of hooks too.
    return [PROGRAM, "-p", prompt, *(["--continue"] if again else []), "--model", "claude-sonnet-4-5", "--allowedTools", "Agent,Task,Bash,Read,Edit", "--setting-sources", "project",
            "--output-format", "stream-json", "--verbose", "--include-hook-events"]


def baton(place, *words):
    return subprocess.run([BATON, *words], cwd=place, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.decode()


def run_host(place, home, prompt=PROMPT, stage=None, steps=(), again=False):
    """What the model was asked, in order. Only the host's own group of processes is ended when it takes too long."""
    server = model.serve()
    port = server.server_address[1]
    env = environment(home, port)
    if stage:
        server.model.steps, server.model.prepare = steps, stage.prepare
        env["PATH"] = os.pathsep.join([stage.path, env["PATH"]])
    process = subprocess.Popen(command(port, place, prompt, again), cwd=place, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=TIMEOUT_S)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0].decode(errors="replace") + f"\n(ended after {TIMEOUT_S} s)"
    server.shutdown()
    server.server_close()
    return server.model.seen, output


def tell(seen, output):
    for words in seen:
        print("   ", *words)
    print("    host says:", output.strip().splitlines()[-1][:160] if output.strip() else "(nothing)")


def story(seen):
    """What happened to the subagent."""
    return [words[1] for words in seen if words[0] == "subagent"]


def resume(place, home):
    """A subagent that asks a question and is resumed with the answer: both reports pass at once. None, or what went wrong."""
    baton(place, "hook", "install", HOST, "--yes", "--store", "resume.db", "--workspace", "interop")
    seen, output = run_host(place, home, f"{model.ASKING_ROOT_WORD}: hand the task to a subagent and answer its question.")
    print("with a subagent that asks:")
    tell(seen, output)
    entries = json.loads(baton(place, "ledger", "tail", "-f", "json", "--store", "resume.db"))["entries"] if (place / "resume.db").exists() else []
    facts = [(entry["entry"]["verdict"], [code for code in entry["entry"].get("codes", []) if code == "ILLEGAL_TRANSITION"]) for entry in entries]
    print("    ledger:", *(verdict for verdict, _ in facts))
    if story(seen) != ["asks", "has its answer"]:
        return f"the subagent was not resumed, or asked again: {story(seen)}"
    if facts != [("accepted", []), ("accepted", [])]:
        return f"the reports did not pass at once: {facts}"
    print(f"the real {HOST} resumed its subagent, and COMPLETE after NEEDS_INPUT passed at once")
    return None


def gate(place, home):
    """A command that needs consent: denied, granted, run once, denied again. None, or what went wrong."""
    (place / "deploy.sh").write_text("#!/bin/sh\necho deployed >> deployed.log\n")
    (place / "deploy.sh").chmod(0o755)
    (place / "gate.yaml").write_text("gate: {tiers: [{name: deploy, commands: [./deploy.sh]}]}\n")
    shown = baton(place, "hook", "install", HOST, "--yes", "--store", "gate.db", "--workspace", "interop", "--config", "gate.yaml")
    print("with the gate:", *sorted({word for word in shown.split('"') if "ToolUse" in word}))
    done = place / "deployed.log"

    def turn(name):
        seen, output = run_host(place, home, f"{model.GATE_WORD}: deploy it.")
        print(f"  {name}:")
        tell(seen, output)
        lines = len(done.read_text().splitlines()) if done.exists() else 0
        return [words[1] for words in seen if words[0] == "agent"], output, lines
    story_, output, lines = turn("before the grant")
    requests = json.loads(baton(place, "approvals", "list", "-f", "json", "--store", "gate.db"))["approvals"]
    if story_ != ["runs it", "is denied"] or lines != 0 or len(requests) != 1:
        return f"the command was not denied: {story_}, run {lines} times"
    (request,) = requests
    # Claude Code shows the message for the person; Codex without a terminal shows only why the command was denied.
    wanted = f"baton approvals grant {request['id']} --fingerprint {request['fingerprint']}" if HOST == "claude" else request["id"]
    print("    on the screen:", "yes" if wanted in output else "no", f"({wanted[:60]})")
    if wanted not in output:
        return "what the person must know is not on the screen"
    baton(place, "approvals", "grant", request["id"], "--fingerprint", request["fingerprint"], "--actor", "user:interop", "--store", "gate.db")
    story_, _, lines = turn("after the grant")
    if story_ != ["runs it", "has run it"] or lines != 1:
        return f"the granted command was not run once: {story_}, run {lines} times"
    story_, _, lines = turn("after that")
    if story_ != ["runs it", "is denied"] or lines != 1:
        return f"the grant was used twice: {story_}, run {lines} times"
    print(f"the real {HOST} ran the gated command once, after the grant")
    return None


def evidence(place, home):
    """A test run that is claimed before it is made: sent back, made, accepted. None, or what went wrong."""
    (place / "run-tests.sh").write_text("#!/bin/sh\necho 41 passed\n")
    (place / "run-tests.sh").chmod(0o755)
    baton(place, "hook", "install", HOST, "--yes", "--store", "evidence.db", "--workspace", "interop", "--evidence", "enforce")
    print("with --evidence enforce:")
    seen, output = run_host(place, home, f"{PROMPT} {model.CLAIM_WORD}")
    tell(seen, output)
    if not (place / "evidence.db").exists():
        return "the hook was not run"
    verdicts, records = [], []
    for item in json.loads(baton(place, "ledger", "tail", "-f", "json", "--store", "evidence.db"))["entries"]:
        entry = item["entry"]
        if entry["kind"] == "handoff":
            verdicts.append(entry["verdict"])
        elif entry["refs"].get("reason") == "evidence":
            records.append(json.loads(baton(place, "ledger", "show", str(entry["seq"]), "--document", "--store", "evidence.db")))
    for record in records:
        print("    evidence:", record["transcript"]["state"], record["transcript"]["format"], record["codes"], record["agreement"])
    keep_transcripts(home)
    if story(seen) != ["claims a run it never made", "runs it", "reports the run"]:
        return f"the subagent was not sent back for its claim: {story(seen)}"
    if verdicts != ["rejected", "accepted"] or [record["transcript"]["state"] for record in records] != ["read", "read"]:
        return f"Baton did not compare both reports: {verdicts}"
    if ["EVIDENCE_NOT_RUN" in record["codes"] for record in records] != [True, False] or records[1]["agreement"]["not_run"] != 0:
        return "Baton did not find the run that was made"
    print(f"the real {HOST} sent its subagent back for a test run it never made, and accepted it after the run")
    return None


def spend(place, home, limit):
    """What a subagent with this limit did: its story, how often it ran its command, the records of the budget, its usage, and the verdicts."""
    (place / "step.sh").write_text("#!/bin/sh\necho step >> steps.log\necho done\n")
    (place / "step.sh").chmod(0o755)
    (place / "steps.log").unlink(missing_ok=True)
    (place / "budget.yaml").write_text(f"budget: {{agent: {{tokens: {limit}}}}}\n")
    store = f"budget-{limit}.db"
    baton(place, "hook", "install", HOST, "--yes", "--store", store, "--workspace", "interop", "--config", "budget.yaml")
    print(f"with a budget of {limit} tokens:")
    seen, output = run_host(place, home, f"{PROMPT} {model.SPEND_WORD}")
    tell(seen, output)
    verdicts, records = [], []
    for item in json.loads(baton(place, "ledger", "tail", "-f", "json", "--store", store))["entries"] if (place / store).exists() else []:
        entry = item["entry"]
        if entry["kind"] == "handoff":
            verdicts.append(entry["verdict"])
        elif entry["refs"].get("reason") == "budget":
            records.append(json.loads(baton(place, "ledger", "show", str(entry["seq"]), "--document", "--store", store)))
    shown = subprocess.run([BATON, "budget", "show", "-f", "json", "--store", store, "--workspace", "interop", "--config", "budget.yaml"], cwd=place,
                           check=False, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    agents = [agent for agent in json.loads(shown.stdout or b'{"budget":{"agents":[]}}')["budget"]["agents"] if agent["agent_id"] != "-"]
    used = [(agent["tokens"], agent["state"]) for agent in agents]
    steps = len((place / "steps.log").read_text().splitlines()) if (place / "steps.log").exists() else 0
    print("    steps:", steps, "records:", records, "used:", used, "exit:", shown.returncode, "ledger:", verdicts)
    return story(seen), steps, records, used, verdicts


def budget(place, home):
    """A subagent over its budget is stopped, and one within it is not. None, or what went wrong."""
    steps, tokens = model.STEPS, model.TOKENS
    told, runs, records, used, verdicts = spend(place, home, limit=3 * tokens)
    if not told or told != ["takes a step"] * (len(told) - 1) + ["is stopped"] or runs != len(told) - 2 or runs >= steps:
        return f"the subagent was not stopped: {told}, {runs} steps"
    if [(item["scope"], item["unit"], item["limit"]) for item in records] != [("agent", "tokens", 3 * tokens)] or [state for _, state in used] != ["spent"]:
        return f"the denial is not recorded once: {records}, {used}"
    if verdicts != ["accepted"]:
        return f"the report of the subagent that was stopped is not accepted: {verdicts}"
    told, runs, records, used, verdicts = spend(place, home, limit=1000 * tokens)
    if told != ["takes a step"] * steps + ["is done"] or runs != steps or records:
        return f"a subagent within its budget was stopped: {told}, {runs} steps, {records}"
    if [state for _, state in used] != ["ok"] or not all(number >= steps * tokens for number, _ in used) or verdicts != ["accepted"]:
        return f"the usage of a subagent within its budget is not counted: {used}, {verdicts}"
    print(f"the real {HOST} stopped its subagent when its budget was spent, and not before")
    return None


def keep_transcripts(home):
    """Copy the host's own transcripts to BATON_RECORD, if it is set: they become test data by hand."""
    folder = os.environ.get("BATON_RECORD")
    for number, path in enumerate(sorted([*home.rglob("rollout-*.jsonl"), *home.rglob("agent-*.jsonl")])) if folder else ():
        pathlib.Path(folder, f"{HOST}-{number}.jsonl").write_bytes(path.read_bytes())


def carry_out(folder, version):
    """Turns of the corpus, carried out by the host: the transcripts are complete, and are kept in BATON_RECORD if it is set. None, or what went wrong."""
    kept = os.environ.get("BATON_RECORD")
    for number in range(TURNS_RECORDED if kept else TURNS):
        place, home = folder / f"turn-{number}" / "project", folder / f"turn-{number}" / "home"
        for made in (place, home / ".codex", home / ".claude"):
            made.mkdir(parents=True)
        turn, stage = perform.turn_of(HOST, number), perform.Stage(place, home)
        steps = stage.steps(turn)
        seen, output = run_host(place, home, f"{model.PERFORM_WORD}: go on.", stage, steps)
        files = transcripts(home)
        said = [words[1] for words in seen if words[0] == "agent"]
        # A command in the background is reported when it ends, and the model is asked once more.
        if said[:len(steps)] != ["calls"] * len(steps) or set(said[len(steps):]) != {"is done"} or len(files) != 1:
            tell(seen, output)
            return f"turn {number} was not carried out: {len(files)} transcripts"
        shown = json.loads(baton(place, "evidence", "show", "-f", "json", str(files[0])))
        found = [call["kind"] for call in shown["calls"]]
        wanted = ["edit" if call[0] == "edit" else "reading" if tool == "Read" else "command" for call, tool, _ in steps]
        print(f"  turn {number}: {len(found)} calls, transcript {shown['transcript']['state']}, {shown['transcript']['lines']} lines")
        if shown["transcript"]["state"] != "read" or found != wanted:
            return f"turn {number}: {found} instead of {wanted}"
        if kept:
            perform.write(kept, f"{HOST}-{version}-turn-{number}", HOST, files[0].read_text(), stage, (turn, len(said)))
    print(f"the real {HOST} carried out turns of the corpus, and its transcripts show every call")
    return None


def long_session(folder, version):
    """A session with a command in the background and a refused one, which is resumed. None, or what went wrong."""
    place, home = folder / "long" / "project", folder / "long" / "home"
    for made in (place, home / ".codex", home / ".claude"):
        made.mkdir(parents=True)
    stage = perform.Stage(place, home)
    (place / "slow.sh").write_text("#!/bin/sh\nsleep 2\necho 7 passed\nexit 5\n")
    (place / "slow.sh").chmod(0o755)
    (place / "gate.yaml").write_text("gate: {tiers: [{name: deploy, commands: [./deploy.sh]}]}\n")
    baton(place, "hook", "install", HOST, "--yes", "--store", "long.db", "--workspace", "interop", "--config", "gate.yaml")
    steps = perform.long_session(HOST)
    for again, some in ((False, steps[:-1]), (True, steps)):
        seen, output = run_host(place, home, f"{model.PERFORM_WORD}: go on.", stage, some, again)
        tell(seen, output)
    files = transcripts(home)
    if len(files) != 1:
        return f"the resumed session has {len(files)} transcripts"
    kept = os.environ.get("BATON_RECORD")
    if kept:
        perform.write(kept, f"{HOST}-{version}-resumed", HOST, files[0].read_text(), stage)
    shown = json.loads(baton(place, "evidence", "show", "-f", "json", str(files[0])))
    found = [(call.get("command"), call.get("exit"), call.get("reason")) for call in shown["calls"] if call["kind"] == "command"]
    slow = (5, None) if HOST == "codex" else (None, "background")
    wanted = [("./slow.sh", *slow), (model.GATED, None, "host"), ("./run-tests.sh --all", 3, None)]
    print("    commands:", *found)
    if shown["transcript"]["state"] != "read" or found != wanted:
        return f"the transcript of the resumed session shows {found} instead of {wanted}"
    print(f"the transcript of the real {HOST} shows a command in the background, a refused one, and one after the session was resumed")
    return None


def transcripts(home):
    return sorted([*home.rglob("rollout-*.jsonl"), *(path for path in (home / ".claude").rglob("*.jsonl") if "projects" in path.parts)])


def main():
    version = subprocess.run([PROGRAM, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode().strip()
    print(f"host: {HOST}, {version}")
    with tempfile.TemporaryDirectory(prefix="baton-interop-") as folder:
        place = pathlib.Path(folder).resolve() / "project"
        home = place.parent / "home"
        for made in (place, home / ".codex", home / ".claude"):
            made.mkdir(parents=True)
        print("without Baton:")
        control, output = run_host(place, home)
        tell(control, output)
        baton(place, "hook", "install", HOST, "--yes", "--store", "store.db", "--workspace", "interop")
        print("with baton hook", HOST + ":")
        seen, output = run_host(place, home)
        tell(seen, output)
        states = json.loads(baton(place, "contract", "state", "-f", "json", "--store", "store.db")) if (place / "store.db").exists() else {"agents": []}
        for agent in states["agents"]:
            print("    baton knows:", agent["agent_id"], agent["state"], "after", agent["rejections"], "rejections")
        entries = json.loads(baton(place, "ledger", "tail", "-f", "json", "--store", "store.db"))["entries"] if states["agents"] else []
        verdicts = [entry["entry"]["verdict"] for entry in entries]
        print("    ledger:", *verdicts)
        if story(control) != ["forgets its block"]:
            return "the control did not end with the first report"
        if story(seen) != ["forgets its block", "is asked again"]:
            return "the host did not ask its subagent again, once"
        if verdicts != ["rejected", "accepted"] or [agent["state"] for agent in states["agents"]] != ["COMPLETE"]:
            return "Baton did not send the first report back and accept the second"
        print(f"the real {HOST} asked its subagent again because of baton hook {HOST}")
        number = re.search(r"\d+\.\d+\.\d+", version).group(0)
        return (resume(place, home) or evidence(place, home) or budget(place, home) or gate(place, home) or carry_out(place.parent, number)
                or long_session(place.parent, number))


if __name__ == "__main__":
    why = main()
    if why:
        print(f"failed: {why}", file=sys.stderr)
    sys.exit(1 if why else 0)
