# SPDX-License-Identifier: Apache-2.0
"""claude_agent_sdk_handoff.py [PROGRAM] - the hooks that a client of the Claude Agent SDK gets from Baton, asked as the client asks them. No key, no network.

PROGRAM is the `baton` that records the ends of subagents.
"""
import asyncio
import json
import sys
import uuid

from claude_agent_sdk import ClaudeAgentOptions

from baton.adapters.claude_agent_sdk import Gate


def play(gate, briefs):
    """A run in which the model starts subagents with these briefs. What the model was told, what the builder was given, and its answer."""
    options = ClaudeAgentOptions(hooks=gate.hooks())
    return asyncio.run(_play(options.hooks["PreToolUse"][0].hooks[0], briefs, str(uuid.uuid4())))


async def _play(check, briefs, session):
    told, given = ["Plan the release"], ""
    for brief in briefs:
        event = {"hook_event_name": "PreToolUse", "session_id": session, "tool_name": "Task",
                 "tool_input": {"subagent_type": "builder", "prompt": json.dumps(brief)}}
        answer = await check(event, None, None)
        if answer.get("continue_") is False:
            raise RuntimeError(answer["stopReason"])
        if answer:
            told.append(answer["hookSpecificOutput"]["permissionDecisionReason"])
        else:
            given = json.dumps(brief)
            break
    return told, given, "Built." if given else "Stopped."


def main(program="baton"):
    told, _given, result = play(Gate(program=program), [{"working": {"release": "1.4"}}, {"summary": "Build release 1.4."}])
    print(told[1])
    print("the builder said:", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
