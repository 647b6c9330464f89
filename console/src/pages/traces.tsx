// SPDX-License-Identifier: Apache-2.0
// traces.tsx - a piece of work on its way: the newest traces, and one as timeline, graph and table.
import { useMemo } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson } from "../api";
import { useJoined, type Span } from "../join";
import { useLive } from "../live";
import { href } from "../route";
import { gapText } from "../text";
import type { Graph, Hop, Trace, Who } from "../types";
import { Chip, Command, Copy, Empty, Loading, Page, ProblemNote, Text, Time, VerdictMark, Way } from "../ui/basic";
import { BundleButton } from "../ui/bundle";
import { GraphView } from "../ui/lazy";
import { Lanes } from "../ui/lanes";
import { Thread } from "../ui/thread";
import { Waterfall } from "../ui/waterfall";
import { useWork, type Work } from "../work";
import { useAsk } from "../use";
import { may } from "../who";

interface TraceRow {
    trace_id: string;
    started: string;
    ended: string;
    hops: number;
    rejected?: number;
}

function List() {
    const { size } = useLive();
    const { data, problem, isLoading, again } = useAsk(
        (signal) => askJson<{ traces: TraceRow[] }>("/v1/traces", { signal }),
        ["traces"],
        size,
    );
    return (
        <Page title="Traces">
            {problem && <ProblemNote problem={problem} again={again} />}
            {!data && isLoading && <Loading />}
            {data && data.traces.length === 0 && (
                <Empty title="No trace yet.">
                    <p>
                        Handoffs that carry the same <code>trace_id</code> become one trace: who handed to whom, when,
                        and what was refused on the way. Submit a universal handoff to begin one:
                    </p>
                    <Command>{`curl -H 'Content-Type: application/json' --data-binary @examples/universal/planner-to-builder.handoff.json ${location.origin}/v1/handoffs`}</Command>
                </Empty>
            )}
            {data && data.traces.length > 0 && (
                <div class="table-frame" tabIndex={0} role="region" aria-label="Newest traces">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">Trace</th>
                                <th scope="col">Hops</th>
                                <th scope="col">Rejected</th>
                                <th scope="col">Began</th>
                                <th scope="col">Last</th>
                            </tr>
                        </thead>
                        <tbody>
                            {data.traces.map((trace) => (
                                <tr key={trace.trace_id}>
                                    <td class="mono nowrap">
                                        <a class="id" href={href("traces", trace.trace_id)}>
                                            <Text>{trace.trace_id}</Text>
                                        </a>
                                    </td>
                                    <td>{trace.hops}</td>
                                    <td class={trace.rejected ? "bad-text" : ""}>{trace.rejected ?? ""}</td>
                                    <td>
                                        <Time at={trace.started} full />
                                    </td>
                                    <td>
                                        <Time at={trace.ended} ago />
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </Page>
    );
}

// One arrow for each pair and verdict, with its entry, or how often it was taken.
function graphOf(trace: Trace): Graph {
    const edges = new Map<string, { from: string; to: string; isBad: boolean; seqs: number[] }>();
    for (const { source: from, target: to, verdict, seq } of trace.hops) {
        if (from && to) {
            const isBad = verdict === "rejected";
            const key = JSON.stringify([from, to, isBad]);
            edges.set(key, { from, to, isBad, seqs: [...(edges.get(key)?.seqs ?? []), seq] });
        }
    }
    return {
        nodes: trace.agents.map((name) => ({ name })),
        edges: [...edges.values()].map(({ from, to, isBad, seqs }) => ({
            from,
            to,
            label: `${isBad ? "✕" : "✓"} ${seqs.length > 1 ? `${seqs.length}×` : `#${seqs[0]}`}`,
            tone: isBad ? "bad" : "good",
        })),
    };
}

// What was delivered, asked and called on the way, in words.
function Joined({ spans }: { spans: Span[] }) {
    const others = spans.filter((span) => span.kind !== "handoff");
    return others.length === 0 ? null : (
        <ul class="list joined-list" aria-label="Deliveries, requests for consent and calls of tools">
            {others.map((span) => (
                <li key={`${span.kind}/${span.seq}`}>
                    <a href={href("handoff", span.seq)}>#{span.seq}</a> <Chip>{span.kind}</Chip>{" "}
                    <span class={span.isBad ? "bad-text" : ""}>
                        <Text>{span.name}</Text>
                    </span>
                    {span.to > span.from && <span class="muted"> took {gapText(span.to - span.from)}</span>}
                </li>
            ))}
        </ul>
    );
}

// What messages of this trace caused in the pump, where the trace is a thread.
function Threads({ trace }: { trace: Trace }) {
    const clients = new Set(trace.hops.filter((hop) => hop.dialect === "xml" && hop.verdict === "accepted").map((hop) => hop.source ?? ""));
    return clients.size === 0 ? null : (
        <section aria-labelledby="threads">
            <h2 id="threads">In the pump</h2>
            {[...clients].map((client) => (
                <Thread key={client} thread={trace.trace_id} client={client} />
            ))}
        </section>
    );
}

function HopTable({ hops, work, spans }: { hops: Hop[]; work: Map<number, Work>; spans: Span[] }) {
    return (
        <>
            <Hops hops={hops} work={work} />
            <Joined spans={spans} />
        </>
    );
}

function Hops({ hops, work }: { hops: Hop[]; work: Map<number, Work> }) {
    return (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Hops as a table">
            <table>
                <thead>
                    <tr>
                        <th scope="col">Entry</th>
                        <th scope="col">Time</th>
                        <th scope="col">After</th>
                        <th scope="col">Work</th>
                        <th scope="col">From, to</th>
                        <th scope="col">Verdict</th>
                        <th scope="col">Tokens</th>
                        <th scope="col">Codes</th>
                    </tr>
                </thead>
                <tbody>
                    {hops.map((hop) => (
                        <tr key={hop.seq}>
                            <td class="mono">
                                <a href={href("handoff", hop.seq)}>#{hop.seq}</a>
                            </td>
                            <td>
                                <Time at={hop.time} />
                            </td>
                            <td class="nowrap">{hop.gap_ms == null ? "" : gapText(hop.gap_ms)}</td>
                            <td>
                                <Text>{work.get(hop.seq)?.title ?? ""}</Text>
                            </td>
                            <td>
                                <Way source={hop.source} target={hop.target} />
                            </td>
                            <td class="nowrap">
                                <VerdictMark verdict={hop.verdict} /> <Chip>{hop.dialect}</Chip>
                            </td>
                            <td>{work.get(hop.seq)?.tokens ?? ""}</td>
                            <td>
                                {hop.codes.map((code) => (
                                    <code class="code">
                                        <Text>{code}</Text>
                                    </code>
                                ))}
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function One({ id, who }: { id: string; who: Who }) {
    const { items } = useLive();
    const newest = items.find((item) => item.entry.trace_id === id)?.seq ?? -1;
    const { data, problem, isLoading, again } = useAsk(
        (signal) => askJson<Trace>(`/v1/traces/${encodeURIComponent(id)}`, { signal }),
        ["trace", id],
        newest,
    );
    const trace = data;
    const { seen } = useLive();
    const spans = useJoined(trace, seen);
    const work = useWork(trace?.hops.map((hop) => hop.seq) ?? []);
    // A name that was accepted before one that was not.
    const named = [...(trace?.hops ?? [])].sort((a, b) => Number(a.verdict === "rejected") - Number(b.verdict === "rejected"));
    const title = named.map((hop) => work.get(hop.seq)?.title).find(Boolean) ?? "";
    const tokens = [...work.values()].reduce((sum, found) => sum + (found.tokens ?? 0), 0);
    const graph = useMemo(() => (trace ? graphOf(trace) : null), [trace]);
    if (!trace || !graph) {
        return (
            <Page title="Trace" aside={<a href={href("traces")}>All traces</a>}>
                {problem?.status === 404 && (
                    <Empty title="No handoff that you may see has this trace id.">
                        <p>
                            Calls of wrapped tools have traces, too: see <a href={href("tools")}>tools</a>.
                        </p>
                    </Empty>
                )}
                {problem && problem.status !== 404 && <ProblemNote problem={problem} again={again} />}
                {isLoading && <Loading />}
            </Page>
        );
    }
    return (
        <Page
            title={title || "Trace"}
            aside={
                <>
                    {may(who, "operate") && <BundleButton selection={{ trace: id, title: title || `Trace ${id}` }} name={`trace-${id}`} />}
                    <a href={href("traces")}>All traces</a>
                </>
            }
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            <dl class="figures">
                <div>
                    <dt>hops</dt>
                    <dd>{trace.hops.length}</dd>
                </div>
                <div>
                    <dt>rejected</dt>
                    <dd>{trace.hops.filter((hop) => hop.verdict === "rejected").length}</dd>
                </div>
                <div>
                    <dt>took</dt>
                    <dd>{gapText(Date.parse(trace.ended) - Date.parse(trace.started))}</dd>
                </div>
                <div>
                    <dt>tokens of its documents</dt>
                    <dd>{tokens.toLocaleString("en")}</dd>
                </div>
            </dl>
            <p class="mono wrap">
                <Text>{trace.trace_id}</Text>
                <Copy value={trace.trace_id} name="the trace id" />
            </p>
            <p class="muted">
                {trace.hops.length} hops between {trace.agents.length} agents, from <Time at={trace.started} full /> to{" "}
                <Time at={trace.ended} full />, {gapText(Date.parse(trace.ended) - Date.parse(trace.started))}
            </p>
            <section aria-labelledby="waterfall">
                <h2 id="waterfall">Waterfall</h2>
                <Waterfall spans={spans} />
            </section>
            <section aria-labelledby="timeline">
                <h2 id="timeline">Timeline</h2>
                <Lanes trace={trace} />
            </section>
            <section aria-labelledby="chain">
                <h2 id="chain">Chain</h2>
                <GraphView graph={graph} label="Chain of agents" />
            </section>
            <section aria-labelledby="table">
                <h2 id="table">The same as a table</h2>
                <HopTable hops={trace.hops} work={work} spans={spans} />
            </section>
            <Threads trace={trace} />
        </Page>
    );
}

export function Traces({ id, who }: PageProps) {
    return id ? <One key={id} id={id} who={who} /> : <List />;
}
