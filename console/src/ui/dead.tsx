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

// Which items came back after they were given up, by the number of the later entry.
async function retriedSince(signal: AbortSignal): Promise<Map<string, number>> {
    const { entries } = await askJson<Listing>(`/v1/handoffs${query({ kind: "delivery", event: "failed", limit: 500 })}`, { signal });
    const retries = entries.filter((item) => deliveryWord(item.entry) === "retried").reverse();
    return new Map(retries.map((item) => [String(item.entry.refs?.["message"] ?? ""), item.seq]));
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

function DeadItem({ item, retried, onDone }: { item: Item; retried: number; onDone: () => void }) {
    const refs = item.entry.refs ?? {};
    const message = String(refs["message"] ?? "");
    return (
        <li class="dead-item">
            <span>
                <Time at={item.entry.time} full />{" "}
                <a href={href("handoff", String(refs["parent"] ?? item.seq))}>#{refs["parent"] ?? item.seq}</a> <Text>{message}</Text>{" "}
                <span class="muted">
                    <Text>{String(refs["reason"] ?? "no reason was recorded")}</Text>, <a href={href("handoff", item.seq)}>record</a>
                </span>
            </span>
            {retried > item.seq ? (
                <span class="badge good">
                    <a href={href("handoff", retried)}>waits again</a>
                </span>
            ) : (
                CAN_RETRY.test(message) && <Retry message={message} onDone={onDone} />
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
    const retried = useAsk(retriedSince, ["retried"], arrival);
    const done = () => {
        retried.again();
        onRetry?.();
    };
    const dead = data?.entries ?? [];
    const next = data?.next ?? null;
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
                            retried={retried.data?.get(String(item.entry.refs?.["message"] ?? "")) ?? -1}
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
