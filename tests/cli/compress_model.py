# SPDX-License-Identifier: Apache-2.0
"""compress_model.py - compression in the original order written a second time, plainly, with four bytes for a token."""
import copy

from handoffs import at, minified, pretty, seal, text_of

LITERAL = ("/handoff/expires_at", "/handoff/target/invocation", "/handoff/target/expected_phase",
           "/handoff/context/original_prompt", "/handoff/context/success_criteria", "/handoff/payload/session",
           "/handoff/tracing/tags")
BLANKS = " \t\n"


def shortened(text, limit):
    blanks = [i for i, char in enumerate(text[:limit - 2]) if char in BLANKS]
    end = blanks[-1] if blanks and blanks[-1] >= limit // 2 else limit - 3
    return text[:end].rstrip(BLANKS) + "..."


def tokens(text):
    return len(text.encode()) // 4


def short_summary(text):
    if tokens(text) < 100:
        return text
    ends = [i for i in range(1, len(text)) if text[i] in BLANKS and text[i - 1] not in BLANKS]
    for candidates in (ends, range(len(text) + 1)):
        fitting = [end for end in candidates if tokens(text[:end] + "...") < 100]
        if fitting:
            return text[:max(fitting)] + "..."
    raise AssertionError("the mark alone fits")


def long_texts(value, pointer):
    """(pointer, text) of every long string, in document order."""
    if isinstance(value, str) and len(value) > 500:
        yield pointer, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from long_texts(inner, pointer + "/" + name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from long_texts(inner, f"{pointer}/{index}")


def put(document, pointer, value):
    outer, _, last = pointer.rpartition("/")
    place = at(document, outer)
    place[int(last) if isinstance(place, list) else last] = value


def drop(document, pointer):
    outer, _, last = pointer.rpartition("/")
    del at(document, outer)[last]


class Compression:
    """The steps of the original order, and the text after the last of them."""

    def __init__(self, document, budget, form=minified):
        self.document = copy.deepcopy(document)
        self.budget = budget
        self.form = form
        self.sealed = "payload_hash" in document["handoff"]["meta"]
        self.steps = []
        self.text = None
        self.literal()

    def step(self, name, pointer):
        """Note a step; True when the document fits."""
        settled = copy.deepcopy(self.document)
        text = text_of(seal(settled) if self.sealed else settled, self.form)
        self.steps.append({"step": name, "pointer": pointer, "count": tokens(text), "bytes": len(text.encode())})
        self.text = text if tokens(text) <= self.budget else None
        return self.text is not None

    def shorten_summary(self):
        context = self.document["handoff"]["context"]
        before, context["summary"] = context["summary"], short_summary(context["summary"])
        return context["summary"] != before

    def literal(self):
        removed = [pointer for pointer in LITERAL if at(self.document, pointer) is not None]
        for pointer in removed:
            drop(self.document, pointer)
        if removed and self.step("remove", removed[0] if len(removed) == 1 else None):
            return
        places = ["/handoff/context/summary"] if self.shorten_summary() else []
        for pointer, text in long_texts(self.document["handoff"]["payload"]["working"], "/handoff/payload/working"):
            put(self.document, pointer, shortened(text, 500))
            places.append(pointer)
        if places:
            self.step("shorten", places[0] if len(places) == 1 else None)


FORMS = {"minified": minified, "pretty": pretty}
