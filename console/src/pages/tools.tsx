// SPDX-License-Identifier: Apache-2.0
// tools.tsx - wrapped MCP servers: what they may show, what changed, which calls were made and refused.
import { useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, Problem, query, serverNow } from "../api";
import { number, percent } from "../counts";
import { useArrivals } from "../live";
import { rangeOf, rangeParams, rangeQuery, rangeWords, type Range } from "../range";
import { href, replacePlace, usePlace } from "../route";
import type { Finding, Report, ToolCall, WrappedServer, WrapStats } from "../types";
import { Chip, Command, Empty, Hash, Loading, Page, ProblemNote, Text, Time } from "../ui/basic";
import { RangeChoice } from "../ui/range";
import { useAsk, useEvery } from "../use";

const EVENTS = ["returned", "failed", "refused", "withheld", "cancelled", "lost", "replayed", "changed", "gap"];
const CALLS = 100;
const CONFIG = `wrap:
  servers:
    files:
      command: [npx, -y, "@modelcontextprotocol/server-filesystem", /srv/files]
      serve: true`;

function useStats(range: Range, server?: string) {
    const arrival = useArrivals("raw");
    const { since, until } = rangeParams(range);
    return useAsk(
        async (signal) => (await askJson<WrapStats>(`/v1/wrap/stats${query({ server, since, until })}`, { signal })).servers,
        ["wrap-stats", server, range.name || [range.since, range.until]],
        arrival,
    );
}

function NoServers() {
    return (
        <Empty title="This server wraps no MCP servers.">
            <p>
                A wrapped server is an MCP server behind Baton: its tools are pinned, its calls are checked and recorded. Name one in the
                configuration:
            </p>
            <pre class="exact">{CONFIG}</pre>
            <p>Then review its tools once, and start the server with that file:</p>
            <Command>baton wrap pin --config baton.yaml files</Command>
            <Command>baton serve --config baton.yaml</Command>
        </Empty>
    );
}

function Pin({ server }: { server: WrappedServer }) {
    return server.pinned ? (
        <span class="badge good">
            <span aria-hidden="true">✓</span> pinned
        </span>
    ) : (
        <span class="badge warn">
            <span aria-hidden="true">!</span> not pinned
        </span>
    );
}

function Servers({ servers, stats, range }: { servers: WrappedServer[]; stats: WrapStats["servers"]; range: Range }) {
    return (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Wrapped servers">
            <table class="folding">
                <thead>
                    <tr>
                        {["Server", "Lock", "Hidden tools", "Processes", "Open", "Calls", "Refused", "Failed", "Tokens"].map((word) => (
                            <th scope="col">{word}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {servers.map((server) => {
                        const counted = stats.find((found) => found.server === server.name);
                        return (
                            <tr key={server.name}>
                                <td>
                                    <a href={href("tools", server.name, rangeQuery(range))}>
                                        <Text>{server.name}</Text>
                                    </a>{" "}
                                    <Chip>{server.transport}</Chip>
                                </td>
                                <td data-name="Lock">
                                    <Pin server={server} />
                                </td>
                                <td data-name="Hidden tools" class={server.hidden ? "bad-text" : ""}>
                                    {number(server.hidden)}
                                </td>
                                <td data-name="Processes">{number(server.processes)}</td>
                                <td data-name="Open">{number(server.open)}</td>
                                <td data-name="Calls">{number(counted?.calls ?? 0)}</td>
                                <td data-name="Refused" class={counted?.refused ? "bad-text" : ""}>
                                    {counted ? `${number(counted.refused)} (${percent(counted.refused, counted.calls)})` : "0"}
                                </td>
                                <td data-name="Failed">
                                    {counted ? `${number(counted.failed)} (${percent(counted.failed, counted.calls)})` : "0"}
                                </td>
                                <td data-name="Tokens">{number(counted?.tokens ?? 0)}</td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}

function EventMark({ event }: { event: string }) {
    const tone = { returned: "good", failed: "warn", cancelled: "plain", replayed: "plain" }[event] ?? "bad";
    const sign = { good: "✓", warn: "!", plain: "•", bad: "✕" }[tone];
    return (
        <span class={`badge ${tone}`}>
            <span aria-hidden="true">{sign}</span> {event}
        </span>
    );
}

// The newest calls; the filter is in the address.
function Calls({ server, tools }: { server?: string; tools: string[] }) {
    const place = usePlace();
    const arrival = useArrivals("raw");
    const tool = place.query["tool"] ?? "";
    const event = place.query["event"] ?? "";
    const asked = useAsk(
        async (signal) =>
            (await askJson<{ calls: ToolCall[] }>(`/v1/wrap/calls${query({ server, tool, event, limit: CALLS })}`, { signal })).calls.reverse(),
        ["wrap-calls", server, tool, event],
        arrival,
    );
    const change = (name: string) => (input: { currentTarget: { value: string } }) =>
        replacePlace(href("tools", server ?? "", { ...place.query, [name]: input.currentTarget.value }));
    const choice = (name: string, value: string, words: string[]) => (
        <label>
            <span>{name}</span>
            <select value={value} onChange={change(name)}>
                <option value="">any</option>
                {words.map((word) => (
                    <option value={word}>{word}</option>
                ))}
            </select>
        </label>
    );
    return (
        <section aria-labelledby="calls">
            <h2 id="calls">Calls, newest first</h2>
            <form class="filters" aria-label="Filter calls" onSubmit={(submit) => submit.preventDefault()}>
                {choice("tool", tool, tools)}
                {choice("event", event, EVENTS)}
            </form>
            {asked.problem && <ProblemNote problem={asked.problem} again={asked.again} />}
            {!asked.data && !asked.problem && <Loading />}
            {asked.data?.length === 0 && (
                <p class="muted">{tool || event ? "No call fits the filter." : "No call was recorded yet. A call appears here when it is answered."}</p>
            )}
            {asked.data && asked.data.length > 0 && (
                <div class="table-frame" tabIndex={0} role="region" aria-label="Calls">
                    <table class="folding">
                        <thead>
                            <tr>
                                {["Entry", "Time", "Tool", "Result", "Why", "Time in ms", "Tokens", "By", "Belongs to"].map((word) => (
                                    <th scope="col">{word}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {asked.data.map((call) => (
                                <tr key={call.seq}>
                                    <td>
                                        <a class="mono" href={href("handoff", call.seq)}>
                                            #{call.seq}
                                        </a>
                                    </td>
                                    <td data-name="Time">
                                        <Time at={call.time} />
                                    </td>
                                    <td data-name="Tool" class="mono wrap">
                                        <Text>{[server ? "" : call.server, call.tool].filter(Boolean).join("/") || "–"}</Text>
                                    </td>
                                    <td data-name="Result">
                                        <EventMark event={call.event} />
                                    </td>
                                    <td data-name="Why" class="wrap">
                                        {call.codes.length ? <code>{call.codes.join(" ")}</code> : <span class="muted">–</span>}
                                    </td>
                                    <td data-name="Time in ms">{call.ms ?? "–"}</td>
                                    <td data-name="Tokens">{call.tokens ?? "–"}</td>
                                    <td data-name="By" class="wrap">
                                        <Text>{call.source ?? "–"}</Text>
                                    </td>
                                    <td data-name="Belongs to">
                                        {call.trace_id && <a href={href("traces", call.trace_id)}>trace</a>}{" "}
                                        {call.approval && <a href={href("approvals", call.approval)}>approval</a>}
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}

type Params = Record<string, unknown>;

function Runs({ name, change }: { name: string; change: { removed?: string[]; added?: string[] } }) {
    const { removed = [], added = [] } = change;
    return (
        <li>
            <strong>{name}</strong>{" "}
            {removed.map((run) => (
                <del>
                    <Text>{run}</Text>
                </del>
            ))}{" "}
            {added.map((run) => (
                <ins>
                    <Text>{run}</Text>
                </ins>
            ))}
            {removed.length + added.length === 0 && <span class="muted">white space alone</span>}
        </li>
    );
}

// Which calls, or results, that were right before are refused now, and which are new; each with an example.
function Schema({ name, answer }: { name: "input" | "output"; answer: Params }) {
    const what = name === "input" ? "arguments" : "results";
    const examples = (answer["counterexamples"] ?? {}) as Params;
    const sides: [string, string][] = [
        ["backward", `${what} that were right are refused now`],
        ["forward", `takes ${what} that nobody reviewed`],
    ];
    return (
        <>
            {sides
                .filter(([side]) => answer[side] !== "compatible")
                .map(([side, words]) => (
                    <li>
                        <strong>{name === "input" ? "input schema" : "output schema"}</strong>{" "}
                        {answer[side] === "incompatible" ? words : `cannot be compared (${String(answer[side])})`}
                        {examples[side] !== undefined && (
                            <>
                                , such as{" "}
                                <code class="wrap">
                                    <Text>{JSON.stringify(examples[side])}</Text>
                                </code>
                            </>
                        )}
                    </li>
                ))}
        </>
    );
}

function Change({ finding }: { finding: Finding }) {
    const params = (finding.params ?? {}) as Params;
    const text = (params["text"] ?? {}) as Record<string, { removed?: string[]; added?: string[] }>;
    const notes = (params["annotations"] ?? {}) as Record<string, [unknown, unknown]>;
    const tone = { WRAP_PIN_ADDED: "added", WRAP_PIN_REMOVED: "removed", WRAP_PIN_CHANGED: "changed" }[finding.code] ?? finding.code;
    return (
        <li class="card change">
            <p>
                <span class={`badge ${finding.severity === "HARD" ? "bad" : "warn"}`}>{tone}</span>{" "}
                <strong class="mono wrap">
                    <Text>{finding.pointer || "the server"}</Text>
                </strong>
            </p>
            <p class="wrap">
                <Text>{finding.message}</Text>
            </p>
            <ul class="list">
                {Object.entries(text).map(([name, change]) => (
                    <Runs name={name} change={change} />
                ))}
                {(["input", "output"] as const).map((name) =>
                    params[name] ? <Schema name={name} answer={params[name] as Params} /> : null,
                )}
                {Object.entries(notes).map(([name, [before, after]]) => (
                    <li>
                        <strong>{name}</strong> <del>{JSON.stringify(before)}</del> <ins>{JSON.stringify(after)}</ins>
                    </li>
                ))}
            </ul>
        </li>
    );
}

// The server is started, or connected to, for this: it happens on request.
function Changes({ server }: { server: WrappedServer }) {
    const [state, setState] = useState<{ report?: Report; problem?: Problem; isBusy?: boolean }>({});
    const compare = () => {
        setState({ isBusy: true });
        askJson<Report>(`/v1/wrap/servers/${encodeURIComponent(server.name)}/diff`).then(
            (report) => setState({ report }),
            (error: unknown) => setState({ problem: error instanceof Problem ? error : new Problem(0, { detail: String(error) }) }),
        );
    };
    const found = state.report?.documents[0];
    return (
        <section aria-labelledby="changes">
            <h2 id="changes">What changed since the review</h2>
            {!server.pinned ? (
                <div class="notice warn">
                    <p>Nobody has reviewed this server: any tool passes as it is. Review it and write the lock:</p>
                    <Command>{`baton wrap pin --config baton.yaml ${server.name}`}</Command>
                </div>
            ) : (
                <p>
                    <button type="button" disabled={state.isBusy} onClick={compare}>
                        {state.isBusy ? "Asking the server…" : found ? "Compare again" : "Ask the server and compare"}
                    </button>
                </p>
            )}
            {state.problem && <ProblemNote problem={state.problem} again={compare} />}
            {found && (
                <div role="status">
                    {found.findings.length === 0 ? (
                        <p class="notice good">The server shows exactly what the lock has: {number(Number(found.facts["same"] ?? 0))} items.</p>
                    ) : (
                        <>
                            <p>
                                {["changed", "added", "removed", "same"].map((word) => `${String(found.facts[word] ?? 0)} ${word}`).join(", ")}
                            </p>
                            <ul class="changes">
                                {found.findings.map((finding) => (
                                    <Change finding={finding} />
                                ))}
                            </ul>
                        </>
                    )}
                </div>
            )}
        </section>
    );
}

function Pinned({ server }: { server: WrappedServer }) {
    const items = server.items ?? [];
    return (
        <section aria-labelledby="pinned">
            <h2 id="pinned">What the lock has</h2>
            {items.length === 0 ? (
                <p class="muted">{server.pinned ? "Nothing: the server showed no tools when it was reviewed." : "Nothing: there is no entry of this server."}</p>
            ) : (
                <ul class="pins">
                    {items.map((item) => (
                        <li>
                            <Chip>{item.kind}</Chip>{" "}
                            <span class="mono wrap">
                                <Text>{item.name}</Text>
                            </span>{" "}
                            <Hash value={item.sha256} />
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}

function Rates({ stats }: { stats: WrapStats["servers"][number] | undefined }) {
    const most = Math.max(1, ...(stats?.tools ?? []).map((tool) => tool.calls));
    return (
        <section aria-labelledby="rates">
            <h2 id="rates">Calls by tool</h2>
            {!stats || stats.tools.length === 0 ? (
                <p class="muted">No call in this range. Choose a longer one above.</p>
            ) : (
                <div class="table-frame" tabIndex={0} role="region" aria-label="Calls by tool">
                    <table class="folding">
                        <thead>
                            <tr>
                                {["Tool", "Calls", "Refused", "Failed", "Half within", "95 % within", "Tokens"].map((word) => (
                                    <th scope="col">{word}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {stats.tools.map((tool) => (
                                <tr key={tool.tool}>
                                    <td class="mono wrap">
                                        <Text>{tool.tool}</Text>
                                    </td>
                                    <td data-name="Calls">
                                        <span class="bar-cell">
                                            <meter min={0} max={most} value={tool.calls} aria-label={`${tool.calls} calls of ${tool.tool}`} />
                                            {number(tool.calls)}
                                        </span>
                                    </td>
                                    <td data-name="Refused" class={tool.refused ? "bad-text" : ""}>
                                        {number(tool.refused)} ({percent(tool.refused, tool.calls)})
                                    </td>
                                    <td data-name="Failed">
                                        {number(tool.failed)} ({percent(tool.failed, tool.calls)})
                                    </td>
                                    <td data-name="Half within">{tool.ms_p50 === null ? "–" : `${tool.ms_p50} ms`}</td>
                                    <td data-name="95 % within">{tool.ms_p95 === null ? "–" : `${tool.ms_p95} ms`}</td>
                                    <td data-name="Tokens">{number(tool.tokens)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}

function One({ server, stats }: { server: WrappedServer; stats: WrapStats["servers"][number] | undefined }) {
    const figures: [string, number, string?][] = [
        ["processes", server.processes],
        ["open requests", server.open],
        ["hidden tools", server.hidden, server.hidden ? "bad-text" : ""],
        ["calls since it started", server.calls["total"] ?? 0],
        ["refused", server.calls["refused"] ?? 0, server.calls["refused"] ? "bad-text" : ""],
        ["withheld", server.calls["withheld"] ?? 0, server.calls["withheld"] ? "bad-text" : ""],
        ["without a record", server.unrecorded, server.unrecorded ? "bad-text" : ""],
        ["messages not passed on", server.dropped],
    ];
    return (
        <>
            <p>
                <Chip>{server.transport}</Chip> <Pin server={server} />{" "}
                {server.serve && (
                    <code class="wrap">
                        {location.origin}/wrap/{server.name}/mcp
                    </code>
                )}
            </p>
            <dl class="figures">
                {figures.map(([name, value, tone]) => (
                    <div>
                        <dt>{name}</dt>
                        <dd class={tone ?? ""}>{number(value)}</dd>
                    </div>
                ))}
            </dl>
            <Changes key={server.name} server={server} />
            <Pinned server={server} />
            <Rates stats={stats} />
            <Calls server={server.name} tools={stats?.tools.map((tool) => tool.tool) ?? []} />
        </>
    );
}

export function Tools({ id }: PageProps) {
    const place = usePlace();
    const arrival = useArrivals("raw");
    const range = rangeOf({ range: "24h", ...place.query }, Math.floor(serverNow() / 60000) * 60000);
    const asked = useAsk(
        async (signal) => (await askJson<{ servers: WrappedServer[] }>("/v1/wrap/servers", { signal })).servers,
        ["wrapped"],
        arrival,
    );
    const stats = useStats(range);
    useEvery(10000, asked.again);
    const servers = asked.data ?? [];
    const one = id ? servers.find((server) => server.name === id) : undefined;
    const tools = [...new Set((stats.data ?? []).flatMap((server) => server.tools.map((tool) => tool.tool)))].sort();
    return (
        <Page
            title={id ? `Tools of ${id}` : "Tools"}
            aside={servers.length > 0 && <RangeChoice page="tools" id={id} range={range} />}
        >
            {asked.problem && <ProblemNote problem={asked.problem} again={asked.again} />}
            {stats.problem && <ProblemNote problem={stats.problem} again={stats.again} />}
            {!asked.data && !asked.problem && <Loading />}
            {asked.data && servers.length === 0 && <NoServers />}
            {id && asked.data && servers.length > 0 && !one && (
                <Empty title="No wrapped server has this name.">
                    <p>
                        See <a href={href("tools")}>all of them</a>.
                    </p>
                </Empty>
            )}
            {one && <One server={one} stats={stats.data?.find((found) => found.server === one.name)} />}
            {!id && servers.length > 0 && (
                <>
                    <p class="muted">Calls, refusals and tokens are those of {rangeWords(range)}; hidden tools and processes those of now.</p>
                    <Servers servers={servers} stats={stats.data ?? []} range={range} />
                    <Calls tools={tools} />
                </>
            )}
        </Page>
    );
}
