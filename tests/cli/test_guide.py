# SPDX-License-Identifier: Apache-2.0
"""test_guide.py BATON - what agents are told before their turn: the guide, its marked block, and the skill."""
import json
import re

from block import ID, envelope, fenced, judged, said
from literal_agent import filled
from program import ROOT, claim, equal, expect, finish, folder, run

STATUSES = ("IN_PROGRESS", "APPROVAL_REQUEST", "COMPLETE", "BLOCKED", "NEEDS_INPUT")
DEMANDS = {"surface_routing": {"multi_surface": True}, "agent_contract_handoff": {"consolidation_required": True},
           "investigation_brief": {"cross_check_required": True}}


def guide(*flags, cwd=None):
    return json.loads(expect(run("contract", "template", "--guide", "-f", "json", *flags, cwd=cwd), 0).stdout)


def blocks(text):
    return re.findall(r"^```agent_contract_handoff\n(.*?)^```$", text, re.M | re.S)


@claim
def a_filled_guide_is_accepted_without_a_warning():
    with folder({f"{name}.json": json.dumps({name: flags}) for name, flags in DEMANDS.items()}) as place:
        for status in STATUSES:
            for flags in ([], *[["--input", f"{name}.json"] for name in DEMANDS]):
                for ids in ([], ["--agent-id", ID]):
                    made = guide("--status", status, *ids, *flags, cwd=place)
                    found = judged(fenced(filled(made["template"])), *flags, cwd=place)
                    equal((status, flags, [entry for entry in found["findings"] if entry["severity"] != "INFO"]), (status, flags, []))
                    equal(found["facts"]["plan_status"], status)


@claim
def a_guide_that_is_not_filled_is_rejected_mark_by_mark():
    for status in STATUSES:
        made = guide("--status", status, "--agent-id", ID)
        marks = json.dumps(made["template"]).count("<FILL:")
        found = [entry for entry in said(fenced(made["template"])) if entry.startswith("TEMPLATE_UNFILLED@HARD ")]
        equal((status, len(found)), (status, marks))


@claim
def at_most_a_hundred_marks_are_reported():
    many = envelope({"/evidence_report/key_outputs": ["<FILL: x>"] * 300, "/x_more": {"a": ["text <FILL: y>"]}})
    found = [entry for entry in judged(fenced(many))["findings"] if entry["code"] == "TEMPLATE_UNFILLED"]
    equal((len(found), found[-1]["params"]["more"]), (100, 201))


@claim
def the_guide_shows_the_block_that_it_has_as_json():
    made = guide("--agent-id", ID)
    equal([json.loads(block) for block in blocks(made["guide"])], [made["template"]])
    equal(made["template"]["agent_status"]["plan_status"], "COMPLETE")
    equal(made["guide"].encode(), run("contract", "template", "--guide", "--agent-id", ID).stdout)
    parts = [made["guide"].index(text) for text in (f"Your agent_id is {ID}", "strict JSON", *[f"- {status}: " for status in STATUSES],
                                                    "Replace every <FILL: ...>; keep or fill the lists; remove what does not apply.", "```agent_contract_handoff")]
    equal((parts, len(made["guide"]) <= 6144), (sorted(parts), True))
    equal("Your host knows your agent_id" in guide()["guide"], True)


@claim
def without_guide_the_template_is_as_it_was():
    made = json.loads(run("contract", "template", "-f", "json").stdout)
    equal((made["template"]["agent_status"]["plan_status"], made["template"]["agent_status"]["next_action"], sorted(made)), ("IN_PROGRESS", "", ["baton", "template", "text"]))
    expect(run("contract", "template", "--guide", "--bare"), 2, err="--guide shows the block in its fence")


# ---- The skill

@claim
def every_block_of_the_skill_is_accepted_without_a_warning():
    skill = expect(run("contract", "skill"), 0).stdout.decode()
    found = [judged(fenced(block)) for block in blocks(skill)]
    equal([entry["findings"] for entry in found], [[]] * len(found))
    equal({entry["facts"]["plan_status"] for entry in found}, set(STATUSES))


@claim
def the_skill_has_a_proper_front_matter():
    skill = run("contract", "skill").stdout.decode()
    version = run("version").stdout.decode().split()[1]
    front, body = re.match(r"---\n(.*?)\n---\n(.*)$", skill, re.S).groups()
    name, description, *more = front.split("\n")
    equal((name, more), ("name: baton-contract", ["metadata:", f'  version: "{version}"']))
    equal((description.startswith("description: "), len(description.encode()) <= 1024, len(body.split("\n")) <= 300), (True, True, True))
    equal(skill, (ROOT / "src/dialect/contract/SKILL.md").read_text(encoding="utf-8").replace("@VERSION@", version))


finish()
