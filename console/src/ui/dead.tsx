// SPDX-License-Identifier: Apache-2.0
// dead.tsx - deliveries that were given up, newest first.
import { useState } from "preact/hooks";
import { askJson, Problem, query } from "../api";
import { deliveryWord } from "../join";
import { useArrivals } from "../live";
import { href } from "../route";
import type { Item, Listing } from "../types";
import { Loading, ProblemNote, Text, Time } from "./basic";
import { useAsk } from "../use";

// A message of an inbox or a webhook, which can be delivered again; those of the pump cannot.
const CAN_RETRY = /^[hw]\d+$/;

const ROUNDS_MAX = 20; // questions for one list, of 500 entries each

// Which items came back after they were given up, by the number of the later entry; and from which entry on that is known.
interface Retried {
    later: Map<string, number>;
    from: number;
}

// Failures are read from the newest back to the oldest item that is shown, because a retry is recorded as one.
async function retriedSince(oldest: number, signal: AbortSignal): Promise<Retried> {
    const later = new Map<string, number>();
    let from: number | null = Infinity;
    for (let round = 0; round < ROUNDS_MAX && from !== null && from > oldest; round++) {
        const after: number | undefined = from === Infinity ? undefined : from;
        const path = `/v1/handoffs${query({ kind: "delivery", event: "failed", limit: 500, after })}`;
        const listing: Listing = await askJson<Listing>(path, { signal });
        for (const { entry, seq } of listing.entries.filter((item) => deliveryWord(item.entry) === "retried")) {
            const message = String(entry.refs?.["message"] ?? "");
            later.set(message, Math.max(seq, later.get(message) ?? -1));
        }
        from = listing.next;
    }
    return { later, from: from ?? 0 };
}

function Retry({ message, onDone }: { message: string; onDone: () => void }) {
    const [state, setState] = useState<{ isBusy: boolean; problem: Problem | null }>({ isBusy: false, problem: null });
    const retry = () => {
        setState({ isBusy: true, problem: null });
        askJson(`/v1/deliveries/${encodeURIComponent(message)}/retry`, { method: "POST" }).then(onDone, (error: unknown) =>
            setState({ isBusy: false, problem: error instanceof Problem ? error : new Problem(0, { detail: String(error) }) }),
        );
    };
    return (
        <>
            <button type="button" disabled={state.isBusy} onClick={retry} aria-label={`Deliver again: ${message}`}>
                Deliver again
            </button>
            {state.problem && <ProblemNote problem={state.problem} />}
        </>
    );
}

function DeadItem({ item, retried, onDone }: { item: Item; retried: Retried | null; onDone: () => void }) {
    const refs = item.entry.refs ?? {};
    const message = String(refs["message"] ?? "");
    const later = retried?.later.get(message) ?? -1;
    const isKnown = retried !== null && item.seq >= retried.from;
    return (
        <li class="dead-item">
            <span>
                <Time at={item.entry.time} full />{" "}
                <a href={href("handoff", String(refs["parent"] ?? item.seq))}>#{refs["parent"] ?? item.seq}</a> <Text>{message}</Text>{" "}
                <span class="muted">
                    <Text>{String(refs["reason"] ?? "no reason was recorded")}</Text>, <a href={href("handoff", item.seq)}>record</a>
                </span>
            </span>
            {retried && !isKnown && later < item.seq && <span class="muted">it may wait again</span>}
            {later > item.seq ? (
                <span class="badge good">
                    <a href={href("handoff", later)}>waits again</a>
                </span>
            ) : (
                retried && CAN_RETRY.test(message) && <Retry message={message} onDone={onDone} />
            )}
        </li>
    );
}

// Deliveries that were given up: of the pump, and of inboxes.
export function Dead({ onRetry }: { onRetry?: () => void }) {
    const arrival = useArrivals("delivery");
    const [after, setAfter] = useState<number | undefined>(undefined);
    const { data, problem, isLoading, again } = useAsk(
        (signal) =>
            askJson<Listing>(`/v1/handoffs${query({ kind: "delivery", event: "dead", limit: 200, after })}`, { signal }),
        ["dead", after],
        arrival,
    );
    const dead = data?.entries ?? [];
    const next = data?.next ?? null;
    const oldest = Math.min(...dead.map((item) => item.seq));
    const retried = useAsk(
        async (signal) => (dead.length > 0 ? await retriedSince(oldest, signal) : null),
        ["retried", oldest, dead.length > 0],
        arrival,
    );
    const done = () => {
        retried.again();
        onRetry?.();
    };
    return (
        <section aria-labelledby="dead">
            <h2 id="dead">Dead items, of the pump and of inboxes</h2>
            {problem && <ProblemNote problem={problem} again={again} />}
            {!data && isLoading && <Loading />}
            {data && dead.length === 0 && next === null && after === undefined && (
                <p class="muted">None: everything that was accepted could be delivered, or still can.</p>
            )}
            {data && dead.length === 0 && (next !== null || after !== undefined) && (
                <p class="muted">{next === null ? "No older ones." : `None from entry ${next} on. There are older entries.`}</p>
            )}
            {dead.length > 0 && (
                <ul>
                    {dead.map((item) => (
                        <DeadItem
                            key={item.seq}
                            item={item}
                            retried={retried.data}
                            onDone={done}
                        />
                    ))}
                </ul>
            )}
            <div class="pager">
                {after !== undefined && (
                    <button type="button" onClick={() => setAfter(undefined)}>
                        Newest
                    </button>
                )}
                {next !== null && (
                    <button type="button" onClick={() => setAfter(next)}>
                        Look at older entries
                    </button>
                )}
            </div>
        </section>
    );
}
