# SPDX-License-Identifier: Apache-2.0
"""OpenAI Agents SDK: a handoff whose arguments are the brief.

What a run remembers is kept on the RunContextWrapper of the run.
"""
import contextvars
import json

from . import need
from ._gate import Gate as BaseGate

need("agents", "openai-agents", "0.22.0")

from agents import Handoff  # noqa: E402

__all__ = ["Gate", "GuardedHandoff", "guarded_handoff"]

_message = contextvars.ContextVar("baton_transfer_message")  # of the handoff that is being invoked
# What strict mode of the model's API wants in every part of a schema, and what it does not take. References would begin at the root of the brief.
_STRICT_FORMS = frozenset(("type", "anyOf", "enum", "const"))
_NOT_STRICT = frozenset(("allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames", "prefixItems",
                         "contains", "unevaluatedProperties", "unevaluatedItems", "$ref", "$dynamicRef", "$recursiveRef"))


class Gate(BaseGate):
    """A gate for handoffs of agents; see baton.adapters."""

    def run_of(self, context):
        """What is kept of the run that a context wrapper belongs to."""
        runs = context.__dict__.setdefault("_baton_runs", {})
        return runs.setdefault(id(self), self.begin())


class GuardedHandoff(Handoff):
    """A handoff that goes through when the gate accepts its brief. Refused: the source agent goes on, and the text is the tool's output."""

    def get_transfer_message(self, agent):
        message = _message.get(None)
        return super().get_transfer_message(agent) if message is None else message


def _is_closed(schema):
    """Whether a payload schema can be used in strict mode: each of its objects names all of its members, and requires them."""
    if not isinstance(schema, dict) or _NOT_STRICT & set(schema) or not _STRICT_FORMS & set(schema):
        return False
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    members = schema.get("properties", {})
    if ("object" in kinds or members) and (schema.get("additionalProperties") is not False or set(schema.get("required", [])) != set(members)):
        return False
    inner = [*members.values(), *schema.get("anyOf", []), *([schema.get("items")] if "array" in kinds else [])]
    return all(map(_is_closed, inner))


def _close_brief(schema):
    """The schema of the brief for strict mode, where every member is required: one that may be left out may be null instead."""
    members = {name: part if name in schema["required"] else {"anyOf": [part, {"type": "null"}]} for name, part in schema["properties"].items()}
    return {**schema, "properties": members, "required": list(members)}


def _read_brief(arguments, is_strict):
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return {"summary": ""}  # refused by the schema of the brief
    if not isinstance(value, dict):
        return {"summary": ""}
    # Null is how strict mode leaves a member out.
    return {name: part for name, part in value.items() if part is not None} if is_strict else value


def guarded_handoff(source, target, gate, *, tool_name=None, tool_description=None, input_filter=None):
    """A handoff from `source` to `target` for source.handoffs."""
    gate.skill(source.name)
    gate.skill(target.name)
    is_closed = isinstance(gate.schema, dict) and _is_closed(gate.schema)

    async def invoke(context, arguments):
        brief = _read_brief(arguments, is_closed)
        decision = (await gate.adecide(brief, source.name, target.name, gate.run_of(context), context)).or_stop()
        _message.set(decision.handed(brief) if decision.accepted else decision.text)
        return target if decision.accepted else source

    return GuardedHandoff(tool_name=tool_name or Handoff.default_tool_name(target),
                          tool_description=tool_description or Handoff.default_tool_description(target),
                          input_json_schema=_close_brief(gate.brief_schema()) if is_closed else gate.brief_schema(), on_invoke_handoff=invoke,
                          agent_name=target.name, input_filter=input_filter, strict_json_schema=is_closed)
