// SPDX-License-Identifier: Apache-2.0
// agents.tsx - every agent: how much it hands over, how much of it is rejected, today against yesterday, and whether it is blocked.
import type { PageProps } from "../app";
import { askJson, query, serverNow } from "../api";
import { agentsOf, number, trend, words, type Agent } from "../counts";
import { useLive } from "../live";
import { instant } from "../range";
import { href } from "../route";
import type { Item, Listing, Stats } from "../types";
import { Chip, Empty, Loading, Page, ProblemNote, Text, Time, VerdictMark, Way } from "../ui/basic";
import { Sparkline } from "../ui/chart";
import { useAsk, useEvery } from "../use";
import { may } from "../who";
import { useWork } from "../work";

const DAY_S = 86400;
const SHOWN = 20;

interface Blocked {
    agent_id: string;
    reason: string;
    since: string;
    seq: number;
}

const TREND: Record<ReturnType<typeof trend>, [string, string]> = {
    worse: ["▲ worse", "bad"],
    better: ["▼ better", "good"],
    same: ["= same", "plain"],
    new: ["new", "plain"],
};

function Trend({ agent }: { agent: Agent }) {
    const [text, tone] = TREND[trend(agent)];
    return <span class={`badge ${tone}`}>{text}</span>;
}

function useAgents(who: PageProps["who"]) {
    const { seen } = useLive();
    const stats = useAsk(
        (signal) => {
            const until = Math.ceil(serverNow() / 3600000) * 3600000;
            const since = until - 2 * DAY_S * 1000;
            return askJson<Stats>(
                `/v1/stats${query({ since: instant(since), until: instant(until), bucket: 3600, by: "agent" })}`,
                { signal },
            );
        },
        ["agents"],
        seen,
    );
    useEvery(60000, stats.again);
    const mayOperate = may(who, "operate");
    const blocked = useAsk(
        async (signal) =>
            mayOperate ? (await askJson<{ blocked: Blocked[] }>("/v1/govern/blocked", { signal })) : null,
        ["blocked", mayOperate],
        seen,
    ).data;
    const names = new Map((blocked?.blocked ?? []).map((row) => [row.agent_id, row]));
    return { stats, blocked: names };
}

function List({ who }: PageProps) {
    const { stats, blocked } = useAgents(who);
    const agents = stats.data ? agentsOf(stats.data) : [];
    const missing = [...blocked.keys()].filter((name) => !agents.some((agent) => agent.name === name));
    return (
        <Page title="Agents" aside={<span class="muted">the last 24 hours against the 24 before</span>}>
            {stats.problem && <ProblemNote problem={stats.problem} again={stats.again} />}
            {!stats.data && !stats.problem && <Loading />}
            {stats.data?.partial && (
                <p class="muted">Lower bounds: not all entries of two days could be read with your token.</p>
            )}
            {missing.length > 0 && (
                <div class="notice warn">
                    <p>
                        Blocked, and silent for two days:{" "}
                        {missing.map((name, i) => (
                            <>
                                {i > 0 && ", "}
                                <a href={href("agents", name)}>
                                    <Text>{name}</Text>
                                </a>
                            </>
                        ))}
                    </p>
                </div>
            )}
            {stats.data && agents.length === 0 && (
                <Empty title="No agent handed anything over in the last two days.">
                    <p>
                        Agents appear with their first handoff. Look at <a href={href("overview", "", { range: "30d" })}>30 days</a>, or
                        submit one in the <a href={href("playground")}>playground</a>.
                    </p>
                </Empty>
            )}
            {agents.length > 0 && (
                <div class="table-frame" tabIndex={0} role="region" aria-label="Agents">
                    <table class="folding">
                        <thead>
                            <tr>
                                {["Agent", "Rejected today", "Yesterday", "Against yesterday", "Rejection rate, 48 h", "State"].map((word) => (
                                    <th scope="col">{word}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {agents.map((agent) => (
                                <tr key={agent.name}>
                                    <td>
                                        <a href={href("agents", agent.name)}>
                                            <Text>{agent.name}</Text>
                                        </a>
                                    </td>
                                    <td data-name="Rejected today">{words(agent.today)}</td>
                                    <td data-name="Yesterday">{words(agent.yesterday)}</td>
                                    <td data-name="Against yesterday">
                                        <Trend agent={agent} />
                                    </td>
                                    <td data-name="Rejection rate">
                                        <Sparkline
                                            values={agent.rates}
                                            label={`Rejection rate of ${agent.name} by hour: ${words(agent.yesterday)} yesterday, ${words(agent.today)} today`}
                                        />
                                    </td>
                                    <td data-name="State">
                                        {blocked.has(agent.name) ? <span class="badge bad">✕ blocked</span> : <span class="muted">open</span>}
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

async function handoffsOf(name: string, signal: AbortSignal): Promise<{ last: Item[]; codes: [string, number][] }> {
    const ask = (params: Record<string, string | number>) =>
        askJson<Listing>(`/v1/handoffs${query(params)}`, { signal }).then((listing) => listing.entries);
    const [sent, received, rejected] = await Promise.all([
        ask({ source: name, limit: SHOWN }),
        ask({ target: name, limit: SHOWN }),
        ask({ source: name, verdict: "rejected", limit: 200 }),
    ]);
    const items = new Map([...sent, ...received].map((item) => [item.seq, item]));
    const codes = new Map<string, number>();
    rejected.forEach(({ entry }) => entry.codes.forEach((code) => codes.set(code, (codes.get(code) ?? 0) + 1)));
    return {
        last: [...items.values()].sort((a, b) => b.seq - a.seq).slice(0, SHOWN),
        codes: [...codes].sort((a, b) => b[1] - a[1]),
    };
}

// What the last handoffs of an agent cost: their tokens, and what the chains that they belong to have spent of their budgets.
function Cost({ name, last }: { name: string; last: Item[] }) {
    const sent = last.filter(({ entry }) => entry.source === name && entry.kind === "handoff");
    const work = useWork(sent.map(({ seq }) => seq));
    const chains = new Map(
        [...sent].reverse().map(({ seq, entry }) => [entry.trace_id ?? String(seq), work.get(seq)?.budget]),
    );
    const budgets = [...chains.values()].filter((budget) => budget != null);
    const tokens = [...work.values()].reduce((sum, found) => sum + (found.tokens ?? 0), 0);
    const spent = budgets.reduce((sum, { limit, left }) => sum + limit - left, 0);
    const limit = budgets.reduce((sum, budget) => sum + budget.limit, 0);
    return sent.length === 0 ? null : (
        <p>
            {number(tokens)} tokens in the documents of its last {sent.length} handoffs.{" "}
            {budgets.length > 0
                ? `Their chains have spent ${number(spent)} of ${number(limit)} tokens of their budgets.`
                : "None of their chains has a budget."}
        </p>
    );
}

function One({ id, who }: PageProps) {
    const { stats, blocked } = useAgents(who);
    const { items } = useLive();
    const newest = items.find(({ entry }) => entry.source === id || entry.target === id)?.seq ?? -1;
    const found = useAsk((signal) => handoffsOf(id, signal), ["agent", id], newest);
    const agent = stats.data ? agentsOf(stats.data).find(({ name }) => name === id) : undefined;
    const block = blocked.get(id);
    return (
        <Page title={`Agent ${id}`} aside={<a href={href("agents")}>All agents</a>}>
            {(stats.problem ?? found.problem) && (
                <ProblemNote problem={(stats.problem ?? found.problem) as never} again={stats.again} />
            )}
            {block && (
                <div class="notice bad">
                    <p>
                        <strong>Blocked</strong> since <Time at={block.since} full /> (<a href={href("handoff", block.seq)}>#{block.seq}</a>):{" "}
                        <Text>{block.reason}</Text>. An operator lifts it with:
                    </p>
                    <p>
                        <code>baton govern unblock {id} --reason "…"</code>
                    </p>
                </div>
            )}
            {agent ? (
                <dl class="figures">
                    <div>
                        <dt>rejected today</dt>
                        <dd>{words(agent.today)}</dd>
                    </div>
                    <div>
                        <dt>rejected yesterday</dt>
                        <dd>{words(agent.yesterday)}</dd>
                    </div>
                    <div>
                        <dt>against yesterday</dt>
                        <dd>
                            <Trend agent={agent} />
                        </dd>
                    </div>
                    <div>
                        <dt>rejection rate, 48 h</dt>
                        <dd>
                            <Sparkline values={agent.rates} label={`Rejection rate of ${id} by hour`} />
                        </dd>
                    </div>
                </dl>
            ) : (
                stats.data && <p class="muted">Nothing in the last two days.</p>
            )}
            {!found.data && found.isLoading && <Loading />}
            {found.data && (
                <div class="columns even">
                    <section aria-labelledby="last" class="card">
                        <h2 id="last">Last handoffs</h2>
                        {found.data.last.length === 0 && (
                            <p class="muted">
                                None that you may see. <a href={href("agents")}>Look at other agents</a>.
                            </p>
                        )}
                        <ul class="list">
                            {found.data.last.map((item) => (
                                <li key={item.seq}>
                                    <Time at={item.entry.time} /> <a href={href("handoff", item.seq)}>#{item.seq}</a>{" "}
                                    <VerdictMark verdict={item.entry.verdict} /> <Chip>{item.entry.dialect}</Chip>{" "}
                                    <Way source={item.entry.source} target={item.entry.target} />
                                </li>
                            ))}
                        </ul>
                        <Cost name={id} last={found.data.last} />
                        <p>
                            <a href={href("feed", "", { agent: id })}>All in the feed</a>
                        </p>
                    </section>
                    <section aria-labelledby="why" class="card">
                        <h2 id="why">Why its handoffs were rejected</h2>
                        {found.data.codes.length === 0 && <p class="muted">None of its last handoffs was rejected.</p>}
                        <ol class="list">
                            {found.data.codes.map(([code, count]) => (
                                <li>
                                    <a href={href("feed", "", { agent: id, code })}>
                                        <code>{code}</code>
                                    </a>{" "}
                                    {count}×
                                </li>
                            ))}
                        </ol>
                        {found.data.codes.length > 0 && <p class="muted">Of its last 200 rejections.</p>}
                    </section>
                </div>
            )}
        </Page>
    );
}

export function Agents(props: PageProps) {
    return props.id ? <One key={props.id} {...props} /> : <List {...props} />;
}
