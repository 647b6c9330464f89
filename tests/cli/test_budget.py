# SPDX-License-Identifier: Apache-2.0
"""test_budget.py BATON - what agents spent, from transcripts, beside their limits."""
import json

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


finish()
