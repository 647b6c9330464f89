# SPDX-License-Identifier: Apache-2.0
"""test_convergence.py BATON - repair prompts suffice: an agent that only follows their `fix:` lines gets its block accepted."""
import json
import pathlib
import random
import re

from block import CONSOLIDATION, GONE, ID, KEYS, REQUEST, envelope, fenced
from literal_agent import FENCE, follow
from program import SANITIZED, claim, equal, finish, folder, report, run

SEED = 20261117
BLOCKS_PER_KIND = 2 if SANITIZED else 10


def prompt_for(message, attempt, *flags):
    """What the agent is told about its message; "" when it is accepted."""
    result = run("contract", "repair-prompt", "--attempt", str(attempt), *flags, "-", stdin=message)
    if result.returncode == 2:
        raise AssertionError(result.stderr)
    return result.stdout.decode()


def attempts_until_accepted(message, *flags, limit=2, edit=lambda prompt: prompt):
    """How many repairs it takes; limit + 1 when it is not accepted after `limit`."""
    for attempt in range(1, limit + 2):
        prompt = prompt_for(message, attempt, *flags)
        if not prompt:
            return attempt - 1
        if attempt <= limit:
            message = follow(message, edit(prompt))
    return limit + 1


# ---- Every HARD code

def submitted(place, message, *flags, env=None):
    """The repair prompt of the hook, or "" when the report is accepted."""
    event = {"session_id": "s", "hook_event_name": "SubagentStop", "agent_id": ID, "last_assistant_message": message}
    result = run("hook", "claude", "--store", "s.db", "--workspace", "w", *flags, stdin=json.dumps(event), cwd=place, env=env)
    equal(result.returncode, 0)
    return json.loads(result.stdout).get("reason", "") if result.stdout else ""


def bare(changes=None, **more):
    return fenced(envelope(changes, **more)).encode()


# One message for each code that a block can get, found without a store.
STATELESS = {
    "AGENT_ID": bare({"/agent_status/agent_id": GONE}),
    "AGENT_ID_FORMAT": bare({"/agent_status/agent_id": "worker 7"}),
    "AGENT_STATUS": bare({"/agent_status": GONE}),
    "APPROVAL_ID_FORMAT": bare({"/approval_request": {**REQUEST, "approval_id": "P-1"}}),
    "APPROVAL_NOT_CANONICAL": bare({"/approval_request": {**REQUEST, "x_cost": 2 ** 60, "x_name": "\ud800"}}),
    "APPROVAL_REQUEST": bare({"/approval_request": "do it"}),
    "APPROVAL_REQUEST_ROLLBACK": bare({"/approval_request": {**REQUEST, "rollback": ""}}),
    "APPROVAL_REQUEST_VERIFICATION": bare({"/approval_request": {**REQUEST, "verification": []}}),
    "CONSOLIDATION_REPORT": bare({"/consolidation_report": "none"}),
    "CONTRACT_BLOCK_MISSING": b"All done.",
    "CONTRACT_BLOCK_UNCLOSED": bare()[:-4],
    "CONTRACT_NOT_OBJECT": fenced("[1]").encode(),
    "CREDENTIAL_IN_PAYLOAD": bare({"/update_contracts": [{"contract": "s", "payload": {"u": "https://bot:hunter2@git.example.com/a"}}]}),
    "EVIDENCE_REPORT": bare({"/evidence_report": []}, status="IN_PROGRESS"),
    "JSON_DUPLICATE_KEY": fenced('{"agent_status":{},' + json.dumps(envelope())[1:]).replace('"agent_status":{},', "", 1).replace(
        '"pending_steps": []', '"pending_steps": [], "pending_steps": [1]').encode(),
    "JSON_SYNTAX": fenced(json.dumps(envelope()).replace("}}", "},}")).encode(),
    "JSON_TOO_DEEP": bare({"/x_deep": json.loads("[" * 200 + "]" * 200)}),
    "JSON_UTF8": bare().replace(b"Report.", b"Report \xff."),
    "LOOP_STATE_INCOMPLETE": bare({"/loop_state": {"iteration": 1, "max_iterations": 5, "metric": 1, "threshold": 2}}, status="COMPLETE"),
    "NEXT_ACTION": bare({"/agent_status/next_action": "\u200b"}),
    "NEXT_BEST_AGENT": bare({"/consolidation_report": {**CONSOLIDATION, "next_best_agent": 7}}),
    "OWNERSHIP_ASSESSMENT": bare({"/consolidation_report": {**CONSOLIDATION, "ownership_assessment": "mine"}}),
    "PENDING_STEPS": bare({"/agent_status/pending_steps": None}),
    "PLAN_STATUS": bare({"/agent_status/plan_status": "DONE"}),
    "TEMPLATE_UNFILLED": bare({"/agent_status/next_action": "<FILL: what should happen next>"}),
    "UPDATE_CONTRACTS_SHAPE": bare({"/update_contracts": [{"contract": "", "payload": []}, 7]}),
    "VERIFICATION_RESULT_MUST_BE_PASS": bare({"/evidence_report/verification": {"result": "mostly"}}, status="COMPLETE"),
    "VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE": bare({"/evidence_report/verification": GONE}, status="COMPLETE"),
}
STATELESS.update({key.upper(): bare({f"/evidence_report/{key}": GONE}) for key in KEYS})
STATELESS.update({key.upper(): bare({"/consolidation_report": {name: value for name, value in CONSOLIDATION.items() if name != key}})
                  for key in ("confirmed_findings", "suspected_findings", "conflicts")})

# Codes that need a store, a host or a flag: flags of the hook, reports that are accepted before, the message.
ASKING = {"/approval_request": REQUEST}
STATEFUL = {
    "AGENT_ID_MISMATCH": ((), (), bare({"/agent_status/agent_id": "affffffffffffffff"})),
    "APPROVAL_ID_NOT_PENDING": (("--approval-ids", "own"), (), bare({"/approval_request": {**REQUEST, "approval_id": "P-" + "f" * 32}}, status="APPROVAL_REQUEST")),
    "APPROVAL_TAMPERED": (("--seed", "7"), (bare(ASKING, status="APPROVAL_REQUEST"), bare()),
                          bare({"/approval_request": {**REQUEST, "exact_content": "rm -rf /", "approval_id": "P-a8f26e34e36cab11a25a71343f6f1d8f"}}, status="APPROVAL_REQUEST")),
    "ILLEGAL_TRANSITION": (("--transitions", "strict"), (bare(status="NEEDS_INPUT"),), bare(status="COMPLETE")),
    "IN_PROGRESS_RETRY_CAP": ((), (bare(), bare(), bare()), bare()),
    "JSON_TOO_LARGE": ((), (), bare({"/agent_status/next_action": "x" * 9000})),
    "UPDATE_CONTRACTS_NOT_WRITABLE": (("--off-list", "reject"), (), bare({"/update_contracts": [{"contract": "s", "payload": {}}]})),
}
# What no block can get, and why.
ELSEWHERE = {
    **{f"APPROVAL_{word}": "about a command of a person" for word in ("CONSUMED", "EXPIRED", "MISMATCH", "NOT_APPROVED", "NOT_PENDING", "SELF", "UNKNOWN")},
    "CONTRACT_REJECTION_LIMIT": "a person inspects",
    "SCHEMA_TYPE": "about an INPUT",
    **{f"EVIDENCE_{word}": "about a transcript" for word in ("FAILED", "FILE_UNTOUCHED", "NOT_RUN", "OUTPUT", "STALE")},
}


@claim
def every_hard_code_of_the_dialect_is_tried():
    """Codes that are HARD by default; two more are that by a flag, and the shared ones are about JSON."""
    rules = json.loads(run("rules", "-f", "json").stdout)["rules"]
    own = {rule["code"] for rule in rules if rule["severity"] == "HARD" and rule["dialects"] == ["contract"]}
    tried = {*STATELESS, *STATEFUL}
    equal(sorted(own - tried - set(ELSEWHERE)), [])
    equal(sorted(tried - own), ["ILLEGAL_TRANSITION", "JSON_DUPLICATE_KEY", "JSON_SYNTAX", "JSON_TOO_DEEP", "JSON_TOO_LARGE", "JSON_UTF8", "UPDATE_CONTRACTS_NOT_WRITABLE"])


@claim
def each_hard_code_is_settled_by_its_fix_line():
    for code, message in sorted(STATELESS.items()):
        for flags in ((), ("--runtime-agent-id", ID)):
            errors = report(run("contract", "repair-prompt", "-f", "json", *flags, "-", stdin=message))["repair"]["errors"]
            if code not in [error["code"] for error in errors] or not all(error["hint"] for error in errors):
                raise AssertionError(f"{code} {flags}: {errors}")
            tries = attempts_until_accepted(message, *flags, limit=1)
            equal((code, flags, tries), (code, flags, 1))


@claim
def each_hard_code_that_needs_a_store_is_settled_by_its_fix_line():
    for code, (flags, before, message) in sorted(STATEFUL.items()):
        with folder({"etc/baton/config.yaml": "limits: {document_bytes: 4096}\n" if code == "JSON_TOO_LARGE" else "limits: {document_bytes: 65536}\n"}) as place:
            env = {"XDG_CONFIG_HOME": str(pathlib.Path(place) / "etc")}
            for earlier in before:
                equal((code, submitted(place, earlier.decode(), *flags, env=env)), (code, ""))
            prompt = submitted(place, message.decode(), *flags, env=env)
            if not re.search(rf"^\d+\. {code} at ", prompt, re.M):
                raise AssertionError(f"{code}: {prompt}")
            equal((code, submitted(place, follow(message, prompt).decode(), *flags, env=env)), (code, ""))


# ---- 200 broken blocks of 20 kinds

def words(rng):
    return " ".join(rng.choice("read the parser wrote a test ran make found nothing left open `x` {y} // z # w".split()) for _ in range(rng.randint(2, 6)))


def good(rng, status="IN_PROGRESS"):
    changes = {"/agent_status/next_action": words(rng)}
    for key in rng.sample(KEYS[:-1], 3):
        changes[f"/evidence_report/{key}"] = [words(rng) for _ in range(rng.randint(1, 3))]
    return envelope(changes, status=status)


def broken(change, status="IN_PROGRESS"):
    """A kind of message: an envelope that `change(rng, envelope)` breaks, with one more mistake now and then."""
    def make(rng):
        made = good(rng, status)
        change(rng, made)
        if rng.random() < 0.2 and isinstance(made.get("evidence_report"), dict):
            made["evidence_report"].pop(rng.choice(KEYS), None)
        return fenced(json.dumps(made))
    return make


def respelled(change):
    """A kind of message: the text of a good envelope that `change(rng, text)` spoils."""
    return lambda rng: change(rng, json.dumps(good(rng)))


def drop(rng, made, part, names):
    for name in rng.sample(names, rng.randint(1, min(4, len(names)))):
        made[part].pop(name)


def set_at(part, name, choices):
    return lambda rng, made: made[part].update({name: rng.choice(choices)})


KINDS = {
    "no block": lambda rng: "I am done: " + words(rng),
    "object without a fence": respelled(lambda rng, text: text),
    "fence called json": respelled(lambda rng, text: f"Report.\n\n```json\n{text}\n```\n"),
    "fence not closed": respelled(lambda rng, text: f"{FENCE}\n{text}\n"),
    "cut off": respelled(lambda rng, text: fenced(text[:rng.randint(20, len(text) - 5)])),
    "YAML": lambda rng: fenced(f"agent_status:\n  plan_status: COMPLETE\n  next_action: {words(rng)}"),
    "trailing comma": respelled(lambda rng, text: fenced(text.replace("}}", "},}"))),
    "comments": respelled(lambda rng, text: fenced(text.replace("{", "{ // note\n", 1).replace("}", "/* end */}", 1))),
    "names without quotes": respelled(lambda rng, text: fenced(re.sub(r'"(agent_status|evidence_report|open_gaps)":', r"\1:", text))),
    "line break in a string": respelled(lambda rng, text: fenced(text.replace('"go', '"go').replace('"next_action": "', '"next_action": "first\n'))),
    "name twice": respelled(lambda rng, text: fenced(text.replace('"pending_steps": []', '"pending_steps": [], "pending_steps": []'))),
    "unknown status": broken(set_at("agent_status", "plan_status", ["DONE", "FAILED", "WAITING", "COMPLETD", "banana", 7])),
    "evidence keys missing": broken(lambda rng, made: drop(rng, made, "evidence_report", list(KEYS))),
    "no evidence": broken(lambda rng, made: made.pop("evidence_report"), "COMPLETE"),
    "status members missing": broken(lambda rng, made: drop(rng, made, "agent_status", ["plan_status", "pending_steps", "next_action"])),
    "wrong or no id": broken(set_at("agent_status", "agent_id", ["worker-7", "", None, 12, "A80177B959C721DA1"])),
    "not verified": broken(lambda rng, made: made["evidence_report"].update(verification=rng.choice([{"result": "fail"}, "pass", {}])), "COMPLETE"),
    "half a request": broken(lambda rng, made: made.update(approval_request=rng.choice([None, {}, {"operation": words(rng)}, {**REQUEST, "rollback": " "}])), "APPROVAL_REQUEST"),
    "template copied": lambda rng: json.loads(run("contract", "template", "--guide", "--agent-id", ID, "--status", rng.choice(["COMPLETE", "BLOCKED", "NEEDS_INPUT", "APPROVAL_REQUEST"]), "-f", "json").stdout)["guide"],
    "bad updates": broken(lambda rng, made: made.update(update_contracts=rng.choice([{"a": 1}, [{"contract": 7}], [{"contract": "s", "payload": {"u": "http://me:pw@h.example/x"}}], [[], {"payload": {}}]]))),
}


def tries_of_all(edit):
    """{kind: [repairs that each of its messages takes]}"""
    rng = random.Random(SEED)
    return {kind: [attempts_until_accepted(make(rng).encode(), edit=edit) for _ in range(BLOCKS_PER_KIND)] for kind, make in KINDS.items()}


@claim
def broken_blocks_converge():
    tries = tries_of_all(lambda prompt: prompt)
    print(f"# {'kind':26} {'blocks':>6} {'after one':>9} {'after two':>9}")
    for kind, taken in [*tries.items(), ("all", sum(tries.values(), []))]:
        print(f"# {kind:26} {len(taken):6} {sum(n <= 1 for n in taken):9} {sum(n <= 2 for n in taken):9}")
    taken = sum(tries.values(), [])
    equal((len(taken), min(taken)), (20 * BLOCKS_PER_KIND, 1))
    equal([kind for kind, taken in tries.items() if max(taken) > 2], [])
    if sum(n <= 1 for n in taken) < 19 * BLOCKS_PER_KIND:
        raise AssertionError(f"only {sum(n <= 1 for n in taken)} after one repair")


@claim
def without_their_fix_lines_they_do_not():
    tries = tries_of_all(lambda prompt: "\n".join(line for line in prompt.split("\n") if not line.startswith("   fix: ")))
    equal({kind: min(taken) for kind, taken in tries.items()}, {kind: 3 for kind in KINDS})


@claim
def every_hard_rule_has_a_hint():
    rules = (pathlib.Path(__file__).parents[2] / "src/dialect/contract/contract.rules").read_text(encoding="utf-8")
    for rule in re.split(r"^rule ", rules, flags=re.M)[1:]:
        code = rule.split()[0]
        if re.search(r"^  severity  HARD", rule, re.M) and code != "SCHEMA_TYPE":  # whose text is shared, and its hint too
            equal((code, "\n  hint " in rule), (code, True))


finish()
