// SPDX-License-Identifier: Apache-2.0
// dead.tsx - deliveries that were given up, newest first.
import { useState } from "preact/hooks";
import { askJson, query } from "../api";
import { useArrivals } from "../live";
import { href } from "../route";
import type { Listing } from "../types";
import { Loading, ProblemNote, Text, Time } from "./basic";
import { useAsk } from "../use";

// Deliveries that were given up: of the pump, and of inboxes.
export function Dead() {
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
                        <li key={item.seq}>
                            <Time at={item.entry.time} full /> <a href={href("handoff", item.seq)}>#{item.seq}</a>{" "}
                            <Text>{String(item.entry.refs?.["message"] ?? "")}</Text>{" "}
                            <span class="muted">
                                <Text>{String(item.entry.refs?.["reason"] ?? "")}</Text>
                            </span>
                        </li>
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
