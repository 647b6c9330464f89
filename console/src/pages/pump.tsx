// SPDX-License-Identifier: Apache-2.0
// pump.tsx - the organism at work: who may call whom, what waits, what died.
import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson } from "../api";
import { gapText } from "../text";
import type { Graph, PumpListener, PumpStatus } from "../types";
import { Command, Empty, Facts, Loading, Page, ProblemNote, Text, Time } from "../ui/basic";
import { Dead } from "../ui/dead";
import { GraphView } from "../ui/lazy";
import { useAsk, useEvents, useEvery } from "../use";

interface Whole {
    status: PumpStatus;
    listeners: PumpListener[];
    graph: Graph;
}

// The control channel answers {"method","result"}; the members may also stand at the top.
function result<T>(answer: unknown): T {
    const { result: inner } = answer as { result?: T };
    return inner ?? (answer as T);
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

function Listeners({ listeners }: { listeners: PumpListener[] }) {
    return (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Listeners and their queues">
            <table>
                <thead>
                    <tr>
                        {["Listener", "Tag", "Host", "State", "Queued", "In flight", "Restarts"].map((word) => (
                            <th scope="col">{word}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {listeners.map((listener) => (
                        <tr key={listener.name}>
                            <td>
                                <Text>{listener.name}</Text> {listener.agent && <span class="chip">agent</span>}
                            </td>
                            <td class="mono">
                                <Text>{listener.tag}</Text>
                            </td>
                            <td>{listener.host}</td>
                            <td>{listener.state}</td>
                            <td>{listener.queued}</td>
                            <td>{listener.in_flight}</td>
                            <td>{listener.restarts}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
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
    useEvents("/v1/pump/events", 500, asked.again);
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
                        <GraphView graph={whole.graph} label="Who may call whom" />
                        <Calls graph={whole.graph} />
                    </section>
                    <section aria-labelledby="queues">
                        <h2 id="queues">Listeners and queues</h2>
                        <Listeners listeners={whole.listeners} />
                    </section>
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
