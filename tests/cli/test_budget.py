# SPDX-License-Identifier: Apache-2.0
"""test_budget.py BATON - what agents spent, from transcripts, beside their limits."""
import json
import pathlib

from program import claim, equal, expect, finish, folder, report, run, told


def answer(number, agent="-", model="m", **usage):
    """A line of Claude Code about one answer."""
    names = {"input": "input_tokens", "output": "output_tokens", "read": "cache_read_input_tokens", "write": "cache_creation_input_tokens"}
    line = {"type": "assistant", "isSidechain": agent != "-", "message": {"id": f"msg_{number}", "model": model, "content": [], "usage": {names[key]: value for key, value in usage.items()}}}
    return json.dumps({**line, "agentId": agent} if agent != "-" else line) + "\n"


def show(place, *args, code=0):
    return report(expect(run("budget", "show", "-f", "json", *args, cwd=place), code))


PRICES = [{"model": "m", "input": "1", "output": "2", "cache_read": "0.000001", "cache_write": "3"}]


@claim
def costs_are_exact_where_floating_point_is_not():
    # 2^53 + 1 tokens at a price of one millionth for a million: no double holds the number.
    with folder({"t.jsonl": answer(1, read=2 ** 53 + 1), "c.yaml": json.dumps({"budget": {"prices": PRICES}})}) as place:
        made = show(place, "--transcript", "t.jsonl", "--config", "c.yaml")["budget"]
        equal(made["agents"][0]["models"], {"m": {"input": 0, "output": 0, "cache_read": 2 ** 53 + 1, "cache_write": 0}})
        equal(made["agents"][0]["cost"], "9007.199255")
    # Three answers of a third of a unit each are a whole one: nothing is rounded before the sum.
    with folder({"t.jsonl": answer(9) + "".join(answer(number, f"a{number}", input=1) for number in range(3)),
                 "c.yaml": json.dumps({"budget": {"prices": [{**PRICES[0], "input": "0.333333"}], "session": {"cost": "0.000001"}}})}) as place:
        made = show(place, "--transcript", "t.jsonl", "--config", "c.yaml")["budget"]
        equal([item["cost"] for item in made["agents"]], ["0.000000"] * 3)
        equal((made["session"]["cost"], made["session"]["percent"], made["session"]["state"]), ("0.000001", 99, "low"))


@claim
def a_wrong_line_makes_no_number_up():
    for usage in ({"input": -5}, {"input": 1.5}, {"input": "7"}, {"input": 10 ** 30}, {"input": None}):
        with folder({"t.jsonl": answer(1, **usage) + answer(2, output=3)}) as place:
            equal((usage, show(place, "--transcript", "t.jsonl")["budget"]["session"]["tokens"]), (usage, 3))


@claim
def limits_need_a_configuration_that_is_right():
    for limit, pointer in (({"tokens": 0}, "budget.agent.tokens"), ({"cost": "0"}, "budget.agent.cost"), ({"cost": "1.0000001"}, "budget.agent.cost"), ({}, "budget.agent")):
        with folder({"t.jsonl": answer(1, input=1), "c.yaml": json.dumps({"budget": {"agent": limit}})}) as place:
            made = run("budget", "show", "--transcript", "t.jsonl", "--config", "c.yaml", cwd=place)
            equal((made.returncode, pointer in told(made)), (2, True))


@claim
def a_project_file_sets_no_limits_and_no_prices():
    with folder({"t.jsonl": answer(1, input=9), "baton.yaml": json.dumps({"budget": {"agent": {"tokens": 1}, "prices": PRICES}})}) as place:
        made = show(place, "--transcript", "t.jsonl")["budget"]["agents"][0]
        equal((made["limit"], made["cost"], made["state"]), (None, None, "ok"))
        # The control: the same file, named by a person.
        made = show(place, "--transcript", "t.jsonl", "--config", "baton.yaml", code=1)["budget"]["agents"][0]
        equal((made["limit"], made["cost"], made["state"]), ({"tokens": 1, "cost": None}, "0.000009", "spent"))


@claim
def usage_errors_are_told():
    with folder({"t.jsonl": answer(1, input=1), "x.jsonl": "nothing\n", "y.jsonl": "{}\n"}) as place:
        for args, words in (((), "--transcript"), (("--transcript", "none.jsonl"), "none.jsonl"), (("--transcript", "x.jsonl"), "not a transcript"),
                            (("--transcript", "y.jsonl"), "not a transcript"), (("--transcript", "t.jsonl", "--parent", "none"), "none")):
            made = run("budget", "show", *args, cwd=place)
            equal((args, made.returncode, words in told(made)), (args, 2, True))


@claim
def people_get_a_table():
    with folder({"t.jsonl": answer(1, input=70, output=10) + answer(2, "a80177b959c721da1", input=5),
                 "c.yaml": json.dumps({"budget": {"prices": PRICES, "agent": {"tokens": 100}}})}) as place:
        made = expect(run("budget", "show", "--transcript", "t.jsonl", "--config", "c.yaml", cwd=place), 0).stdout.decode()
        equal([line.split() for line in made.splitlines()][:4], [
            ["AGENT", "TOKENS", "COST", "USED", "STATE", "LIMIT"], ["-", "80", "0.000090", "80%", "low", "80", "of", "100", "tokens"],
            ["a80177b959c721da1", "5", "0.000005", "5%", "ok", "5", "of", "100", "tokens"], ["all", "85", "0.000095", "-", "ok", "-"]])
        equal("BUDGET_LOW" in made, True)


# ---- Chains of handoffs

TRACE = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
NOW = ("--now", "2026-04-14T09:00:00Z")


def hop(budget, source="release-planner", target="patch-builder", trace=TRACE, **more):
    meta = {"token_count": 150, "confidence": "high", **({} if budget is None else {"baton_budget": budget})}
    return json.dumps({"handoff": {
        "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": trace,
        "source": {"skill": source, "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"}, "target": {"skill": target},
        "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"}, "payload": {"working": {"ticket": "DP-118"}},
        "meta": {**meta, **more}}})


def tokens(limit, left):
    return {"v": 1, "tokens": {"limit": limit, "left": left}}


def cost(limit, left, currency="USD"):
    return {"v": 1, "cost": {"limit": limit, "left": left, "currency": currency}}


def found(place, *args, code):
    made = report(expect(run(*args, "-f", "json", *NOW, cwd=place), code))["documents"][-1]
    return [(item["code"], item["pointer"], item.get("params", {}).get("reason")) for item in made["findings"] if item["code"] != "TOKENS_DRIFT"]


SHAPES = [
    [], "x", 1, True, {}, {"v": 1}, {"v": 2, "tokens": {"limit": 1, "left": 1}}, {"v": "1", "tokens": {"limit": 1, "left": 1}}, {"tokens": {"limit": 1, "left": 1}},
    {"v": 1, "tokens": 5}, tokens(-1, 0), tokens(1.5, 1), tokens("5", "5"), tokens(2 ** 53, 1), tokens(1, 2), {"v": 1, "tokens": {"limit": 5}},
    {"v": 1, "tokens": {"limit": 5, "left": 5, "currency": "USD"}}, {**tokens(5, 5), "more": 1}, cost("1", "2"), cost("1", "01"), cost("1e3", "1"), cost("1.0000000", "1"),
    cost(1, 1), cost("1", "1", "usd"), cost("1", "1", ""), {"v": 1, "cost": {"limit": "1", "left": "1"}}, cost("1000000000000", "1"),
]


@claim
def a_budget_that_two_readers_could_read_differently_is_malformed():
    for shape in SHAPES:
        with folder({"h.json": hop(shape)}) as place:
            made = found(place, "check", "--as", "universal", "h.json", code=1)
            equal((shape, [code for code, _, _ in made], made[0][1].startswith("/handoff/meta/baton_budget")), (shape, ["BUDGET_SHAPE"], True))
    for shape in (tokens(2 ** 53 - 1, 2 ** 53 - 1), cost("999999999999.999999", "999999999999.999999"), {**tokens(5, 5), **cost("0.5", "0.5")}):
        with folder({"h.json": hop(shape)}) as place:
            equal((shape, found(place, "check", "--as", "universal", "h.json", code=0)), (shape, []))


@claim
def a_budget_only_shrinks():
    both = {**tokens(100, 90), **cost("4", "3")}
    rows = [(both, both, []), (both, {**tokens(100, 90), **cost("4.000000", "3.0")}, []), (both, tokens(100, 90), ["missing"]), (both, None, ["missing", "missing"]),
            (both, {**tokens(101, 90), **cost("4", "3")}, ["limit"]), (both, {**tokens(100, 91), **cost("4", "3.000001")}, ["left", "left"]),
            (both, {**tokens(100, 90), **cost("4", "3", "EUR")}, ["currency"]), (None, both, []), (tokens(100, 90), both, [])]
    for before, after, reasons in rows:
        with folder({"p.json": hop(before), "h.json": hop(after)}) as place:
            made = found(place, "check", "--as", "universal", "--previous", "p.json", "h.json", code=1 if reasons else 0)
            equal((before, after, made), (before, after, [("BUDGET_GREW", "/handoff/meta/baton_budget", reason) for reason in reasons]))
    with folder({"p.json": hop(both), "other.json": hop(both, trace="11111111-2222-4333-8444-555555555555"), "bad.json": hop([])}) as place:
        for command in ("check", "repair", "write"):
            equal((command, run(command, "--previous", "p.json", "other.json", cwd=place).returncode), (command, 2))
        for previous in ("bad.json", "none.json"):
            equal((previous, run("check", "--previous", previous, "p.json", cwd=place).returncode), (previous, 2))


@claim
def the_configuration_is_a_ceiling_that_a_project_can_only_lower():
    with folder({"h.json": hop({**tokens(100, 100), **cost("4", "4")}), "baton.yaml": json.dumps({"budget": {"chain": {"tokens": 99}}}),
                 "high.yaml": json.dumps({"budget": {"chain": {"tokens": 100, "cost": 4}}}), "low.yaml": json.dumps({"budget": {"chain": {"tokens": 99, "cost": 3.999999}}})}) as place:
        grew = ("BUDGET_GREW", "/handoff/meta/baton_budget", "limit")
        equal(found(place, "check", "h.json", code=1), [grew])
        equal(found(place, "check", "--config", "high.yaml", "h.json", code=0), [])
        equal(found(place, "check", "--config", "low.yaml", "h.json", code=1), [grew, grew])


@claim
def the_ledger_knows_the_hop_before():
    with folder({"p.json": hop(tokens(100, 90)), "more.json": hop(tokens(100, 95), "patch-builder", "checker"), "gone.json": hop(None, "patch-builder", "checker"),
                 "less.json": hop(tokens(100, 50), "patch-builder", "checker"), "other.json": hop(tokens(500, 500), trace="11111111-2222-4333-8444-555555555555"),
                 "again.json": hop(tokens(100, 60), "checker", "planner")}) as place:
        expect(run("ledger", "init", "--origin", "ledger.example/b", cwd=place), 0)
        append = ("ledger", "append", "--as", "universal")
        # In one transaction too: what was added before counts.
        equal(found(place, *append, "p.json", "more.json", code=1), [("BUDGET_GREW", "/handoff/meta/baton_budget", "left")])
        equal(found(place, *append, "gone.json", code=1), [("BUDGET_GREW", "/handoff/meta/baton_budget", "missing")])
        equal(found(place, *append, "other.json", code=0), [])
        made = report(expect(run(*append, "-f", "json", *NOW, "less.json", cwd=place), 0))["documents"][0]
        equal(made["facts"]["budget"], {**tokens(100, 50), "previous": "ledger"})
        # A rejected hop is not the hop before: the last accepted one is.
        equal(found(place, *append, "again.json", code=1), [("BUDGET_GREW", "/handoff/meta/baton_budget", "left")])
        # The control: without its document the hop before that one counts.
        equal(run("ledger", "redact", str(made["record"]["seq"]), "--actor", "user:ana", "--reason", "test", cwd=place).returncode, 0)
        equal(found(place, *append, "again.json", code=0), [])
        # What is remembered of budgets is part of the store.
        expect(run("store", "check", cwd=place), 0)


@claim
def neither_fixes_nor_compression_nor_a_model_change_a_budget():
    broken = json.loads(hop(tokens(100, 90)))
    del broken["handoff"]["context"]["summary"]
    large = json.loads(hop(tokens(100, 90)))
    large["handoff"]["payload"]["working"]["notes"] = "word " * 3000
    near = json.loads(hop(None))
    near["handoff"]["meta"]["baton_budgt"] = tokens(100, 90)
    summary = {"op": "add", "path": "/handoff/context/summary", "value": "Build it."}
    with folder({"broken.json": json.dumps(broken), "large.json": json.dumps(large), "near.json": json.dumps(near), "good.json": json.dumps([summary]),
                 "bad.json": json.dumps([summary, {"op": "replace", "path": "/handoff/meta/baton_budget/tokens/left", "value": 99}]),
                 "gone.json": json.dumps([summary, {"op": "remove", "path": "/handoff/meta/baton_budget"}])}) as place:
        for answer, code in (("good.json", 0), ("bad.json", 1), ("gone.json", 1)):
            made = report(expect(run("repair", "-f", "json", *NOW, "--apply-answer", answer, "broken.json", cwd=place), code))["documents"][0]
            equal((answer, "ANSWER_OUT_OF_SCOPE" in [item["code"] for item in made["findings"]]), (answer, code == 1))
        for command in (("compress",), ("compress", "--literal"), ("repair",)):
            made = report(expect(run(*command, "-f", "json", *NOW, "large.json", cwd=place), 0))["documents"][0]
            equal((command, made["document"]["handoff"]["meta"]["baton_budget"]), (command, tokens(100, 90)))
        expect(run("check", "--fix", "--unsafe-fixes", *NOW, "near.json", cwd=place), 0)
        equal("baton_budget" in pathlib.Path(place, "near.json").read_text(), False)


@claim
def what_was_spent_is_taken_off():
    with folder({"p.json": hop({**tokens(100, 90), **cost("4.00", "3.5")}), "t.jsonl": answer(1, input=30, output=5) + answer(2, model="other", input=1), "n.json": hop(None),
                 "c.yaml": json.dumps({"budget": {"prices": [{**PRICES[0], "model": "*", "input": "100000"}]}})}) as place:
        new = ("new", "universal", "--source", "patch-builder", "--target", "checker", "--summary", "Check it.", "--dry-run", "-f", "json", *NOW)
        rows = [(("--continue", "p.json"), {**tokens(100, 90), **cost("4.000000", "3.500000")}),
                (("--continue", "p.json", "--spent-tokens", "91", "--spent-cost", "0.1"), {**tokens(100, 0), **cost("4.000000", "3.400000")}),
                (("--continue", "p.json", "--spent-transcript", "t.jsonl", "--config", "c.yaml"), {**tokens(100, 54), **cost("4.000000", "0.399990")}),
                (("--continue", "p.json", "--budget-tokens", "50"), {**tokens(50, 50), **cost("4.000000", "3.500000")}),
                (("--continue", "p.json", "--budget-tokens", "5000"), {**tokens(100, 90), **cost("4.000000", "3.500000")}),
                (("--budget-tokens", "7", "--spent-tokens", "3"), tokens(7, 4)), (("--spent-tokens", "3"), None)]
        for args, wanted in rows:
            made = report(run(*new, *args, cwd=place))["documents"][0]["document"]["handoff"]["meta"].get("baton_budget")
            equal((args, made), (args, wanted))
        for args in (("--budget-tokens", "0"), ("--budget-cost", "0"), ("--spent-cost", "1,5"), ("--spent-tokens", "-1"), ("--agent", "a1"), ("--spent-transcript", "none"),
                     ("--continue", "p.json", "--spent-transcript", "t.jsonl")):
            equal((args, run(*new, *args, cwd=place).returncode), (args, 2))
        made = report(expect(run("write", "-f", "json", "--dry-run", *NOW, "--budget-tokens", "9", "--spent-tokens", "2", "n.json", cwd=place), 0))["documents"][0]
        equal(made["facts"]["budget"], {**tokens(9, 7), "previous": "none"})


finish()
