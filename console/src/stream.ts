// SPDX-License-Identifier: Apache-2.0
// stream.ts - server-sent events over fetch, because an EventSource cannot carry a token. A stream
// that breaks is taken up again after the last id, so that nothing is missed. A page that nobody sees
// holds none: a browser gives all tabs of a server six connections together.
import { ask, Problem } from "./api";

export interface StreamEvent {
    id: string;
    event: string;
    data: string;
}

// Text in pieces -> events. Lines may end in the middle of a piece, or of a line ending.
export class EventReader {
    private rest = "";
    private id = "";
    private event = "";
    private data: string[] = [];
    retryMs = 2000;

    push(piece: string): StreamEvent[] {
        const found: StreamEvent[] = [];
        this.rest += piece;
        for (let end = this.rest.search(/\r\n|\n|\r(?!$)/); end >= 0; end = this.rest.search(/\r\n|\n|\r(?!$)/)) {
            const line = this.rest.slice(0, end);
            this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
            if (line !== "") {
                this.take(line);
            } else if (this.data.length > 0) {
                found.push({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
                this.event = "";
                this.data = [];
            }
        }
        return found;
    }

    private take(line: string): void {
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "data") {
            this.data.push(value);
        } else if (name === "id") {
            this.id = value;
        } else if (name === "event") {
            this.event = value;
        } else if (name === "retry" && /^[0-9]{1,6}$/.test(value)) {
            this.retryMs = Number(value);
        }
    }
}

export type Connection = "connecting" | "live" | "lost" | "refused";

export interface Follow {
    path: (after: string | null) => string;
    after: string | null;
    onEvent: (event: StreamEvent) => void;
    onState: (state: Connection, problem?: Problem) => void;
    signal: AbortSignal;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
}

// Until the page is seen, or hidden.
function untilHidden(isHidden: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const over = new AbortController();
        const look = () => {
            if (document.hidden === isHidden || signal.aborted) {
                over.abort();
                resolve();
            }
        };
        document.addEventListener("visibilitychange", look, { signal: over.signal });
        signal.addEventListener("abort", look, { signal: over.signal });
        look();
    });
}

// Read one connection to its end, keeping the last id in `after`.
async function readOnce(follow: Follow, reader: EventReader, signal: AbortSignal): Promise<void> {
    const headers = follow.after === null ? {} : { "Last-Event-ID": follow.after };
    const response = await ask(follow.path(follow.after), { accept: "text/event-stream", signal, headers });
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    follow.onState("live");
    for (let part = await body?.read(); part && !part.done; part = await body?.read()) {
        for (const event of reader.push(part.value)) {
            follow.after = event.id || follow.after;
            follow.onEvent(event);
        }
    }
}

// Follow a stream until the signal says stop, or the server refuses for good.
export async function followStream(follow: Follow): Promise<void> {
    while (!follow.signal.aborted) {
        const reader = new EventReader();
        const stop = new AbortController();
        await untilHidden(false, follow.signal);
        if (follow.signal.aborted) {
            return;
        }
        follow.signal.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
        void untilHidden(true, stop.signal).then(() => stop.abort());
        try {
            follow.onState("connecting");
            await readOnce(follow, reader, stop.signal);
            follow.onState("lost");
        } catch (error) {
            if (follow.signal.aborted) {
                return;
            }
            if (stop.signal.aborted) {
                continue;
            }
            if (error instanceof Problem && [400, 401, 403, 404].includes(error.status)) {
                follow.onState("refused", error);
                return;
            }
            follow.onState("lost");
        } finally {
            stop.abort();
        }
        await wait(reader.retryMs, follow.signal);
    }
}
