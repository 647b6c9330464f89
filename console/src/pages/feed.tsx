// SPDX-License-Identifier: Apache-2.0
// feed.tsx - entries as they are committed, newest first; filter, pause.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, query, serverNow } from "../api";
import { deliveryWord } from "../join";
import { KEPT_MAX, useLive } from "../live";
import { instant, rangeOf, rangeParams } from "../range";
import { href, replacePlace, usePlace, type Query } from "../route";
import { zoneName } from "../time";
import type { Entry, Item, Listing, Stats } from "../types";
import { Chip, Empty, Loading, Page, ProblemNote, Text, Time, VerdictMark, Way } from "../ui/basic";
import { memo } from "../ui/memo";
import { NothingYet, NotYours } from "../ui/nothing";
import { Pulse } from "../ui/pulse";
import { useAsk } from "../use";
import { may } from "../who";
import { useTitles } from "../work";

const FIELDS = ["verdict", "dialect", "kind", "agent", "source", "target", "code", "since", "until"] as const;
type Filter = Record<(typeof FIELDS)[number], string>;

const VERDICTS = ["accepted", "rejected", "recorded"];
const DIALECTS = ["universal", "contract", "governed", "plan", "xml", "raw", "baton"];
const KINDS = ["handoff", "approval", "block", "unblock", "context", "delivery", "redaction", "key", "raw"];
const PAGE = 100;
const ROUNDS_MAX = 20; // questions for one page
const CODES_SHOWN = 2; // in one line of a row

// The address says what is shown; a range such as 1h ends now.
function filterOf(query: Query): Filter {
    const filter = Object.fromEntries(FIELDS.map((name) => [name, query[name] ?? ""])) as Filter;
    if (query["range"] && !filter.since) {
        filter.since = instant(rangeOf(query, Math.floor(serverNow() / 60000) * 60000).since);
    }
    return filter;
}

function matches(entry: Entry, filter: Filter): boolean {
    const at = Date.parse(entry.time);
    return (
        (!filter.verdict || entry.verdict === filter.verdict) &&
        (!filter.dialect || entry.dialect === filter.dialect) &&
        (!filter.kind || entry.kind === filter.kind) &&
        (!filter.agent || entry.source === filter.agent || entry.target === filter.agent) &&
        (!filter.source || entry.source === filter.source) &&
        (!filter.target || entry.target === filter.target) &&
        (!filter.code || entry.codes.includes(filter.code)) &&
        (!filter.since || at >= Date.parse(filter.since)) &&
        (!filter.until || at < Date.parse(filter.until))
    );
}

interface Turn {
    before?: number | undefined; // entries older than this one
    after?: number | undefined; // entries newer than this one
}

// The server looks at a limited number of entries for one answer. While they are not enough for a page, it is asked on.
async function history(filter: Filter, turn: Turn, signal: AbortSignal): Promise<Listing> {
    const isUp = turn.after !== undefined;
    const entries: Item[] = [];
    let after = turn.after ?? turn.before;
    for (let round = 1; ; round++) {
        const given = { ...filter, limit: PAGE - entries.length, after, order: isUp ? "asc" : undefined };
        const listing = await askJson<Listing>(`/v1/handoffs${query(given)}`, { signal });
        entries.push(...listing.entries);
        if (listing.next === null || entries.length >= PAGE || round === ROUNDS_MAX) {
            return { ...listing, entries: entries.sort((a, b) => b.seq - a.seq) };
        }
        after = listing.next;
    }
}

function what(entry: Entry): string {
    const { event, message } = entry.refs ?? {};
    return entry.kind === "handoff" ? "" : [entry.kind, message, event].filter(Boolean).join(" ");
}

// The handoff that a delivery belongs to.
function parentOf({ entry }: Item): number | null {
    const parent = entry.refs?.["parent"];
    return entry.kind === "delivery" && typeof parent === "number" ? parent : null;
}

// Deliveries stand with their handoff where that is shown too; oldest first.
function fold(items: Item[]): { item: Item; deliveries: Item[] }[] {
    const rows = new Map(items.map((item) => [item.seq, { item, deliveries: [] as Item[] }]));
    for (const item of [...items].reverse()) {
        const parent = parentOf(item);
        const row = parent === null ? undefined : rows.get(parent);
        if (row) {
            row.deliveries.push(item);
            rows.delete(item.seq);
        }
    }
    return [...rows.values()];
}

function Delivery({ item }: { item: Item }) {
    const event = deliveryWord(item.entry);
    const tone = { delivered: "good", dead: "bad", failed: "warn" }[event] ?? "plain";
    return (
        <a class={`badge ${tone} delivery`} href={href("handoff", item.seq)} aria-label={`Entry ${item.seq}: ${event}`}>
            {event}
        </a>
    );
}

interface RowProps {
    item: Item;
    deliveries: Item[];
    title: string;
    isFresh: boolean;
}

const Row = memo(({ item, deliveries, title, isFresh }: RowProps) => {
    const { entry } = item;
    const parent = parentOf(item);
    return (
        <li class={`row ${entry.verdict} ${isFresh ? "fresh" : ""}`}>
            <Time at={entry.time} />
            <a
                class="row-link mono"
                href={href("handoff", item.seq)}
                aria-label={`Entry ${item.seq}, ${entry.dialect}, ${entry.verdict}`}
            >
                #{item.seq}
            </a>
            <VerdictMark verdict={entry.verdict} />
            <Chip>{entry.dialect}</Chip>
            <span class="row-way">
                {entry.source || entry.target ? (
                    <Way source={entry.source} target={entry.target} />
                ) : (
                    <span class="muted">
                        {what(entry) || entry.actor}
                        {parent !== null && (
                            <>
                                {" "}
                                of{" "}
                                <a class="row-parent" href={href("handoff", parent)}>
                                    #{parent}
                                </a>
                            </>
                        )}
                    </span>
                )}
                {title && (
                    <span class="row-title">
                        <Text>{title}</Text>
                    </span>
                )}
            </span>
            <span class="row-codes">
                {deliveries.map((delivery) => (
                    <Delivery key={delivery.seq} item={delivery} />
                ))}
                {entry.codes.slice(0, CODES_SHOWN).map((code) => (
                    <code>
                        <Text>{code}</Text>
                    </code>
                ))}
                {entry.codes.length > CODES_SHOWN && (
                    <span class="muted" title={entry.codes.slice(CODES_SHOWN).join(", ")}>
                        +{entry.codes.length - CODES_SHOWN}
                    </span>
                )}
            </span>
        </li>
    );
});

// Names that were seen, whatever the case they are typed in.
function useNames(kind: "agent" | "code"): string[] {
    const { data } = useAsk(
        (signal) => askJson<Stats>(`/v1/stats${query({ ...rangeParams(rangeOf({ range: "7d" }, serverNow())), by: kind })}`, { signal }),
        ["names", kind],
    );
    return data ? Object.keys(data.total).sort() : [];
}

function exactName(word: string, names: string[]): string {
    return names.find((name) => name.toLowerCase() === word.toLowerCase()) ?? word;
}

function localTime(value: string): string {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? "" : new Date(ms - new Date(ms).getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

interface TypedProps {
    value: string;
    hint: string;
    list: string;
    onDone: (event: { currentTarget: { value: string } }) => void;
}

// What is being typed stays, whatever arrives meanwhile, until it is entered or the address changes.
function Typed({ value, hint, list, onDone }: TypedProps) {
    const [text, setText] = useState(value);
    useEffect(() => setText(value), [value]);
    return (
        <input
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onChange={onDone}
            placeholder={hint}
            spellcheck={false}
            autocomplete="off"
            list={list}
        />
    );
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
    const agents = useNames("agent");
    const codes = useNames("code");
    const set = (name: keyof Filter, names: string[] = []) => (event: { currentTarget: { value: string } }) => {
        const word = exactName(event.currentTarget.value.trim(), names);
        onChange({ ...filter, [name]: name === "code" ? word.toUpperCase() : word });
    };
    const choice = (name: "verdict" | "dialect" | "kind", words: string[]) => (
        <label>
            <span>{name}</span>
            <select value={filter[name]} onChange={set(name)}>
                <option value="">any</option>
                {words.map((word) => (
                    <option value={word}>{word}</option>
                ))}
            </select>
        </label>
    );
    const field = (name: "agent" | "source" | "target" | "code", hint: string, names: string[]) => (
        <label>
            <span>{name}</span>
            <Typed value={filter[name]} hint={hint} list={`names-${name === "code" ? "code" : "agent"}`} onDone={set(name, names)} />
        </label>
    );
    const time = (name: "since" | "until") => (
        <label>
            <span>{name}</span>
            <input
                type="datetime-local"
                value={localTime(filter[name])}
                onChange={(event) => {
                    const ms = Date.parse(event.currentTarget.value);
                    onChange({ ...filter, [name]: Number.isNaN(ms) ? "" : instant(ms) });
                }}
            />
        </label>
    );
    return (
        <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
            {choice("verdict", VERDICTS)}
            {choice("dialect", DIALECTS)}
            {choice("kind", KINDS)}
            {field("agent", "sender or receiver", agents)}
            {(filter.source || filter.target) && field("source", "sender", agents)}
            {(filter.source || filter.target) && field("target", "receiver", agents)}
            {field("code", "such as SELF_LOOP", codes)}
            {time("since")}
            {time("until")}
            <datalist id="names-agent">
                {agents.map((name) => (
                    <option value={name} />
                ))}
            </datalist>
            <datalist id="names-code">
                {codes.map((name) => (
                    <option value={name} />
                ))}
            </datalist>
            <button
                type="button"
                class="quiet"
                disabled={Object.values(filter).every((value) => value === "")}
                onClick={() => onChange(Object.fromEntries(FIELDS.map((name) => [name, ""])) as Filter)}
            >
                clear
            </button>
            <Views />
        </form>
    );
}

// Filters that this browser keeps under a name.
const VIEWS = "baton-views";

function savedViews(): Record<string, string> {
    try {
        return JSON.parse(localStorage.getItem(VIEWS) ?? "{}") as Record<string, string>;
    } catch {
        return {};
    }
}

function Views() {
    const [views, setViews] = useState(savedViews);
    const [name, setName] = useState("");
    const keep = (next: Record<string, string>) => {
        localStorage.setItem(VIEWS, JSON.stringify(next));
        setViews(next);
    };
    return (
        <details class="views">
            <summary>saved views ({Object.keys(views).length})</summary>
            <ul>
                {Object.entries(views).map(([title, to]) => (
                    <li>
                        <a href={to}>
                            <Text>{title}</Text>
                        </a>{" "}
                        <button
                            type="button"
                            class="quiet"
                            aria-label={`Forget the view ${title}`}
                            onClick={() => keep(Object.fromEntries(Object.entries(views).filter(([other]) => other !== title)))}
                        >
                            forget
                        </button>
                    </li>
                ))}
            </ul>
            <label>
                <span>name of this view</span>
                <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
            </label>
            <button
                type="button"
                disabled={!name.trim()}
                onClick={() => (keep({ ...views, [name.trim()]: location.hash }), setName(""))}
            >
                Save
            </button>
        </details>
    );
}

// j and k move through the rows, g goes to the newest, / to the filter; not while something is typed.
function useKeys(onNewest: () => void): void {
    useEffect(() => {
        const press = (event: KeyboardEvent) => {
            const target = event.target as HTMLElement;
            if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
                return;
            }
            const links = [...document.querySelectorAll<HTMLElement>(".rows .row-link")];
            const at = links.indexOf(document.activeElement as HTMLElement);
            if (event.key === "j" || event.key === "k") {
                links[Math.max(0, Math.min(links.length - 1, at + (event.key === "j" ? 1 : -1)))]?.focus();
            } else if (event.key === "g") {
                onNewest();
                links[0]?.focus();
            } else if (event.key === "/") {
                document.querySelector<HTMLElement>(".filters select, .filters input")?.focus();
            } else {
                return;
            }
            event.preventDefault();
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
}

export function Feed({ who, onSignIn }: PageProps) {
    const now = useLive();
    const place = usePlace();
    const filter = useMemo(() => filterOf(place.query), [JSON.stringify(place.query)]);
    const turn: Turn = {
        before: place.query["before"] ? Number(place.query["before"]) : undefined,
        after: place.query["after"] ? Number(place.query["after"]) : undefined,
    };
    const isNewest = turn.before === undefined && turn.after === undefined;
    const [frozen, setFrozen] = useState<Item[] | null>(null);
    const isFiltered = Object.values(filter).some((value) => value !== "");
    // Before the stream's oldest entries are forgotten the list is asked again, so that none between them is missing.
    const news = isNewest ? Math.floor(now.seen / (KEPT_MAX / 2)) : 0;
    const asked = useAsk((signal) => history(filter, turn, signal), ["history", filter, turn], news);
    const given = Object.fromEntries(Object.entries(place.query).filter(([name]) => name !== "before" && name !== "after"));
    const at = (next: Turn) =>
        href("feed", "", { ...given, before: next.before?.toString(), after: next.after?.toString() });
    useKeys(() => replacePlace(at({})));

    const newest = frozen ?? now.items;
    const fitting = useMemo(() => {
        const listed = asked.data?.entries ?? [];
        if (!isNewest) {
            return listed;
        }
        const all = new Map(
            [...listed, ...newest.filter((item) => matches(item.entry, filter))].map((item) => [item.seq, item]),
        );
        const limit = frozen?.[0]?.seq ?? Infinity;
        return [...all.values()]
            .filter((item) => item.seq <= limit)
            .sort((a, b) => b.seq - a.seq);
    }, [asked.data, newest, filter, isNewest, frozen]);
    // A page holds PAGE entries while others come: those that leave it are the first of the page of older ones.
    const shown = useMemo(() => fitting.slice(0, PAGE), [fitting]);
    const older = fitting.length > PAGE ? shown.at(-1)?.seq : asked.data?.next;

    const rows = useMemo(() => fold(shown), [shown]);
    const titles = useTitles(shown);
    const waiting = frozen ? now.items.filter((item) => item.seq > (frozen[0]?.seq ?? -1)).length : 0;
    const change = (next: Filter) => replacePlace(href("feed", "", next));
    const pause = (
        <button type="button" aria-pressed={frozen !== null} onClick={() => setFrozen(frozen ? null : now.items)}>
            {frozen ? `Resume${waiting ? ` (${waiting} new)` : ""}` : "Pause"}
        </button>
    );
    const problem = now.problem ?? asked.problem;
    const isOver = turn.after !== undefined && asked.data !== null && asked.data.next === null;
    return (
        <Page
            title="Live feed"
            aside={
                <>
                    <span class="muted">times in {zoneName()}</span>
                    {pause}
                </>
            }
        >
            {problem && <ProblemNote problem={problem} again={asked.again} />}
            <Pulse size={now.size} seen={now.seen} isAll={may(who, "operate")} />
            <Filters filter={filter} onChange={change} />
            {shown.length > 0 ? (
                <ol class="rows" aria-label="Entries, newest first">
                    {rows.map(({ item, deliveries }) => (
                        <Row
                            key={item.seq}
                            item={item}
                            deliveries={deliveries}
                            title={titles.get(item.seq) ?? ""}
                            isFresh={item.seq >= now.listed}
                        />
                    ))}
                </ol>
            ) : (!now.isLoaded || asked.isLoading) && !problem ? (
                <Loading />
            ) : isFiltered || !isNewest ? (
                <Empty title="No entry fits the filter.">
                    <p>
                        Clear a field above, or look at <a href={href("feed")}>everything</a>.
                    </p>
                </Empty>
            ) : (
                !problem &&
                (now.size > 0 ? <NotYours size={now.size} who={who} onSignIn={onSignIn} /> : <NothingYet />)
            )}
            <nav class="pager" aria-label="Pages of entries">
                {!isNewest && <a href={at({})}>Newest</a>}
                {!isNewest && !isOver && shown[0] && <a href={at({ after: shown[0].seq })}>Newer</a>}
                {turn.after !== undefined
                    ? shown.length > 0 && <a href={at({ before: shown.at(-1)?.seq })}>Older</a>
                    : older != null && <a href={at({ before: older })}>Older</a>}
            </nav>
        </Page>
    );
}
