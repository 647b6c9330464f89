# SPDX-License-Identifier: Apache-2.0
"""compress_levels.py - what is promised about the default order of compression, checked by trying everything.

A form says what is done to a document. The check takes the form from a result and asks of every other form whether it
would have been better. Nothing here searches as the program does. A token is four bytes.
"""
import copy
import itertools

from compress_model import BLANKS, long_texts, put, short_summary, shortened, tokens
from handoffs import at, minified, seal, text_of

SESSION = "/handoff/payload/session"
SUMMARY = "/handoff/context/summary"
WORKING = "/handoff/payload/working"
REMOVABLE = ("/handoff/context/original_prompt", "/handoff/context/success_criteria", "/handoff/target/expected_phase",
             "/handoff/target/invocation", "/handoff/tracing/tags")  # the most important one first
COUNTED = ("/handoff/meta/token_count", "/handoff/meta/payload_hash", "/handoff/meta/payload_size_bytes")


class Broken(AssertionError):
    """A promise that a result does not keep."""


def promise(number, holds, what):
    if not holds:
        raise Broken(f"promise {number}: {what}")


def prefix(text, least, most):
    """S(n) of the chapter, with n = most."""
    ends = [i for i in range(least, min(most, len(text) - 1) + 1) if i > 0 and text[i] in BLANKS and text[i - 1] not in BLANKS]
    return text[:ends[-1] if ends else least] + "..."


def leaves(value, pointer=""):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner:
        yield pointer, value
    for name, item in inner:
        yield from leaves(item, f"{pointer}/{name}")


class Form:
    """What is done to a document: moved out but for `returned`, texts at `limit`, kept in a file, removed, the summary at n."""

    def __init__(self, spills=False, returned=(), limit=None, file=False, removed=(), n=None):
        self.spills, self.returned, self.limit, self.file, self.removed, self.n = spills, tuple(returned), limit, file, frozenset(removed), n

    def but(self, **other):
        return Form(**{**self.__dict__, **other})


class Case:
    def __init__(self, document, budget, moves=True):
        self.document, self.budget, self.moves = document, budget, moves
        self.sealed = "payload_hash" in document["handoff"]["meta"]
        self.session = at(document, SESSION)
        self.texts = dict(long_texts(at(document, WORKING), WORKING))
        self.longest = max(map(len, self.texts.values()), default=0)
        self.removable = [pointer for pointer in REMOVABLE if at(document, pointer) is not None]
        summary = at(document, SUMMARY)
        self.least = len(short_summary(summary)) - 3 if tokens(summary) >= 100 else None
        self.known = {}

    def texts_at(self, limit):
        return {p: shortened(t, limit) for p, t in self.texts.items() if limit is not None and len(t) > limit}

    def has_file(self, form):
        return form.file and form.limit is not None and self.longest > form.limit

    def build(self, form):
        document = copy.deepcopy(self.document)
        handoff = document["handoff"]
        folder = handoff["source"]["session_path"].rstrip("/") + "/handoffs/"
        references = []
        if form.spills:
            kept = {name: value for name, value in self.session.items() if name in form.returned}
            if kept:
                handoff["payload"]["session"] = kept
            else:
                del handoff["payload"]["session"]
            references.append((folder + "session-context.json", "session context moved out of the handoff"))
        for pointer, text in self.texts_at(form.limit).items():
            put(document, pointer, text)
        if self.has_file(form):
            references.append((folder + "full-text.json", "full text of what was shortened in the handoff"))
        for pointer in form.removed:
            outer, _, last = pointer.rpartition("/")
            del at(document, outer)[last]
        if form.n is not None:
            put(document, SUMMARY, prefix(at(self.document, SUMMARY), self.least, form.n))
        if references:
            files = handoff["payload"].setdefault("references", {}).setdefault("files", [])
            files += [{"path": path, "description": what, "relevance": "important"} for path, what in references]
        return text_of(seal(document) if self.sealed else document)

    def count(self, form):
        key = tuple(sorted(form.__dict__.items(), key=lambda item: item[0]))
        if key not in self.known:
            self.known[key] = tokens(self.build(form))
        return self.known[key]

    def fits(self, form):
        return self.count(form) <= self.budget

    # ---- What the chapter says of every form -------------------------------------------------------

    def order_of_return(self):
        names = list(self.session)
        return sorted(names, key=lambda name: (tokens(minified(self.session[name])), names.index(name)))

    def moved_out(self):
        """The form after levels A and B, without giving back."""
        whole, spilled = Form(), Form(spills=True)
        return spilled if self.moves and self.session is not None and self.count(spilled) < self.count(whole) else whole

    def short(self, file):
        """The form that levels D and E start from: texts at 500, where that makes the document smaller."""
        base = self.moved_out()
        tried = base.but(limit=500, file=file)
        return tried if self.texts and self.count(tried) < self.count(base) else base

    def sets(self):
        return [frozenset(chosen) for size in range(1, len(self.removable) + 1) for chosen in itertools.combinations(self.removable, size)]

    def best_set(self, file):
        """The set that keeps the most important members, of all that fit; None when none does."""
        fitting = [removed for removed in self.sets() if self.fits(self.short(file).but(removed=removed))]
        return max(fitting, key=lambda removed: [pointer not in removed for pointer in self.removable], default=None)

    def shortest(self, file):
        return self.short(file).but(removed=frozenset(self.removable), n=self.least)

    def some_level_fits(self, file):
        return (self.short(file).limit is not None and self.fits(self.short(file))) or self.best_set(file) is not None or \
            (self.least is not None and self.fits(self.shortest(file)))

    def fails_altogether(self):
        return not (self.fits(Form()) or self.fits(self.moved_out()) or (self.moves and self.some_level_fits(True)) or self.some_level_fits(False))

    # ---- The form of a result ------------------------------------------------------------------------

    def form_of(self, document, has_text_file):
        changed = {p: at(document, p) for p, text in self.texts.items() if at(document, p) != text}
        limits = [limit for limit in range(500, self.longest) if self.texts_at(limit) == changed] if changed else [None]
        promise(4, bool(limits), "texts have no common limit")
        session = at(document, SESSION)
        removed = [p for p in self.removable if at(document, p) is None]
        summary, n = at(self.document, SUMMARY), None
        if at(document, SUMMARY) != summary:
            lengths = [n for n in range(self.least, len(summary)) if prefix(summary, self.least, n) == at(document, SUMMARY)]
            promise(6, bool(lengths), "the summary has no form of the chapter")
            n = max(lengths)
        spills = self.session is not None and session != self.session
        return Form(spills, list(session or ()) if spills else (), max(limits) if changed else None, has_text_file, removed, n)


def check(case, document, files, removed_values, lossy):
    """Check the seven promises about a result. `files` are the session and the texts that were moved out, or None;
    `removed_values` the pointers that facts.changes has as removed, `lossy` those of COMPRESS_LOSSY."""
    session_file, text_file = files
    form = case.form_of(document, text_file is not None)
    text = case.build(form)
    promise(1, minified(document) == text and tokens(text) <= case.budget, "the result does not fit, or is not what its form says")
    promise(2, form.spills or form.limit or form.removed or form.n is not None or case.fits(Form()), "it was not minified enough")
    check_order(case, form)
    check_growth(case, form)
    for pointer, value in leaves(case.document):
        if pointer not in COUNTED:
            promise(7, is_kept(pointer, value, document, session_file, text_file, removed_values, lossy), f"{pointer} is lost")


def check_order(case, form):
    moved = form.spills or form.limit is not None or form.removed or form.n is not None
    promise(2, not (moved and case.fits(Form())), "something was done although the minified document fits")
    gives_up = form.limit is not None or form.removed or form.n is not None
    promise(2, not (gives_up and case.fits(case.moved_out())), "something was given up although moving out is enough")
    if not gives_up:
        return
    promise(2, form.spills == case.moved_out().spills and not form.returned, "the session is not where level B leaves it")
    if case.moves and form.limit is not None and not form.file:
        promise(2, not case.some_level_fits(True), "the text file was given up although a level fits with it")
    # Without a shortened text both passes look the same; the first one that fits was used.
    file = form.file if form.limit is not None else case.moves and case.some_level_fits(True)
    short = case.short(file)
    if form.removed or form.n is not None:
        promise(2, short.limit is None or not case.fits(short), "a member was removed although short texts are enough")
    best = case.best_set(file)
    if form.n is not None:
        promise(2, best is None, "the summary was shortened although removing members is enough")
        promise(5, form.removed == frozenset(case.removable), "the summary was shortened while a member is left")
    elif form.removed:
        promise(5, form.removed == best, f"the best set is {sorted(best or ())}")


def check_growth(case, form):
    gives_up = form.limit is not None or form.removed or form.n is not None
    if form.spills and not gives_up:
        order = case.order_of_return()
        promise(3, set(form.returned) == set(order[:len(form.returned)]), "members came back in another order")
        if len(form.returned) < len(order):
            promise(3, not case.fits(form.but(returned=order[:len(form.returned) + 1])), "one more member fits")
    if form.limit is not None and form.n is None:
        promise(4, not case.fits(form.but(limit=form.limit + 1)), "one more code point fits")
    if form.n is not None:
        promise(6, form.n + 1 >= len(at(case.document, SUMMARY)) or not case.fits(form.but(n=form.n + 1)), "a longer summary fits")


def is_kept(pointer, value, document, session_file, text_file, removed_values, lossy):
    if at(document, pointer) == value or (value in ({}, []) and isinstance(at(document, pointer), type(value))):
        return True  # an empty object may have got the reference
    if session_file is not None and pointer.startswith(SESSION) and at({"s": session_file}, "/s" + pointer[len(SESSION):]) == value:
        return True
    if text_file is not None and text_file.get(pointer) == value:
        return True
    return any(pointer == name or pointer.startswith(name + "/") for name in (*removed_values, *lossy))
