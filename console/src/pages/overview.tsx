// SPDX-License-Identifier: Apache-2.0
// overview.tsx - what happened in a range of time: verdicts, codes, agents, what waits. The server counts; every figure leads
// to the entries that it counts.
import type { PageProps } from "../app";
import { askJson, askText, query, serverNow } from "../api";
import { barsOf, number, percent } from "../counts";
import { checkedTokensOf, latencyOf, waitingOf } from "../metrics";
import { useArrivals, useLive } from "../live";
import { instant, rangeOf, rangeParams, rangeQuery, rangeWords, type Range } from "../range";
import { href, usePlace, type Query } from "../route";
import { exactTime, zoneName } from "../time";
import type { Approval, Stats } from "../types";
import { Loading, Page, ProblemNote, Text } from "../ui/basic";
import { Chart, useChart, type Series } from "../ui/chart";
import { NothingYet, NotYours } from "../ui/nothing";
import { RangeChoice } from "../ui/range";
import { useAsk, useEvery } from "../use";
import { may } from "../who";

const SHOWN = 10;
const REFUSALS = ["approval/REFUSED", "raw/refused", "raw/withheld"];

interface Figures {
    verdict: Stats;
    code: Stats;
    agent: Stats;
    dialect: Stats;
    event: Stats;
}

async function figuresOf(range: Range, signal: AbortSignal): Promise<Figures> {
    const names = ["verdict", "code", "agent", "dialect", "event"] as const;
    const found = await Promise.all(
        names.map((by) => askJson<Stats>(`/v1/stats${query({ ...rangeParams(range), by })}`, { signal })),
    );
    return Object.fromEntries(names.map((name, i) => [name, found[i]])) as unknown as Figures;
}

function sum(counts: Record<string, number>, names: string[]): number {
    return names.reduce((all, name) => all + (counts[name] ?? 0), 0);
}

interface CardProps {
    name: string;
    value: string;
    to?: string | undefined;
    tone?: string;
}

function Figure({ name, value, to, tone = "" }: CardProps) {
    return (
        <div>
            <dt>{name}</dt>
            <dd class={tone}>{to ? <a href={to}>{value}</a> : value}</dd>
        </div>
    );
}

function Verdicts({ figures, range }: { figures: Figures; range: Range }) {
    const [times, accepted] = barsOf(figures.verdict, ({ counts }) => counts["accepted"] ?? 0);
    const [, rejected] = barsOf(figures.verdict, ({ counts }) => counts["rejected"] ?? 0);
    const [, refused] = barsOf({ ...figures.event, since: figures.verdict.since, until: figures.verdict.until }, ({ counts }) =>
        sum(counts, REFUSALS),
    );
    const series: Series[] = [
        { name: "accepted", color: "--accent", values: accepted },
        { name: "rejected", color: "--bad", values: rejected },
        { name: "refused", color: "--warn", values: times.map((_, i) => refused[i] ?? 0) },
    ];
    const { bucket } = figures.verdict;
    const edge = (i: number) => ({
        since: instant((times[i] ?? 0) * 1000),
        until: instant(((times[i] ?? 0) + bucket) * 1000),
    });
    const used = times.map((_, i) => i).filter((i) => series.some(({ values }) => values[i]));
    return (
        <section aria-labelledby="verdicts" class="card">
            <h2 id="verdicts">Verdicts over time</h2>
            <p class="legend">
                {series.map(({ name, color }) => (
                    <span class={`key-mark ${color.slice(2)}`}>{name}</span>
                ))}
            </p>
            <Chart
                times={times}
                series={series}
                bucket={bucket}
                label={`Accepted, rejected and refused in ${rangeWords(range)}; the table below says the same`}
                onPick={(i) => (location.hash = href("feed", "", edge(i)))}
            />
            <details>
                <summary>The same as a table</summary>
                <div class="table-frame" tabIndex={0} role="region" aria-label="Verdicts over time as a table">
                    <table>
                        <thead>
                            <tr>
                                {["From", "Accepted", "Rejected", "Refused"].map((word) => (
                                    <th scope="col">{word}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {used.map((i) => (
                                <tr>
                                    <td>
                                        <a href={href("feed", "", edge(i))}>{exactTime((times[i] ?? 0) * 1000)}</a>
                                    </td>
                                    {series.map(({ name, values }) => (
                                        <td>
                                            {values[i] ? (
                                                <a
                                                    href={href("feed", "", {
                                                        ...edge(i),
                                                        ...(name === "refused" ? {} : { verdict: name }),
                                                    })}
                                                >
                                                    {number(values[i] ?? 0)}
                                                </a>
                                            ) : (
                                                "0"
                                            )}
                                        </td>
                                    ))}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            </details>
            {used.length === 0 && <p class="muted">Nothing in {rangeWords(range)}. Choose a longer range above.</p>}
            {figures.verdict.partial && (
                <p class="muted">
                    These are lower bounds: there are more entries than the server reads for one question without the
                    scope <code>operate</code>. They are complete from {exactTime(Date.parse(figures.verdict.complete_since))}.
                </p>
            )}
        </section>
    );
}

// The most frequent first, with the share that they make up together.
function Codes({ stats, where }: { stats: Stats; where: Query }) {
    const rows = Object.entries(stats.total).sort((a, b) => b[1] - a[1]);
    const all = rows.reduce((total, [, count]) => total + count, 0) + stats.others;
    const top = rows[0]?.[1] ?? 1;
    let running = 0;
    return (
        <section aria-labelledby="codes" class="card">
            <h2 id="codes">Why: codes of rejections</h2>
            {rows.length === 0 && <p class="muted">No rejection in this range.</p>}
            <ol class="pareto">
                {rows.slice(0, SHOWN).map(([code, count]) => {
                    running += count;
                    return (
                        <li>
                            <a href={href("feed", "", { ...where, code })}>
                                <code>
                                    <Text>{code}</Text>
                                </code>
                            </a>
                            <meter min={0} max={top} value={count} aria-label={`${code}: ${count}`} />
                            <span class="mono">{number(count)}</span>
                            <span class="muted" title="together with the rows above">
                                {percent(running, all)}
                            </span>
                        </li>
                    );
                })}
            </ol>
            {rows.length > SHOWN && <p class="muted">and {rows.length - SHOWN} more codes</p>}
        </section>
    );
}

function Agents({ stats, where }: { stats: Stats; where: Query }) {
    const rows = Object.entries(stats.total).sort((a, b) => b[1] - a[1]);
    return (
        <section aria-labelledby="agents" class="card">
            <h2 id="agents">Agents with the most handoffs</h2>
            {rows.length === 0 ? (
                <p class="muted">No agent in this range.</p>
            ) : (
                <div class="scroll" tabIndex={0} role="region" aria-label="Agents with the most handoffs">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Agent</th>
                            <th scope="col">Handoffs</th>
                            <th scope="col">Rejected</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.slice(0, SHOWN).map(([name, count]) => {
                            const rejected = stats.rejected?.[name] ?? 0;
                            return (
                                <tr>
                                    <td>
                                        <a href={href("agents", name)}>
                                            <Text>{name}</Text>
                                        </a>
                                    </td>
                                    <td>
                                        <a href={href("feed", "", { ...where, agent: name })}>{number(count)}</a>
                                    </td>
                                    <td class={rejected ? "bad-text" : ""}>
                                        {rejected ? (
                                            <a href={href("feed", "", { ...where, agent: name, verdict: "rejected" })}>
                                                {number(rejected)} ({percent(rejected, count)})
                                            </a>
                                        ) : (
                                            "0"
                                        )}
                                    </td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
                </div>
            )}
        </section>
    );
}

// What waits now, whatever the range; each in a place that says what to do about it.
function useWaiting(who: PageProps["who"], news: number) {
    const approvals = useArrivals("approval");
    const mayApprove = may(who, "approve");
    const mayOperate = may(who, "operate");
    const pending = useAsk(
        async (signal) =>
            mayApprove ? (await askJson<{ approvals: Approval[] }>("/v1/approvals?status=pending", { signal })).approvals : null,
        ["pending", mayApprove],
        approvals,
    ).data;
    const metrics = useAsk(
        async (signal) => (mayOperate ? await askText("/metrics", { signal, accept: "text/plain" }) : null),
        ["metrics", mayOperate],
        news,
    ).data;
    return { pending, metrics };
}

function Now({ who, seen, size }: { who: PageProps["who"]; seen: number; size: number }) {
    const { pending, metrics } = useWaiting(who, seen);
    const latency = metrics ? latencyOf(metrics) : null;
    const waiting = metrics ? waitingOf(metrics) : null;
    const tokens = metrics ? checkedTokensOf(metrics) : null;
    return (
        <dl class="figures" aria-label="Now">
            {may(who, "operate") && <Figure name="entries in all" value={number(size)} to={href("ledger")} />}
            {pending && (
                <Figure
                    name="waiting for approval"
                    value={number(pending.length)}
                    to={href("approvals")}
                    tone={pending.length ? "warn-text" : ""}
                />
            )}
            {waiting !== null && <Figure name="waiting for delivery" value={number(waiting)} to={href("inboxes")} />}
            {latency && (
                <Figure name="half of all requests within" value={`${latency.median} ms`} to={href("ledger")} />
            )}
            {latency && <Figure name="95 % within" value={`${latency.p95} ms`} to={href("ledger")} />}
            {tokens !== null && <Figure name="tokens checked since the start" value={number(tokens)} to={href("traces")} />}
        </dl>
    );
}

export function Overview({ who, onSignIn }: PageProps) {
    useChart();
    const place = usePlace();
    const now = useLive();
    const range = rangeOf(place.query, serverNow());
    const where = rangeQuery(range);
    const { data, problem, again } = useAsk(
        (signal) => figuresOf(rangeOf(place.query, serverNow()), signal),
        ["overview", where],
        now.seen,
    );
    useEvery(Math.max(15000, Math.min(60000, range.bucket * 1000)), again);
    const total = data?.verdict.total ?? {};
    const [accepted, rejected] = [total["accepted"] ?? 0, total["rejected"] ?? 0];
    const isHidden = now.isLoaded && now.size > 0 && now.items.length === 0 && !may(who, "operate");
    const feed = data ? { since: data.verdict.since, until: data.verdict.until } : where;
    return (
        <Page
            title="Overview"
            aside={
                <>
                    <span class="muted">times in {zoneName()}</span>
                    <RangeChoice page="overview" range={range} />
                </>
            }
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            {(data || problem) && <Now who={who} seen={now.seen} size={now.size} />}
            {!data && !problem && <Loading />}
            {data && now.isLoaded && now.size === 0 && <NothingYet />}
            {isHidden && <NotYours size={now.size} who={who} onSignIn={onSignIn} />}
            {data && !isHidden && (now.size > 0 || !now.isLoaded) && (
                <div class="stack">
                    <dl class="figures" aria-label={`In ${rangeWords(range)}`}>
                        <Figure name="accepted" value={number(accepted)} to={href("feed", "", { ...feed, verdict: "accepted" })} />
                        <Figure
                            name="rejected"
                            value={number(rejected)}
                            to={href("feed", "", { ...feed, verdict: "rejected" })}
                            tone={rejected ? "bad-text" : ""}
                        />
                        <Figure name="rejected share" value={percent(rejected, accepted + rejected)} />
                        <Figure name="refused approvals and calls" value={number(sum(data.event.total, REFUSALS))} />
                        {Object.entries(data.dialect.total)
                            .filter(([name]) => name !== "baton")
                            .sort((a, b) => b[1] - a[1])
                            .map(([name, count]) => (
                                <Figure name={name} value={number(count)} to={href("feed", "", { ...feed, dialect: name })} />
                            ))}
                    </dl>
                    <Verdicts figures={data} range={range} />
                    <div class="columns even">
                        <Codes stats={data.code} where={feed} />
                        <Agents stats={data.agent} where={feed} />
                    </div>
                </div>
            )}
        </Page>
    );
}
