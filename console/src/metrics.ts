// SPDX-License-Identifier: Apache-2.0
// metrics.ts - figures from the text of /metrics, which counts since this node started.

interface Sample {
    name: string;
    labels: string;
    value: number;
}

function* samples(text: string, name: string): Generator<Sample> {
    for (const line of text.split("\n")) {
        const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
        if (match && (match[1] as string).startsWith(name)) {
            yield { name: match[1] as string, labels: match[2] ?? "", value: Number(match[3]) };
        }
    }
}

// The bounds within which half, and 95 of 100, of the requests about handoffs were answered, in milliseconds.
export function latencyOf(text: string): { median: string; p95: string } | null {
    const counts = new Map<number, number>();
    for (const { labels, value } of samples(text, "baton_http_request_seconds_bucket")) {
        const bound = /le="([^"]+)"/.exec(labels)?.[1];
        if (bound && /route="\/v1\/(handoffs|check)"/.test(labels)) {
            const limit = bound === "+Inf" ? Infinity : Number(bound);
            counts.set(limit, (counts.get(limit) ?? 0) + value);
        }
    }
    const all = counts.get(Infinity) ?? 0;
    const within = (share: number) => {
        const bound = [...counts].sort((a, b) => a[0] - b[0]).find(([, count]) => count >= all * share)?.[0] ?? Infinity;
        return bound === Infinity ? "more" : String(Number((bound * 1000).toPrecision(3)));
    };
    return all > 0 ? { median: within(0.5), p95: within(0.95) } : null;
}

// How many tokens the documents have that were checked; null: the text does not say.
export function checkedTokensOf(text: string): number | null {
    const found = [...samples(text, "baton_document_tokens_total")];
    return found.length > 0 ? found.reduce((sum, { value }) => sum + value, 0) : null;
}

// How many items wait for their receivers or are held by them; null: the text does not say.
export function waitingOf(text: string): number | null {
    const found = [...samples(text, "baton_queue_items")].find(({ labels }) => labels === 'queue="inbox"');
    return found ? found.value : null;
}
