// SPDX-License-Identifier: Apache-2.0
// stream.ts - server-sent events over fetch, because an EventSource cannot carry a token. A stream
// that breaks is taken up again after the last id, so that nothing is missed.
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

// Read one connection to its end. Returns the last id.
async function readOnce(follow: Follow, reader: EventReader, after: string | null): Promise<string | null> {
    const headers = after === null ? {} : { "Last-Event-ID": after };
    const response = await ask(follow.path(after), { accept: "text/event-stream", signal: follow.signal, headers });
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let last = after;
    follow.onState("live");
    for (let part = await body?.read(); part && !part.done; part = await body?.read()) {
        for (const event of reader.push(part.value)) {
            last = event.id || last;
            follow.after = last;
            follow.onEvent(event);
        }
    }
    return last;
}

// Follow a stream until the signal says stop, or the server refuses for good.
export async function followStream(follow: Follow): Promise<void> {
    while (!follow.signal.aborted) {
        const reader = new EventReader();
        try {
            follow.onState("connecting");
            follow.after = await readOnce(follow, reader, follow.after);
            follow.onState("lost");
        } catch (error) {
            if (follow.signal.aborted) {
                return;
            }
            if (error instanceof Problem && [400, 401, 403, 404].includes(error.status)) {
                follow.onState("refused", error);
                return;
            }
            follow.onState("lost");
        }
        await wait(reader.retryMs, follow.signal);
    }
}
