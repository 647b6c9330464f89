# SPDX-License-Identifier: Apache-2.0
"""python.py DATA [BENCH_CALL] - the Python package beside its peers, in one process.

Peers are those that can be imported: fastjsonschema (Debian), jsonschema_rs and pydantic_core (script/interop python), which has a language of its own, so that
pydantic_schema.py translates what it can. A peer that cannot use a schema, or gives other verdicts, is named with the reason and not measured. BENCH_CALL is
bench_call, which runs the same check through bt_call() from C. Times are those of the processor, the best of several rounds in which the sides take turns; what
counts is the ratio, which is how often our time fits into that of the peer: below 1 the peer is faster.
"""
import copy
import functools
import importlib
import json
import pathlib
import subprocess
import sys
import time

import baton
from baton.schema import Validator

DATA = pathlib.Path(sys.argv[1])
ROUNDS, ROUND_S = 7, 0.05
HANDOFFS = ("handoff-1k", "handoff-2k", "handoff-4k", "handoff-8k")
RECORDS = ("schema-bench-2/users-array", "schema-bench-2/fhir", "schema-bench-2/swagger", "schema-bench/openapi-SUBST")
HANDOFF = {"handoff": {
    "version": "3.0", "schema_type": "universal", "timestamp": "2026-05-04T09:00:00Z", "trace_id": "3f2b8c1e-7a5d-4e90-9b1f-5c0d2e8a4711",
    "source": {"skill": "ledger-reader", "workflow_id": "close-2026-03", "session_path": "sessions/close-2026-03", "phase": "read"},
    "target": {"skill": "tax-checker"}, "context": {"summary": "The March ledger is read.", "problem_type": "analytical"},
    "payload": {"working": {"accounts": ["4400", "4800"], "rows": 212}}, "meta": {"token_count": 128, "confidence": "high", "handoff_chain": ["ledger-reader"]}}}


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


fastjsonschema, jsonschema_rs, pydantic_core = load("fastjsonschema"), load("jsonschema_rs"), load("pydantic_core")
pydantic_schema = load("pydantic_schema")
MANY_CHOICES = 20


def time_once(work, count):
    start = time.thread_time()
    for _ in range(count):
        work()
    return (time.thread_time() - start) / count


def measure(sides):
    """The best time of each side in microseconds; they take turns, so that a busy moment does not count against one."""
    counts = {name: max(1, int(ROUND_S / max(time_once(work, 3), 1e-7))) for name, work in sides.items()}
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(ROUNDS):
        for name, work in sides.items():
            best[name] = min(best[name], time_once(work, counts[name]))
    return {name: seconds * 1e6 for name, seconds in best.items()}


def show(title, best, base):
    parts = [f"{name} {value:.2f} us ({value / best[base]:.2f} x)" if name != base else f"{name} {value:.2f} us" for name, value in best.items()]
    print(f"{title}: " + ", ".join(parts), flush=True)


def read_set(folder):
    """The schema and the instances of a data set, as text."""
    schema = next(folder.glob("schema*.json"))
    return json.loads(schema.read_text()), [line for line in (folder / "instances.jsonl").read_bytes().splitlines() if line.strip()]


def judge_fast(compiled, value):
    try:
        compiled(value)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


def read_meta_schema(_uri):
    """What fastjsonschema would fetch for schemas that refer to the meta-schema of draft 4."""
    return importlib.import_module("jsonschema").Draft4Validator.META_SCHEMA


def is_skipped(schema):
    """True when fastjsonschema, which knows drafts 4 to 7, would skip keywords of the schema."""
    text = json.dumps(schema)
    return any(f'"{keyword}"' in text for keyword in ("$dynamicRef", "unevaluatedProperties", "unevaluatedItems", "prefixItems", "dependentSchemas"))


def compile_fast(schema):
    """The function of fastjsonschema with the options that are fastest, or those that work: without details some releases do not know `const`, others do not take the option.
    It changes the schema that it is given, so it gets one of its own."""
    common = {"handlers": {"http": read_meta_schema}, "use_default": False}
    try:
        return fastjsonschema.compile(copy.deepcopy(schema), **common, detailed_exceptions=False)
    except (KeyError, TypeError):
        return fastjsonschema.compile(copy.deepcopy(schema), **common)


def judge_pydantic(judge, instance):
    try:
        judge(instance)
    except pydantic_core.ValidationError:
        return False
    return True


def translate_pydantic(schema):
    """The validator of pydantic_core, and the keywords that it lacks."""
    made = pydantic_schema.Translation(schema)
    return made.validator(), "".join(f" without {keyword}" for keyword in sorted(made.dropped))


def makers_of(schema, is_text):
    """How each peer that is here makes a function from an instance to a verdict, and what it is called; of bytes, they are parsed first where the peer does not do it."""
    def fast():
        compiled = compile_fast(schema)
        return ("json.loads + fastjsonschema", lambda text: judge_fast(compiled, json.loads(text))) if is_text else ("fastjsonschema", functools.partial(judge_fast, compiled))

    def rust():
        is_valid = jsonschema_rs.validator_for(schema).is_valid
        return ("json.loads + jsonschema_rs", lambda text: is_valid(json.loads(text))) if is_text else ("jsonschema_rs", is_valid)

    def pydantic():
        validator, lacks = translate_pydantic(schema)
        return f"pydantic_core{lacks}", functools.partial(judge_pydantic, validator.validate_json) if is_text else validator.isinstance_python

    rows = (("fastjsonschema", fastjsonschema, fast), ("jsonschema_rs", jsonschema_rs, rust), ("pydantic_core", pydantic_schema, pydantic))
    return {name: make for name, module, make in rows if module}


def peers_of(schema, instances, verdicts, is_text=False):
    """The peers that can use the schema and give the same verdicts, and what is wrong with the others."""
    makers = makers_of(schema, is_text)
    sides, remarks = {}, []
    if is_skipped(schema) and makers.pop("fastjsonschema", None):
        remarks.append("fastjsonschema skips keywords of the schema")
    for name, make in makers.items():
        try:
            title, is_valid = make()
            if [is_valid(instance) for instance in instances] == verdicts:
                sides[title] = lambda is_valid=is_valid: [is_valid(instance) for instance in instances]
            else:
                remarks.append(f"{name} gives other verdicts")
        except Exception as error:  # it does not know every draft, or wants to fetch a document
            remarks.append(f"{name} cannot use the schema: {type(error).__name__}{f': {error}' if name == 'pydantic_core' else ''}")
    choices = len(schema.get("oneOf", []))
    if choices > MANY_CHOICES and "fastjsonschema" in makers:
        remarks.append(f"fastjsonschema tries each of the {choices} alternatives of oneOf and makes an exception for all but one; the others go to the one that is named")
    return sides, remarks


def compare(title, schema, instances, is_text=False):
    validator = Validator(schema)
    peers, remarks = peers_of(schema, instances, [validator.is_valid(instance) for instance in instances], is_text)
    show(title, measure({"baton": lambda: [validator.is_valid(instance) for instance in instances], **peers}), "baton")
    for remark in remarks:
        print(f"    {remark}")


def bench_bytes():
    print("\nbytes to verdict; json.loads + fastjsonschema must take at least 5 x our time")
    for name in HANDOFFS:
        schema, lines = read_set(DATA / "handoffs" / name)
        compare(f"  {name}, {sum(map(len, lines)) / 1024:.1f} KiB", schema, lines, True)


def with_known_kind(schema, value):
    """A schema of many kinds, for values of one kind: what is left when nobody has to choose."""
    return {"$schema": schema["$schema"], "definitions": schema["definitions"], "$ref": f"#/definitions/{value['resourceType']}"}


def bench_values():
    print("\ndict to verdict; fastjsonschema must take at least 2 x our time, jsonschema_rs at least as much")
    for name in RECORDS:
        schema, lines = read_set(DATA / name)
        values = [json.loads(line) for line in lines]
        title, size = f"  {name.rpartition('/')[2]}", f"{sum(map(len, lines)) / 1024:.0f} KiB"
        compare(f"{title}, {size}", schema, values)
        if "resourceType" in values[0]:
            compare(f"{title}, its kind given, {size}", with_known_kind(schema, values[0]), values)


def handoff_of(size):
    """An accepted handoff of about so many bytes."""
    handoff = json.loads(json.dumps(HANDOFF))
    working, meta = handoff["handoff"]["payload"]["working"], handoff["handoff"]["meta"]
    working["notes"] = ["The account was reconciled with the statement of the bank."] * max(0, (size - 600) // 63)
    text = json.dumps(handoff, separators=(",", ":"))
    meta["token_count"] = len(text) // 4
    return json.dumps(handoff, separators=(",", ":")).encode()


def bench_check(size):
    """What a check costs, beside C and beside validators that judge the same bytes by the schema of universal handoffs alone."""
    text = handoff_of(size)
    report = baton.check(text)
    if not report.accepted:
        sys.exit(f"the sample is not accepted: {report.findings}")
    schema = json.loads(baton.schema_text("universal"))
    best = measure({"baton.check": lambda: baton.check(text), "baton.check and .accepted": lambda: baton.check(text).accepted})
    if len(sys.argv) > 2:
        request = json.dumps({"documents": [{"text": text.decode()}]}).encode()
        best = {"bt_call": float(subprocess.run([sys.argv[2]], input=request, capture_output=True, check=True).stdout), **best}
    show(f"  {len(text)} bytes", best, next(iter(best)))
    compare("    its schema alone", schema, [text], True)


print(f"Python {sys.version.split()[0]}, baton {baton.__version__}; peers: "
      + (", ".join(module.__name__ for module in (fastjsonschema, jsonschema_rs, pydantic_core) if module) or "none"))
bench_bytes()
bench_values()
print("\nbaton.check(bytes) of an accepted handoff; at most 1.5 x the time of bt_call() from C at 500 bytes")
bench_check(500)
bench_check(4096)
