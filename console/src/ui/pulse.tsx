// SPDX-License-Identifier: Apache-2.0
// pulse.tsx - the last five minutes in bars, and the figures in words beside them; the server counts.
import { askJson, query } from "../api";
import { BAR_S, BARS, figuresOf, type Figures } from "../figures";
import type { Stats } from "../types";
import { useAsk, useEvery } from "../use";
import { ProblemNote } from "./basic";

const HEIGHT = 36;

function Bars({ figures, label }: { figures: Figures; label: string }) {
    const top = Math.max(1, ...figures.bars.map((bar) => bar.accepted + bar.rejected));
    return (
        <svg class="bars" viewBox={`0 0 ${BARS * 6} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
            {figures.bars.map((bar, i) => {
                const goodHeight = (bar.accepted / top) * HEIGHT;
                const badHeight = (bar.rejected / top) * HEIGHT;
                return (
                    <>
                        <rect class="base" x={i * 6} y={HEIGHT - 1} width="5" height="1" />
                        <rect class="good" x={i * 6} y={HEIGHT - goodHeight} width="5" height={goodHeight} />
                        <rect class="bad" x={i * 6} y={HEIGHT - goodHeight - badHeight} width="5" height={badHeight} />
                    </>
                );
            })}
        </svg>
    );
}

export function Pulse({ size, seen, isAll }: { size: number; seen: number; isAll: boolean }) {
    const { data, problem, again } = useAsk(
        (signal) => askJson<Stats>(`/v1/stats${query({ bucket: BAR_S, by: "verdict" })}`, { signal }),
        ["stats"],
        seen,
    );
    useEvery(BAR_S * 1000, again);
    const figures = data ? figuresOf(data) : null;
    const least = figures?.isPartial ? "at least " : "";
    const label = figures
        ? `In the last five minutes ${least}${figures.accepted} accepted and ${least}${figures.rejected} rejected`
        : "";
    return (
        <div class="pulse">
            {problem && !data && <ProblemNote problem={problem} again={again} />}
            <dl class="figures">
                {isAll && (
                    <div>
                        <dt>entries in all</dt>
                        <dd>{size.toLocaleString("en")}</dd>
                    </div>
                )}
                <div>
                    <dt>accepted, last 5 min</dt>
                    <dd>{figures ? `${least}${figures.accepted}` : "…"}</dd>
                </div>
                <div>
                    <dt>rejected, last 5 min</dt>
                    <dd class={figures?.rejected ? "bad-text" : ""}>{figures ? `${least}${figures.rejected}` : "…"}</dd>
                </div>
            </dl>
            {figures && <Bars figures={figures} label={label} />}
        </div>
    );
}
