// SPDX-License-Identifier: Apache-2.0
// feed.tsx - entries as they are committed, newest first; filter, pause.
import { useMemo, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, query } from "../api";
import { useLive } from "../live";
import { href } from "../route";
import { zoneName } from "../time";
import type { Entry, Item, Listing, Who } from "../types";
import { Chip, Command, Empty, Loading, Page, ProblemNote, Text, Time, VerdictMark, Way } from "../ui/basic";
import { Pulse } from "../ui/pulse";
import { useAsk } from "../use";
import { may } from "../who";

interface Filter {
    verdict: string;
    dialect: string;
    agent: string;
    code: string;
}

const NO_FILTER: Filter = { verdict: "", dialect: "", agent: "", code: "" };
const VERDICTS = ["accepted", "rejected", "recorded"];
const DIALECTS = ["universal", "contract", "governed", "plan", "xml", "raw", "baton"];
const PAGE = 100;
const CODES_SHOWN = 2; // in one line of a row

function matches(entry: Entry, filter: Filter): boolean {
    return (
        (!filter.verdict || entry.verdict === filter.verdict) &&
        (!filter.dialect || entry.dialect === filter.dialect) &&
        (!filter.agent || entry.source === filter.agent || entry.target === filter.agent) &&
        (!filter.code || entry.codes.includes(filter.code))
    );
}

// The server's filter knows senders and receivers apart; an agent may be either.
async function history(filter: Filter, before: number | undefined, signal: AbortSignal): Promise<Listing> {
    const { agent, ...plain } = filter;
    const sides = agent ? [{ source: agent }, { target: agent }] : [{}];
    const found = await Promise.all(
        sides.map((side) =>
            askJson<Listing>(`/v1/handoffs${query({ ...plain, ...side, limit: PAGE, after: before })}`, { signal }),
        ),
    );
    const items = new Map(found.flatMap((listing) => listing.entries).map((item) => [item.seq, item]));
    const entries = [...items.values()].sort((a, b) => b.seq - a.seq).slice(0, PAGE);
    const isMore = found.some((listing) => listing.next !== null);
    return { ...(found[0] as Listing), entries, next: isMore ? (entries.at(-1)?.seq ?? null) : null };
}

function what(entry: Entry): string {
    const { event, message } = entry.refs ?? {};
    return entry.kind === "handoff" ? "" : [entry.kind, message, event].filter(Boolean).join(" ");
}

function Row({ item, isFresh }: { item: Item; isFresh: boolean }) {
    const { entry } = item;
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
                    <span class="muted">{what(entry) || entry.actor}</span>
                )}
            </span>
            <span class="row-codes">
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
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
    const set = (name: keyof Filter) => (event: { currentTarget: { value: string } }) =>
        onChange({ ...filter, [name]: event.currentTarget.value.trim() });
    const choice = (name: "verdict" | "dialect", words: string[]) => (
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
    return (
        <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
            {choice("verdict", VERDICTS)}
            {choice("dialect", DIALECTS)}
            <label>
                <span>agent</span>
                <input
                    value={filter.agent}
                    onChange={set("agent")}
                    placeholder="sender or receiver"
                    spellcheck={false}
                />
            </label>
            <label>
                <span>code</span>
                <input value={filter.code} onChange={set("code")} placeholder="such as SELF_LOOP" spellcheck={false} />
            </label>
            <button type="button" class="quiet" disabled={filter === NO_FILTER} onClick={() => onChange(NO_FILTER)}>
                clear
            </button>
        </form>
    );
}

// What is there and not shown must not look like nothing.
function NotYours({ size, who, onSignIn }: { size: number; who: Who; onSignIn: () => void }) {
    const count = size === 1 ? "1 entry" : `${size.toLocaleString("en")} entries`;
    return (
        <Empty title="Sign in to see what was recorded.">
            <p>
                The ledger has {count}, and none that {who.principal || "you"} may see: without the scope{" "}
                <code>operate</code> you see what you submitted yourself.
            </p>
            <button type="button" onClick={onSignIn}>
                Sign in…
            </button>
        </Empty>
    );
}

function NothingYet() {
    return (
        <Empty title="Nothing has been recorded yet.">
            <p>Hand something over, and it appears here the moment it is committed:</p>
            <Command>{`curl -H 'Content-Type: application/json' --data-binary @examples/universal/planner-to-builder.handoff.json ${location.origin}/v1/handoffs`}</Command>
            <p>
                Or try a document in the <a href={href("playground")}>playground</a>, which stores nothing.
            </p>
        </Empty>
    );
}

export function Feed({ who, onSignIn }: PageProps) {
    const now = useLive();
    const [filter, setFilter] = useState<Filter>(NO_FILTER);
    const [before, setBefore] = useState<number | undefined>(undefined);
    const [frozen, setFrozen] = useState<Item[] | null>(null);
    const isFiltered = filter !== NO_FILTER;
    const asked = useAsk(
        (signal) => history(filter, before, signal),
        ["history", filter, before],
    );

    const newest = frozen ?? now.items;
    const shown = useMemo(() => {
        const listed = asked.data?.entries ?? [];
        if (before !== undefined) {
            return listed;
        }
        const all = new Map(
            [...listed, ...newest.filter((item) => matches(item.entry, filter))].map((item) => [item.seq, item]),
        );
        const limit = frozen?.[0]?.seq ?? Infinity;
        return [...all.values()]
            .filter((item) => item.seq <= limit)
            .sort((a, b) => b.seq - a.seq)
            .slice(0, 300);
    }, [asked.data, newest, filter, before, frozen]);

    const waiting = frozen ? now.items.filter((item) => item.seq > (frozen[0]?.seq ?? -1)).length : 0;
    const change = (next: Filter) => {
        setBefore(undefined);
        setFilter(Object.values(next).every((value) => value === "") ? NO_FILTER : next);
    };
    const pause = (
        <button type="button" aria-pressed={frozen !== null} onClick={() => setFrozen(frozen ? null : now.items)}>
            {frozen ? `Resume${waiting ? ` (${waiting} new)` : ""}` : "Pause"}
        </button>
    );
    const problem = now.problem ?? asked.problem;
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
                    {shown.map((item) => (
                        <Row key={item.seq} item={item} isFresh={item.seq >= now.listed} />
                    ))}
                </ol>
            ) : !now.isLoaded && !problem ? (
                <Loading />
            ) : isFiltered ? (
                <Empty title="No entry fits the filter." />
            ) : (
                !problem &&
                (now.size > 0 ? <NotYours size={now.size} who={who} onSignIn={onSignIn} /> : <NothingYet />)
            )}
            <div class="pager">
                {before !== undefined && (
                    <button type="button" onClick={() => setBefore(undefined)}>
                        Newest
                    </button>
                )}
                {asked.data?.next != null && (
                    <button type="button" onClick={() => setBefore(shown.at(-1)?.seq)}>
                        Older
                    </button>
                )}
            </div>
        </Page>
    );
}
