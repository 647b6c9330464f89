# SPDX-License-Identifier: Apache-2.0
"""transcripts.py - transcripts as agent hosts write them, line by line, for the tests beside it."""
import itertools
import json

THREAD = "019b0000-0000-7000-8000-000000000002"


class Claude:
    """The file of an agent of Claude Code."""
    host = "claude"

    def __init__(self, agent=None):
        self.agent = agent
        self.lines = []
        self.number = itertools.count(1)
        self.say("user", "go on")

    def say(self, kind, content, **more):
        n = next(self.number)
        line = {"isSidechain": self.agent is not None, **({"agentId": self.agent} if self.agent else {}), "cwd": "/repo", "version": "2.1.270", "type": kind,
                "message": {"role": kind, "content": content}, "uuid": f"u{n}", **more}
        if kind == "assistant":
            line["message"].update(id=f"msg_{n}", model="claude-opus-5", usage={"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 7,
                                                                               "cache_creation_input_tokens": 2})
        self.lines.append(json.dumps(line))
        return n

    def call(self, tool, given):
        n = self.say("assistant", [])
        line = json.loads(self.lines[-1])
        line["message"]["content"] = [{"type": "tool_use", "id": f"toolu_{n}", "name": tool, "input": given}]
        self.lines[-1] = json.dumps(line)
        return f"toolu_{n}"

    def result(self, call, text, error=False, **details):
        self.say("user", [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}], toolUseResult=details)

    def command(self, text, output="ok", code=0):
        call = self.call("Bash", {"command": text})
        self.result(call, output if code == 0 else f"Exit code {code}\n{output}", code != 0)

    def edit(self, path):
        self.result(self.call("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}), f"The file {path} has been updated.")

    def text(self):
        return "".join(line + "\n" for line in self.lines)


class Codex:
    """The rollout of a thread of Codex."""
    host = "codex"

    def __init__(self, agent=None):
        self.lines = []
        self.number = itertools.count(1)
        self.line("session_meta", {"id": agent or THREAD, "cwd": "/repo", "cli_version": "0.166.0"})
        self.line("turn_context", {"model": "gpt-5.5"})

    def line(self, kind, payload):
        self.lines.append(json.dumps({"timestamp": "2026-07-03T18:15:01.000Z", "type": kind, "payload": payload}))

    def command(self, text, output="ok", code=0):
        call = f"call_{next(self.number)}"
        self.line("response_item", {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": text}), "call_id": call})
        self.line("response_item", {"type": "function_call_output", "call_id": call,
                                    "output": f"Chunk ID: ab\nWall time: 0.5 seconds\nProcess exited with code {code}\nOutput:\n{output}"})

    def edit(self, path):
        call = f"call_{next(self.number)}"
        self.line("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": call,
                                    "input": f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"})
        self.line("response_item", {"type": "custom_tool_call_output", "call_id": call, "output": "Exit code: 0\nOutput:\nSuccess."})

    def text(self):
        return "".join(line + "\n" for line in self.lines)
