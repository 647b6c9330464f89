# SPDX-License-Identifier: Apache-2.0
"""hook.py BATON HOST PROGRAM - a real agent host, offline, must be made to ask its subagent again by `baton hook HOST`, must be able to resume a
subagent that asked a question, must send one back that claims a test run it never made, and must not run a command that needs consent before a
person grants it, and then once.

Everything is told, so that the output is the proof. A second run without Baton is the control: there the subagent is not asked again.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import model

TIMEOUT_S = 120
BATON, HOST, PROGRAM = (str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve()))
PROMPT = f"{model.ROOT_WORD}: hand the task to a subagent and wait for it."


def environment(home, port):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(pathlib.Path(BATON).parent), kept.get("PATH", "/usr/bin:/bin")])
    return {**kept, "HOME": str(home), "CODEX_HOME": str(home / ".codex"), "STUB_KEY": "none", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "none", "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}


def command(port, place, prompt):
    if HOST == "codex":
        provider = f'{{name="stub",base_url="http://127.0.0.1:{port}/v1",wire_api="responses",env_key="STUB_KEY"}}'
        # A host that nobody sits at cannot be asked to trust the hook, so it is told to.
        return [PROGRAM, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-m", "gpt-5", "-s", "workspace-write",
                "-c", "model_provider=stub", "-c", f"model_providers.stub={provider}",
                "-c", f'projects={{"{place}"={{trust_level="trusted"}}}}', prompt]
    # The stream shows what the person sees, messages of hooks too.
    return [PROGRAM, "-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "Agent,Task,Bash", "--setting-sources", "project",
            "--output-format", "stream-json", "--verbose", "--include-hook-events"]


def baton(place, *words):
    return subprocess.run([BATON, *words], cwd=place, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.decode()


def run_host(place, home, prompt=PROMPT):
    """What the model was asked, in order. Only the host's own group of processes is ended when it takes too long."""
    server = model.serve()
    port = server.server_address[1]
    process = subprocess.Popen(command(port, place, prompt), cwd=place, env=environment(home, port), stdin=subprocess.DEVNULL,
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


def keep_transcripts(home):
    """Copy the host's own transcripts to BATON_RECORD, if it is set: they become test data by hand."""
    folder = os.environ.get("BATON_RECORD")
    for number, path in enumerate(sorted([*home.rglob("rollout-*.jsonl"), *home.rglob("agent-*.jsonl")])) if folder else ():
        pathlib.Path(folder, f"{HOST}-{number}.jsonl").write_bytes(path.read_bytes())


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
        return resume(place, home) or evidence(place, home) or gate(place, home)


if __name__ == "__main__":
    why = main()
    if why:
        print(f"failed: {why}", file=sys.stderr)
    sys.exit(1 if why else 0)
