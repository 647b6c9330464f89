// SPDX-License-Identifier: Apache-2.0
// pump.tsx - the organism at work: who may call whom, what waits, what died.
import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, query } from "../api";
import { useArrivals, useLive } from "../live";
import { href } from "../route";
import { gapText } from "../text";
import type { Graph, Listing, PumpEvent, PumpListener, PumpStatus } from "../types";
import { Command, Empty, Facts, Loading, Page, ProblemNote, SeverityMark, Text, Time, VerdictMark, Way } from "../ui/basic";
import { Dead } from "../ui/dead";
import { GraphView } from "../ui/lazy";
import { result, Thread } from "../ui/thread";
import { useAsk, useEvery, useFollow } from "../use";

const EVENTS_MAX = 200;
const MESSAGES = 50;

interface Whole {
    status: PumpStatus;
    listeners: PumpListener[];
    graph: Graph;
}

async function load(signal: AbortSignal): Promise<Whole> {
    const [status, list, graph] = await Promise.all(
        ["status", "listeners", "graph"].map((name) => askJson<unknown>(`/v1/pump/${name}`, { signal })),
    );
    return {
        status: result<PumpStatus>(status),
        listeners: result<{ listeners: PumpListener[] }>(list).listeners,
        graph: result<Graph>(graph),
    };
}

function Figures({ status, isSilent }: { status: PumpStatus; isSilent: boolean }) {
    const figures: [string, number | string, string?][] = [
        ["state", isSilent ? "no answer" : status.state, isSilent ? "bad-text" : ""],
        ["up for", gapText(status.uptime_s * 1000)],
        ["processed", status.processed],
        ["queued", status.queued],
        ["in flight", status.in_flight],
        ["threads", status.threads],
        ["dead in the pump", status.dead, status.dead > 0 ? "bad-text" : ""],
    ];
    return (
        <dl class="figures">
            {figures.map(([name, value, tone]) => (
                <div>
                    <dt>{name}</dt>
                    <dd class={tone ?? ""}>{value}</dd>
                </div>
            ))}
        </dl>
    );
}

function Listeners({ listeners, events }: { listeners: PumpListener[]; events: PumpEvent[] }) {
    const most = Math.max(1, ...listeners.map((listener) => listener.queued + listener.in_flight));
    return (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Listeners and their queues">
            <table class="folding">
                <thead>
                    <tr>
                        {["Listener", "Tag", "Host", "State", "Queued", "In flight", "Failures", "Restarts"].map((word) => (
                            <th scope="col">{word}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {listeners.map((listener) => {
                        const failures = events.filter((event) => event.listener === listener.name && event.severity === "HARD").length;
                        return (
                            <tr key={listener.name}>
                                <td>
                                    <Text>{listener.name}</Text> {listener.agent && <span class="chip">agent</span>}
                                </td>
                                <td data-name="Tag" class="mono wrap">
                                    <Text>{listener.tag}</Text>
                                </td>
                                <td data-name="Host">{listener.host}</td>
                                <td data-name="State" class={listener.state === "ready" ? "" : "warn-text"}>
                                    {listener.state}
                                </td>
                                <td data-name="Queued">
                                    <span class="bar-cell">
                                        <meter
                                            min={0}
                                            max={most}
                                            value={listener.queued}
                                            aria-label={`${listener.queued} queued for ${listener.name}`}
                                        />
                                        {listener.queued}
                                    </span>
                                </td>
                                <td data-name="In flight">{listener.in_flight}</td>
                                <td data-name="Failures" class={failures ? "bad-text" : ""}>
                                    {failures}
                                </td>
                                <td data-name="Restarts" class={listener.restarts ? "warn-text" : ""}>
                                    {listener.restarts}
                                </td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}

// The newest first, as far as this page has seen and the pump remembers. What a handler raised is in the params.
function Events({ events }: { events: PumpEvent[] }) {
    return (
        <section aria-labelledby="events">
            <h2 id="events">Events, and what handlers raised</h2>
            {events.length === 0 ? (
                <p class="muted">None since this page was opened. Failures, timeouts and refused calls of handlers appear here.</p>
            ) : (
                <ol class="pump-events">
                    {events.map((event) => (
                        <li key={event.n}>
                            {event.at && <Time at={event.at} />} <SeverityMark severity={event.severity} /> <code>{event.code}</code>{" "}
                            {event.listener && (
                                <strong>
                                    <Text>{event.listener}</Text>
                                </strong>
                            )}{" "}
                            <Text>{event.message}</Text>
                            {event.params && Object.keys(event.params).length > 0 && <Facts value={event.params} />}
                        </li>
                    ))}
                </ol>
            )}
        </section>
    );
}

function Messages() {
    const { seen } = useLive();
    const [open, setOpen] = useState<number | null>(null);
    const { data, problem, again } = useAsk(
        async (signal) => (await askJson<Listing>(`/v1/handoffs${query({ dialect: "xml", limit: MESSAGES })}`, { signal })).entries,
        ["messages"],
        seen,
    );
    return (
        <section aria-labelledby="messages">
            <h2 id="messages">Messages, newest first</h2>
            {problem && <ProblemNote problem={problem} again={again} />}
            {data?.length === 0 && <p class="muted">No message yet. A client sends one with POST /v1/pump/send.</p>}
            {data && data.length > 0 && (
                <ol class="messages">
                    {data.map(({ seq, entry }) => {
                        const thread = entry.verdict === "accepted" ? (entry.trace_id ?? "") : "";
                        return (
                            <li key={seq}>
                                <Time at={entry.time} /> <a href={href("handoff", seq)}>#{seq}</a> <VerdictMark verdict={entry.verdict} />{" "}
                                <Way source={entry.source} target={entry.target} />{" "}
                                {entry.codes.length > 0 && <code class="bad-text">{entry.codes.join(" ")}</code>}{" "}
                                {thread && (
                                    <button type="button" class="quiet" aria-expanded={open === seq} onClick={() => setOpen(open === seq ? null : seq)}>
                                        {open === seq ? "hide what it caused" : "what it caused"}
                                    </button>
                                )}
                                {open === seq && <Thread thread={thread} client={entry.source ?? ""} />}
                            </li>
                        );
                    })}
                </ol>
            )}
        </section>
    );
}

// The graph with what waits and runs at each listener.
function pictureOf(graph: Graph, listeners: PumpListener[]): Graph {
    const notes = new Map(
        listeners.map((listener) => [listener.name, [listener.queued ? `${listener.queued} queued` : "", listener.in_flight ? `${listener.in_flight} in flight` : "", listener.state === "ready" ? "" : listener.state].filter(Boolean).join(", ")]),
    );
    return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, note: notes.get(node.name) ?? "" })) };
}

function Calls({ graph }: { graph: Graph }) {
    return (
        <details>
            <summary>The same as a list</summary>
            <ul>
                {graph.edges.map((edge) => (
                    <li>
                        <Text>{edge.from}</Text> may call <Text>{edge.to}</Text>
                    </li>
                ))}
            </ul>
        </details>
    );
}

// A pump that this page has seen, or that the server is told to use, and that is silent now: nothing is carried.
function Alarm({ since, again }: { since: string | null; again: () => void }) {
    return (
        <div class="notice bad" role="alert">
            <p>
                <strong>The pump does not answer.</strong>{" "}
                {since ? (
                    <>
                        Its last answer came <Time at={since} full />; below is what it said then.
                    </>
                ) : (
                    "This server is told to use one."
                )}{" "}
                Messages wait until it runs again; this page looks every few seconds.
            </p>
            <button type="button" onClick={again}>
                Look now
            </button>
        </div>
    );
}

export function Pump(_: PageProps) {
    const asked = useAsk(load, ["pump"]);
    const [seen, setSeen] = useState<string | null>(null); // when it answered last
    const [events, setEvents] = useState<PumpEvent[]>([]);
    const arrival = useArrivals("delivery");
    useFollow("/v1/pump/events?after=0", 500, asked.again, (data) => {
        const event = JSON.parse(data) as PumpEvent;
        setEvents((known) => [event, ...known.filter((other) => other.n !== event.n)].slice(0, EVENTS_MAX));
    });
    useEffect(() => asked.again(), [arrival]);
    useEvery(5000, asked.again); // what no event tells: that it came up or is gone, or how long it is
    useEffect(() => {
        if (asked.data && !asked.problem) {
            setSeen(new Date().toISOString());
        }
    }, [asked.data, asked.problem]);
    const whole = asked.data;
    const isNone = asked.problem?.status === 404;
    const isSilent = asked.problem?.status === 503;
    return (
        <Page
            title="Pump"
            aside={
                whole && (
                    <span class="muted">
                        <Text>{whole.status.organism}</Text>
                    </span>
                )
            }
        >
            {asked.problem && !isNone && !isSilent && <ProblemNote problem={asked.problem} again={asked.again} />}
            {isSilent && <Alarm since={seen} again={asked.again} />}
            {!whole && asked.isLoading && <Loading />}
            {isNone && (
                <Empty title="No pump is running here.">
                    <p>
                        A pump carries messages between tools and agents that do not trust each other: every handler in
                        a sandbox of its own, every message checked. Start one, and tell the server about it:
                    </p>
                    <Command>baton pump run examples/pump/organism.yaml</Command>
                    <Command>baton serve --organism examples/pump/organism.yaml</Command>
                </Empty>
            )}
            {isSilent && !whole && <Dead />}
            {whole && !isNone && (
                <>
                    <Figures status={whole.status} isSilent={isSilent} />
                    <section aria-labelledby="topology">
                        <h2 id="topology">Topology</h2>
                        <GraphView graph={pictureOf(whole.graph, whole.listeners)} label="Who may call whom, and what waits" />
                        <Calls graph={whole.graph} />
                    </section>
                    <section aria-labelledby="queues">
                        <h2 id="queues">Listeners and queues</h2>
                        <Listeners listeners={whole.listeners} events={events} />
                    </section>
                    <Events events={events} />
                    <Messages />
                    <Dead />
                    {whole.status.sandbox && (
                        <section aria-labelledby="sandbox">
                            <h2 id="sandbox">Sandbox</h2>
                            <Facts value={whole.status.sandbox} />
                        </section>
                    )}
                </>
            )}
        </Page>
    );
}
