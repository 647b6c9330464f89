// SPDX-License-Identifier: Apache-2.0
// thread.tsx - a thread of the pump: what one message caused, step by step.
import { useState } from "preact/hooks";
import { askJson, query } from "../api";
import { useAsk } from "../use";
import { Loading, ProblemNote, Text, Way } from "./basic";

// The control channel answers {"method","result"}; the members may also stand at the top.
export function result<T>(answer: unknown): T {
    const { result: inner } = answer as { result?: T };
    return inner ?? (answer as T);
}

interface Step {
    n: number;
    kind: string;
    from: string;
    to: string;
    state: string;
    payload?: string;
}

// What a message caused: client to clerk to calculator and back. Payloads are asked for only when wanted.
export function Thread({ thread, client }: { thread: string; client: string }) {
    const [hasPayloads, setPayloads] = useState(false);
    const { data, problem, again } = useAsk(
        async (signal) =>
            result<{ entries: Step[] }>(
                await askJson<unknown>(
                    `/v1/pump/threads/${encodeURIComponent(thread)}${query({ client, payloads: hasPayloads ? "true" : undefined })}`,
                    { signal },
                ),
            ).entries,
        ["thread", thread, client, hasPayloads],
    );
    return (
        <div class="thread">
            {problem && <ProblemNote problem={problem} again={again} />}
            {!data && !problem && <Loading />}
            {data && (
                <>
                    <label class="check">
                        <input type="checkbox" checked={hasPayloads} onChange={(event) => setPayloads(event.currentTarget.checked)} /> show payloads
                    </label>
                    <ol class="steps">
                        {data.map((step) => (
                            <li key={step.n}>
                                <span class="chip">{step.kind}</span> <Way source={step.from} target={step.to} />{" "}
                                <span class={["dropped", "dead"].includes(step.state) ? "bad-text" : "muted"}>{step.state}</span>
                                {step.payload !== undefined && (
                                    <pre class="exact">
                                        <Text>{step.payload}</Text>
                                    </pre>
                                )}
                            </li>
                        ))}
                    </ol>
                </>
            )}
        </div>
    );
}
