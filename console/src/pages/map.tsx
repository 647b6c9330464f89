// SPDX-License-Identifier: Apache-2.0
// map.tsx - who hands to whom: the width of a line is how much, its red core how much of it was rejected.
import { useMemo, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, query, serverNow } from "../api";
import { edgesOf, number, type Edge } from "../counts";
import { instant, rangeOf, rangeParams, rangeQuery } from "../range";
import { href, usePlace } from "../route";
import { exactTime } from "../time";
import type { Graph, Stats } from "../types";
import { Empty, Loading, Page, ProblemNote, Text } from "../ui/basic";
import { GraphView } from "../ui/lazy";
import { RangeChoice } from "../ui/range";
import { useAsk, useEvery } from "../use";

const EDGES_MAX = 40;
const WIDTH_MAX = 14;

function graphOf(edges: Edge[], where: Record<string, string>): Graph {
    const top = Math.max(1, ...edges.map((edge) => edge.count));
    return {
        nodes: [...new Set(edges.flatMap((edge) => [edge.from, edge.to]))].map((name) => ({ name, agent: true })),
        edges: edges.map(({ from, to, count, rejected }) => ({
            from,
            to,
            label: `${number(count)}${rejected ? ` (${number(rejected)} ✕)` : ""}`,
            tone: "",
            width: 1.5 + (WIDTH_MAX - 1.5) * Math.sqrt(count / top),
            share: rejected / count,
            href: href("feed", "", { ...where, source: from, target: to }),
        })),
    };
}

export function MapPage(_: PageProps) {
    const place = usePlace();
    const [part, setPart] = useState<number | null>(null);
    const range = rangeOf(place.query, serverNow());
    const where = rangeQuery(range);
    const { data, problem, again } = useAsk(
        (signal) =>
            askJson<Stats>(`/v1/stats${query({ ...rangeParams(rangeOf(place.query, serverNow())), by: "edge" })}`, { signal }),
        ["map", where],
    );
    useEvery(30000, again);
    const count = data ? Math.ceil((Date.parse(data.until) - Date.parse(data.since)) / 1000 / data.bucket) : 0;
    const start = data && part !== null ? Date.parse(data.since) + part * data.bucket * 1000 : null;
    const span = useMemo(
        () =>
            data && start !== null
                ? { since: instant(start), until: instant(start + data.bucket * 1000) }
                : data
                  ? { since: data.since, until: data.until }
                  : where,
        [data, start],
    );
    const edges = useMemo(() => (data ? edgesOf(data, part) : []), [data, part]);
    const graph = useMemo(() => graphOf(edges.slice(0, EDGES_MAX), span as Record<string, string>), [edges, span]);
    return (
        <Page title="Map" aside={<RangeChoice page="map" range={range} />}>
            {problem && <ProblemNote problem={problem} again={again} />}
            {!data && !problem && <Loading />}
            {data && (
                <div class="slider">
                    <label>
                        <span>
                            {start === null
                                ? "the whole range"
                                : `${exactTime(start)} and the ${number(data.bucket / 60)} min after it`}
                        </span>
                        <input
                            type="range"
                            aria-label="Part of the range"
                            min={-1}
                            max={Math.max(0, count - 1)}
                            value={part ?? -1}
                            onInput={(event) => {
                                const value = Number(event.currentTarget.value);
                                setPart(value < 0 ? null : value);
                            }}
                        />
                    </label>
                </div>
            )}
            {data && edges.length === 0 && (
                <Empty title="Nobody handed anything over in this time.">
                    <p>
                        Choose a longer range, such as <a href={href("map", "", { range: "30d" })}>30 days</a>
                        {part !== null && ", or move the slider to its left end for the whole range"}.
                    </p>
                </Empty>
            )}
            {edges.length > 0 && (
                <>
                    <GraphView graph={graph} label="Who hands to whom" />
                    <p class="muted">
                        The width of a line is how much, its red core what was rejected.
                        {edges.length > EDGES_MAX && ` The ${EDGES_MAX} busiest of ${edges.length} ways are drawn.`}
                    </p>
                    <section aria-labelledby="ways">
                        <h2 id="ways">The same as a table</h2>
                        <div class="table-frame" tabIndex={0} role="region" aria-label="Who hands to whom, as a table">
                            <table>
                                <thead>
                                    <tr>
                                        {["From", "To", "Handoffs", "Rejected"].map((word) => (
                                            <th scope="col">{word}</th>
                                        ))}
                                    </tr>
                                </thead>
                                <tbody>
                                    {edges.map((edge) => (
                                        <tr key={`${edge.from}>${edge.to}`}>
                                            <td>
                                                <a href={href("agents", edge.from)}>
                                                    <Text>{edge.from}</Text>
                                                </a>
                                            </td>
                                            <td>
                                                <a href={href("agents", edge.to)}>
                                                    <Text>{edge.to}</Text>
                                                </a>
                                            </td>
                                            <td>
                                                <a href={href("feed", "", { ...span, source: edge.from, target: edge.to })}>
                                                    {number(edge.count)}
                                                </a>
                                            </td>
                                            <td class={edge.rejected ? "bad-text" : ""}>{number(edge.rejected)}</td>
                                        </tr>
                                    ))}
                                </tbody>
                            </table>
                        </div>
                    </section>
                </>
            )}
        </Page>
    );
}
