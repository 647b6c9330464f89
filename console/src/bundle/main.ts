// SPDX-License-Identifier: Apache-2.0
// main.ts - the script of a bundle's page: check the data, and show what needs a script. Text of documents becomes text
// nodes, and nothing is loaded from anywhere.
import { Malformed } from "../verify/bytes";
import { visible } from "../text";
import { readEntry, type Bundle, type Document, type Entry } from "./data";
import { graphOf } from "./map";
import { readTrust, type Trust } from "./trust";
import { verify, type Outcome } from "./verify";

type Child = Node | string;

function make(name: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
    const made = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) {
        made.setAttribute(attribute, value);
    }
    made.append(...children);
    return made;
}

function byId(id: string): HTMLElement {
    return document.getElementById(id) as HTMLElement;
}

// Text of strangers: what would not be seen, or would turn the line around, becomes a mark.
function shown(text: string): Child[] {
    return visible(text).map((piece) =>
        piece.mark === undefined ? piece.text : make("mark", { title: piece.mark }, `[${piece.mark}]`),
    );
}

function table(names: string[], rows: Child[][]): HTMLElement {
    const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
    const body = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

// ---- checks ----

const MEANING = {
    verified: "verified: every test passed with the key or policy that you entered",
    consistent:
        "consistent: every test passed with the key inside the file, so the file agrees with itself. To know who made it, " +
        "enter the key of the log, which you got by another way",
    failed: "failed",
};

function showOutcome(outcome: Outcome): void {
    const failed = outcome.lines.find(({ state }) => state === "failed");
    const text = failed ? `failed: ${failed.name}: ${failed.detail}. ${failed.advice}` : MEANING[outcome.result];
    byId("result").textContent = text;
    byId("result").className = outcome.result;
    byId("tests").replaceChildren(
        table(
            ["test", "result", "detail", "what to do"],
            outcome.lines.map(({ name, state, detail, advice }) => [name, state, detail, advice]),
        ),
    );
    byId("foot").textContent = `${outcome.result}; root ${outcome.root || "unknown"}`;
}

function showChecks(json: string): Outcome {
    const outcome = verify(json, null);
    const field = make("textarea", { id: "trust", rows: "3", spellcheck: "false", autocomplete: "off" });
    const fault = make("p", { id: "fault", role: "alert" });
    const button = make("button", { type: "button" }, "Verify");
    button.addEventListener("click", () => {
        let trust: Trust;
        fault.textContent = "";
        try {
            trust = readTrust((field as HTMLTextAreaElement).value);
        } catch (error) {
            if (!(error instanceof Malformed)) {
                throw error;
            }
            fault.textContent = error.message;
            return;
        }
        showOutcome(verify(json, trust));
    });
    byId("checks").append(
        make("div", { id: "tests", class: "wide", role: "region", "aria-label": "Tests", tabindex: "0" }),
        make("label", { for: "trust" }, "A key of the log (vkey), or a C2SP policy, from elsewhere than this file"),
        field,
        button,
        fault,
        make(
            "p",
            {},
            "A page cannot vouch for itself: baton ledger bundle verify also compares it with the one that Baton writes.",
        ),
    );
    showOutcome(outcome);
    return outcome;
}

// ---- entries ----

function contentOf(found: Document): Child[] {
    const about = `document ${found.sha256}, ${found.size} bytes: `;
    switch (found.state) {
        case "included":
            return [
                make("p", {}, about + (found.text === undefined ? "not text, shown as base64" : "text")),
                make("pre", { tabindex: "0" }, ...shown(found.text ?? found.base64 ?? "")),
            ];
        case "redacted":
            return [make("p", {}, `${about}deleted from the log; the deletion is on record`)];
        case "not_kept":
            return [make("p", {}, `${about}its bytes were not kept`)];
        case "left_out":
            return [make("p", {}, `${about}left out of this bundle`)];
    }
}

function fill(place: HTMLElement, entry: Entry | null, text: string, bundle: Bundle, documents: Map<string, Document>): void {
    if (place.childElementCount > 1) {
        return;
    }
    place.append(make("pre", { tabindex: "0" }, ...shown(entry ? JSON.stringify(entry, null, 2) : text)));
    const found = entry?.document && documents.get(entry.document.sha256);
    if (found) {
        place.append(...contentOf(found));
    }
    for (const code of entry?.codes ?? []) {
        const rule = bundle.rules.find((row) => row.code === code);
        place.append(make("p", {}, make("code", {}, code), ` ${rule ? `${rule.severity}: ${rule.meaning}` : "is not known here"}`));
    }
}

function showEntries(bundle: Bundle): void {
    const documents = new Map(bundle.documents.map((found) => [found.sha256, found]));
    const fillers = bundle.entries.map(({ seq, entry: text }) => {
        const entry = readEntry(text);
        const ends = [entry?.source, entry?.target].filter((name) => name !== undefined).join(" \u2192 ");
        const title = entry ? [`${seq}`, entry.kind, entry.verdict, ends].join(" ").trim() : `${seq}`;
        const place = make("details", {}, make("summary", {}, title)) as HTMLDetailsElement;
        const show = (): void => fill(place, entry, text, bundle, documents);
        place.addEventListener("toggle", show);
        return { place, show };
    });
    const section = byId("entries");
    section.querySelector("p")?.remove();
    section.append(...fillers.map(({ place }) => place));
    let opened: HTMLDetailsElement[] = [];
    addEventListener("beforeprint", () => {
        opened = fillers.filter(({ place }) => !place.open).map(({ place }) => place);
        for (const { place, show } of fillers) {
            show();
            place.open = true;
        }
    });
    addEventListener("afterprint", () => opened.forEach((place) => (place.open = false)));
}

function showMap(bundle: Bundle): void {
    const section = byId("map");
    const { drawing, pairs } = graphOf(bundle);
    section.querySelector("p")?.remove();
    if (pairs.length === 0) {
        section.append(make("p", {}, "No entry names both a source and a target."));
        return;
    }
    section.append(
        drawing,
        table(
            ["source", "target", "accepted", "rejected", "recorded"],
            pairs.map((pair) => [pair.source, pair.target, `${pair.accepted}`, `${pair.rejected}`, `${pair.recorded}`]),
        ),
    );
}

const json = byId("baton-bundle").textContent ?? "";
const outcome = showChecks(json);
if (outcome.bundle) {
    showMap(outcome.bundle);
    showEntries(outcome.bundle);
}
// For tests, and for whoever opens the console of the browser.
Object.assign(window, { batonVerify: (text: string, trust: string) => verify(text, trust === "" ? null : readTrust(trust)) });
