// SPDX-License-Identifier: Apache-2.0
// judge.ts - a worker that runs the WebAssembly core: an operation and its request in, the answer out. It judges nothing itself.
//
// It is a worker so that a document that takes long holds up no page, and because the response with its script has a policy of its
// own: only here may WebAssembly be compiled.

type Handle = number;

interface Core {
    memory: WebAssembly.Memory;
    bt_wasm_alloc(size: number): number;
    bt_wasm_free(at: number): void;
    bt_wasm_engine(at: number, size: number): Handle;
    bt_wasm_table(engine: Handle, at: number, name: number, table: number): Handle;
    bt_wasm_call(engine: Handle, at: number, operation: number, request: number): Handle;
    bt_wasm_reply_status(reply: Handle): number;
    bt_wasm_reply_ptr(reply: Handle): number;
    bt_wasm_reply_size(reply: Handle): number;
    bt_wasm_reply_end(reply: Handle): void;
}

export interface JudgeAsked {
    id: number;
    operation: string;
    request: string;
}

// A status of 0: nothing was judged, and the text says why.
export interface JudgeAnswer {
    id: number;
    status: number;
    text: string;
}

const PATH = "/assets/baton.wasm";
const ENCODING = "o200k_base"; // that tokens are counted in by default
const RANDOM_BYTES_MAX = 65536;
const NO_MEMORY = "no memory is left in the WebAssembly core";

async function load(): Promise<Core> {
    const answer = await fetch(PATH, { credentials: "omit" });
    if (!answer.ok) {
        throw new Error(answer.status === 404 ? "this server was built without the WebAssembly core" : `the core: ${answer.status}`);
    }
    const imports = {
        baton: {
            now_ms: () => Date.now(),
            random: (at: number, size: number) => {
                const bytes = new Uint8Array(size >>> 0);
                for (let from = 0; from < bytes.length; from += RANDOM_BYTES_MAX) {
                    crypto.getRandomValues(bytes.subarray(from, from + RANDOM_BYTES_MAX));
                }
                new Uint8Array(core.memory.buffer, at >>> 0, bytes.length).set(bytes);
            },
        },
    };
    const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), imports);
    const core = instance.exports as unknown as Core;
    return core;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

// Copy the parts into the core, one behind the other, and take what a function says about them; null: nothing.
function send(core: Core, parts: Uint8Array[], run: (at: number, sizes: number[]) => Handle): { status: number; text: string } | null {
    const at = core.bt_wasm_alloc(parts.reduce((sum, part) => sum + part.length, 0)) >>> 0;
    let to = at;
    for (const part of at === 0 ? [] : parts) {
        new Uint8Array(core.memory.buffer, to, part.length).set(part);
        to += part.length;
    }
    const sizes = parts.map((part) => part.length);
    if (at === 0) {
        throw new Error(NO_MEMORY);
    }
    const reply = run(at, sizes) >>> 0;
    if (reply === 0) {
        core.bt_wasm_free(at);
        return null;
    }
    const bytes = new Uint8Array(core.memory.buffer, core.bt_wasm_reply_ptr(reply) >>> 0, core.bt_wasm_reply_size(reply) >>> 0);
    const taken = { status: core.bt_wasm_reply_status(reply), text: new TextDecoder().decode(bytes) };
    core.bt_wasm_reply_end(reply);
    core.bt_wasm_free(at);
    return taken;
}

interface Ready {
    core: Core;
    engine: Handle;
}

// Without the list tokens are estimated, and the report says so.
async function loadMerges(): Promise<Uint8Array | null> {
    const answer = await fetch(`/assets/${ENCODING}.merges`, { credentials: "omit" });
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
}

async function begin(): Promise<Ready> {
    const [core, merges] = await Promise.all([load(), loadMerges()]);
    const made = send(core, [bytesOf("{}")], (at, sizes) => core.bt_wasm_engine(at, sizes[0] ?? 0));
    if (!made?.status) {
        throw new Error(made?.text ?? NO_MEMORY);
    }
    const engine = Number(made.text);
    if (merges) {
        send(core, [bytesOf(ENCODING), merges], (at, sizes) => core.bt_wasm_table(engine, at, sizes[0] ?? 0, sizes[1] ?? 0));
    }
    return { core, engine };
}

let ready: Promise<Ready> | null = null;

async function answer({ operation, request }: JudgeAsked): Promise<{ status: number; text: string }> {
    ready = ready ?? begin();
    const { core, engine } = await ready;
    const taken = send(core, [bytesOf(operation), bytesOf(request)], (at, sizes) => core.bt_wasm_call(engine, at, sizes[0] ?? 0, sizes[1] ?? 0));
    return taken ?? { status: 0, text: NO_MEMORY };
}

self.addEventListener("message", (event: MessageEvent<JudgeAsked>) => {
    const { id } = event.data;
    answer(event.data).then(
        (taken) => self.postMessage({ id, ...taken } satisfies JudgeAnswer),
        (why: unknown) => self.postMessage({ id, status: 0, text: why instanceof Error ? why.message : String(why) } satisfies JudgeAnswer),
    );
});
