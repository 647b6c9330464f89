// SPDX-License-Identifier: Apache-2.0
// find.tsx - Ctrl-K: an entry by its number or id, a trace, an agent, a code, a page.
import { useEffect, useRef, useState } from "preact/hooks";
import { askJson, query, serverNow } from "../api";
import { live } from "../live";
import { rangeOf, rangeParams } from "../range";
import { href } from "../route";
import type { Listing, Stats } from "../types";
import { Text } from "./basic";

interface Found {
    kind: string;
    name: string;
    to: string;
}

const PAGES = ["overview", "feed", "agents", "map", "traces", "approvals", "inboxes", "tools", "pump", "ledger", "playground"];
const SHOWN = 12;
const TYPED_MS = 150;

async function namesOf(by: string, signal: AbortSignal): Promise<string[]> {
    const range = rangeOf({ range: "30d" }, serverNow());
    const stats = await askJson<Stats>(`/v1/stats${query({ ...rangeParams(range), bucket: undefined, by })}`, { signal });
    return Object.keys(stats.total);
}

// What fits the words, the surest first. What cannot be asked for is left out.
async function find(text: string, signal: AbortSignal): Promise<Found[]> {
    const word = text.trim();
    const lower = word.toLowerCase();
    const fits = (name: string) => name.toLowerCase().includes(lower);
    const number = /^#?(\d+)$/.exec(word)?.[1];
    const ask = <T,>(promise: Promise<T>, otherwise: T) => promise.catch(() => otherwise);
    const [agents, codes, byId, byTrace] = await Promise.all([
        ask(namesOf("agent", signal), []),
        ask(namesOf("code", signal), []),
        number ? [] : ask(askJson<Listing>(`/v1/handoffs${query({ handoff_id: word, limit: 3 })}`, { signal }).then((found) => found.entries), []),
        number ? [] : ask(askJson<Listing>(`/v1/handoffs${query({ trace_id: word, limit: 1 })}`, { signal }).then((found) => found.entries), []),
    ]);
    const traces = new Set([
        ...byTrace.map((item) => item.entry.trace_id ?? ""),
        ...live.current.items.map((item) => item.entry.trace_id ?? "").filter((id) => id && fits(id)),
    ]);
    return [
        ...(number ? [{ kind: "entry", name: `#${number}`, to: href("handoff", number) }] : []),
        ...byId.map((item) => ({ kind: "handoff", name: `#${item.seq} ${item.entry.handoff_id}`, to: href("handoff", item.seq) })),
        ...[...traces].filter(Boolean).map((id) => ({ kind: "trace", name: id, to: href("traces", id) })),
        ...agents.filter(fits).map((name) => ({ kind: "agent", name, to: href("agents", name) })),
        ...codes.filter(fits).map((name) => ({ kind: "code", name, to: href("feed", "", { code: name }) })),
        ...PAGES.filter(fits).map((name) => ({ kind: "page", name, to: href(name) })),
    ].slice(0, SHOWN);
}

function Dialog({ onClose }: { onClose: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    const [text, setText] = useState("");
    const [found, setFound] = useState<Found[]>([]);
    const [chosen, setChosen] = useState(0);
    useEffect(() => dialog.current?.showModal(), []);
    useEffect(() => {
        const stop = new AbortController();
        const timer = setTimeout(() => {
            if (text.trim()) {
                void find(text, stop.signal).then((rows) => stop.signal.aborted || (setFound(rows), setChosen(0)));
            } else {
                setFound(PAGES.map((name) => ({ kind: "page", name, to: href(name) })));
            }
        }, TYPED_MS);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [text]);
    const go = (row: Found | undefined) => {
        if (row) {
            location.hash = row.to;
            onClose();
        }
    };
    const press = (event: KeyboardEvent) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            event.preventDefault();
            setChosen((at) => Math.max(0, Math.min(found.length - 1, at + step)));
        }
    };
    return (
        <dialog ref={dialog} class="signin find" aria-label="Find" onClose={onClose} onKeyDown={press}>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    go(found[chosen]);
                }}
            >
                <label>
                    <span class="visually-hidden">A number, id, trace, agent, code or page</span>
                    <input
                        autofocus
                        role="combobox"
                        aria-expanded="true"
                        aria-controls="found"
                        aria-activedescendant={found[chosen] ? `found-${chosen}` : undefined}
                        placeholder="number, id, trace, agent, code, page"
                        spellcheck={false}
                        autocomplete="off"
                        value={text}
                        onInput={(event) => setText(event.currentTarget.value)}
                    />
                </label>
            </form>
            <ul id="found" role="listbox" aria-label="Found">
                {found.map((row, i) => (
                    <li
                        id={`found-${i}`}
                        role="option"
                        aria-selected={i === chosen}
                        onClick={() => go(row)}
                        onMouseMove={() => setChosen(i)}
                    >
                        <span class="chip">{row.kind}</span> <Text>{row.name}</Text>
                    </li>
                ))}
            </ul>
            {text.trim() && found.length === 0 && (
                <p class="muted">Nothing yet. Numbers, ids and traces are found exactly; agents and codes by a part of their name.</p>
            )}
        </dialog>
    );
}

export function Finder() {
    const [isOpen, setOpen] = useState(false);
    useEffect(() => {
        const press = (event: KeyboardEvent) => {
            if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
                event.preventDefault();
                setOpen(true);
            }
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
    return (
        <>
            <button type="button" class="find-button" onClick={() => setOpen(true)}>
                Find… <kbd>Ctrl K</kbd>
            </button>
            {isOpen && <Dialog onClose={() => setOpen(false)} />}
        </>
    );
}
