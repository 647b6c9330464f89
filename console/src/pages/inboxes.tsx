// SPDX-License-Identifier: Apache-2.0
// inboxes.tsx - what waits for whom, for how long, and what was given up.
import type { PageProps } from "../app";
import { askJson } from "../api";
import { number } from "../counts";
import { useLive } from "../live";
import { href } from "../route";
import type { Inbox } from "../types";
import { Command, Empty, Loading, Page, ProblemNote, Text, Time } from "../ui/basic";
import { Dead } from "../ui/dead";
import { useAsk, useEvery } from "../use";

export function Inboxes(_: PageProps) {
    const { seen } = useLive();
    const { data, problem, again } = useAsk(
        async (signal) => (await askJson<{ inboxes: Inbox[] }>("/v1/inboxes", { signal })).inboxes,
        ["inboxes"],
        seen,
    );
    useEvery(10000, again);
    const rows = [...(data ?? [])].sort((a, b) => b.waiting - a.waiting || b.dead - a.dead);
    const top = Math.max(1, ...rows.map((row) => row.waiting + row.leased));
    return (
        <Page
            title="Inboxes"
            aside={data && <span class="muted">{number(rows.reduce((all, row) => all + row.waiting, 0))} waiting in all</span>}
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            {!data && !problem && <Loading />}
            {data && rows.length === 0 && (
                <Empty title="Nothing waits in any inbox.">
                    <p>An accepted handoff waits here until its target takes it. A target takes what waits for it with:</p>
                    <Command>{`curl -X POST -H 'Content-Type: application/json' -d '{}' ${location.origin}/v1/inbox/AGENT/take`}</Command>
                </Empty>
            )}
            {rows.length > 0 && (
                <div class="table-frame" tabIndex={0} role="region" aria-label="Inboxes">
                    <table class="folding">
                        <thead>
                            <tr>
                                {["Inbox of", "Waiting", "Taken", "Given up", "Oldest", "Tried at most"].map((word) => (
                                    <th scope="col">{word}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {rows.map((row) => (
                                <tr key={`${row.queue}/${row.agent}`}>
                                    <td>
                                        <a href={href("agents", row.agent)}>
                                            <Text>{row.agent}</Text>
                                        </a>{" "}
                                        {row.queue === "webhook" && <span class="chip">webhook</span>}
                                    </td>
                                    <td data-name="Waiting">
                                        <span class="bar-cell">
                                            <meter
                                                min={0}
                                                max={top}
                                                value={row.waiting}
                                                aria-label={`${row.waiting} waiting for ${row.agent}`}
                                            />
                                            {number(row.waiting)}
                                        </span>
                                    </td>
                                    <td data-name="Taken">{number(row.leased)}</td>
                                    <td data-name="Given up" class={row.dead ? "bad-text" : ""}>
                                        {number(row.dead)}
                                    </td>
                                    <td data-name="Oldest">
                                        {row.oldest ? (
                                            <>
                                                <Time at={row.oldest.time} ago />{" "}
                                                <a href={href("handoff", row.oldest.seq)}>#{row.oldest.seq}</a>
                                            </>
                                        ) : (
                                            <span class="muted">–</span>
                                        )}
                                    </td>
                                    <td data-name="Tried at most">{row.attempts}×</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            <Dead onRetry={again} />
        </Page>
    );
}
