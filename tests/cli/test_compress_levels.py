# SPDX-License-Identifier: Apache-2.0
"""test_compress_levels.py BATON - the default order of baton compress gives up no more than the budget demands.

500 random documents (fewer with a sanitizer) are compressed, and what came out is compared with everything else that could have come out.
"""
import collections
import json
import pathlib
import random

from compress_levels import SESSION, SUMMARY, Broken, Case, Form, check
from handoffs import at, handoff, minified, text_of
from program import SANITIZED, claim, equal, expect, finish, folder, report, run

DOCUMENTS = 200 if SANITIZED else 500
NOW = ("--now", "2026-04-14T09:00:00Z")
WORDS = "the parser fails on dates in february and three customers wait for a fix of it".split()


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


def random_text(rng):
    length = rng.choice((12, 90, 500, 501, 540, 700, 1100))
    return rng.choice((lambda: "x" * length, lambda: words(rng, length // 5)[:length],
                       lambda: "".join(rng.choice("ab \té€") for _ in range(length))))()


def random_session(rng):
    members = [("state", {"gate": words(rng, rng.randrange(1, 60))}), ("note", words(rng, rng.randrange(1, 30))), ("n", rng.randrange(99)),
               ("artifacts", [{"name": f"run {i}", "path": f"{i}.log", "type": "data"} for i in range(rng.randrange(1, 6))])]
    rng.shuffle(members)
    return dict(members[:rng.randrange(5)])


def random_handoff(rng):
    parts = {"payload": {"working": {f"w{i}": rng.choice((random_text(rng), [random_text(rng)], {"a": random_text(rng)}, i))
                                     for i in range(rng.randrange(4))}},
             "context": {"summary": words(rng, rng.choice((6, 60, 100)))[:500]}}
    if rng.random() < 0.6:
        parts["payload"]["session"] = random_session(rng)
    if rng.random() < 0.3:
        parts["payload"]["references"] = rng.choice(({}, {"files": []}, {"files": [{"path": "h.json"}]}))
    for outer, name, value in (("target", "invocation", "/go " + words(rng, 9)), ("target", "expected_phase", "Build"),
                               ("context", "original_prompt", words(rng, rng.randrange(4, 60))), ("context", "success_criteria", [words(rng, 5), "b"])):
        if rng.random() < 0.5:
            parts.setdefault(outer, {})[name] = value
    if rng.random() < 0.5:
        parts["tracing"] = {"tags": {"team": words(rng, 4)}}
    return handoff(rng.random() < 0.5, **parts)


def read(place, shown, fact):
    path = shown["facts"].get(fact, {}).get("path")
    return json.loads(pathlib.Path(place, path).read_text(encoding="utf-8")) if path else None


def compressed(case, moves, style):
    """What the program makes of a case: the outcome, the document and what check() needs besides."""
    text = minified(case.document) if style == "minified" else json.dumps(case.document, indent=2, ensure_ascii=False)
    with folder({"h.json": text}) as place:
        result = run("compress", "--tokens", "chars4", "--no-refs", *NOW, "-f", "json", "--budget", str(case.budget),
                     *([] if moves else ["--no-spill"]), "h.json", cwd=place)
        shown = report(result)["documents"][0]
        expect(result, 1 if shown["outcome"] == "escalated" else 0)
        if shown["outcome"] == "escalated":
            equal((sorted(p.name for p in pathlib.Path(place).iterdir()), "document" in shown), (["h.json"], False))
            return "escalated", None, None
        files = (read(place, shown, "spilled"), read(place, shown, "spilled_text"))
    equal(shown["facts"]["compress"]["after"]["count"], len(minified(shown["document"]).encode()) // 4)
    removed = [op["path"] for op in shown["facts"]["changes"] if op["op"] == "remove" and op["path"] != SESSION]
    lossy = [f["pointer"] for f in shown["findings"] if f["code"] == "COMPRESS_LOSSY"]
    told = {f["pointer"] for f in shown["findings"] if f["code"] in ("COMPRESS_LOSSY", "COMPRESS_SHORTENED")}
    short = {p for p in (*case.texts, SUMMARY) if at(shown["document"], p) != at(case.document, p)}
    equal((told, {f["pointer"] for f in shown["findings"] if f["code"] == "COMPRESS_REMOVED"}), (short, set(removed)))
    return shown["outcome"], shown["document"], (files, removed, lossy)


def random_case(rng):
    document = random_handoff(rng)
    document = json.loads(text_of(document))
    size = len(minified(document).encode()) // 4
    moves = rng.random() < 0.85
    smallest = Case(document, 0, moves)
    floor = min(smallest.count(smallest.shortest(False)) if smallest.least else 10**6, smallest.count(smallest.moved_out()))
    low = min(floor, size) * 2 // 3
    high = size + 9 if rng.random() < 0.2 else size
    low = size if high > size else low  # where white space alone may be too much
    return Case(document, min(2000, rng.randrange(max(1, low), high + 1)), moves), moves


def worse_results(case, document, files):
    """The same document with something given up for nothing: forms that a check must not pass."""
    form = case.form_of(document, files[1] is not None)
    order = case.order_of_return() if case.session else []
    if form.returned:
        yield "returned", form.but(returned=order[:len(form.returned) - 1])
    if form.limit is not None and form.limit > 501 and form.n is None:
        yield "limit", form.but(limit=500)
    left = [p for p in case.removable if p not in form.removed]
    if left:
        yield "removed", form.but(removed=form.removed | {left[0]})
    if form.file:
        yield "file", form.but(file=False)
    if form.n is not None and form.n > case.least:
        yield "summary", form.but(n=case.least)
    if not form.spills and case.session and case.moves and len(case.session) > 1:
        yield "spilled", Form(spills=True)


def finds_fault(case, document, files, removed, lossy):
    try:
        check(case, document, files, removed, lossy)
    except Broken:
        return True
    return False


@claim
def compressed_documents_keep_the_seven_promises():
    rng = random.Random(20260414)
    outcomes, levels, caught, tried = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
    for number in range(DOCUMENTS):
        case, moves = random_case(rng)
        outcome, document, more = compressed(case, moves, rng.choice(("minified", "pretty")))
        outcomes[outcome] += 1
        if outcome == "escalated":
            equal((number, case.fails_altogether()), (number, True))
        if outcome != "compressed":
            continue
        files, removed, lossy = more
        check(case, document, files, removed, lossy)
        form = case.form_of(document, files[1] is not None)
        levels["E" if form.n is not None else "D" if form.removed else "C" if form.limit else "B" if form.spills else "A"] += 1
        levels["given back"] += bool(form.returned)
        levels["text file given up"] += bool(form.limit and not form.file and moves)
        for kind, worse in worse_results(case, document, files):
            made = json.loads(case.build(worse))
            if made == document:
                continue
            tried[kind] += 1
            texts = files[1] if worse.file else None
            caught[kind] += finds_fault(case, made, (case.session if worse.spills else None, texts), list(worse.removed), [*case.texts, SUMMARY])
    # Every level was reached, and a check that passes everything proves nothing.
    for level in ("A", "B", "C", "D", "E", "given back", "text file given up"):
        equal((level, levels[level] > 4), (level, True))
    for outcome in ("compressed", "escalated"):
        equal((outcome, outcomes[outcome] > 20), (outcome, True))
    for kind in ("returned", "limit", "removed", "file", "summary", "spilled"):
        equal((kind, tried[kind] > 4, caught[kind]), (kind, True, tried[kind]))


@claim
def a_value_that_is_nowhere_is_noticed():
    document = json.loads(text_of(handoff(payload={"session": {"state": {"log": "x" * 4000}}})))
    case = Case(document, 400)
    _, made, (files, removed, lossy) = compressed(case, True, "minified")
    equal(finds_fault(case, made, files, removed, lossy), False)
    equal(finds_fault(case, made, ({"state": {}}, None), removed, lossy), True)


@claim
def what_the_target_needs_is_removed_last():
    skill = "---\nname: patch-builder\nhandoff:\n  accepts_from: [\"*\"]\n  schema_version: \"3.0\"\n  requires: [tracing.tags, target.invocation]\n---\n"
    document = json.loads(text_of(handoff(target={"invocation": "/go " + "now " * 20}, context={"original_prompt": "please " * 20},
                                          tracing={"tags": {"team": "core " * 20}})))
    size = len(minified(document).encode()) // 4
    removed = {}
    for more in ((), ("--skills", "skills")):
        with folder({"h.json": minified(document), "skills/p/SKILL.md": skill}) as place:
            shown = report(expect(run("compress", "--tokens", "chars4", "--no-refs", *NOW, "-f", "json", "--budget", str(size - 10), *more, "h.json", cwd=place), 0))
            removed[more] = [f["pointer"] for f in shown["documents"][0]["findings"] if f["code"] == "COMPRESS_REMOVED"]
    equal(removed, {(): ["/handoff/tracing/tags"], ("--skills", "skills"): ["/handoff/context/original_prompt"]})


finish()
