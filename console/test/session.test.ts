// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

const TOKEN = `bt_${"a".repeat(43)}`;
const OTHER = `bt_${"b".repeat(43)}`;

// What a tab has: storage of its own, an address, and a channel to the tabs of its origin.
class Channel {
    static all: Channel[] = [];
    onmessage: ((event: { data: unknown }) => void) | null = null;
    said: unknown[] = [];
    constructor(readonly name: string) {
        Channel.all.push(this);
    }
    postMessage(data: unknown) {
        this.said.push(data);
    }
}
const stored = new Map<string, string>();
const places: string[] = [];
Object.assign(globalThis, {
    BroadcastChannel: Channel,
    sessionStorage: {
        getItem: (name: string) => stored.get(name) ?? null,
        setItem: (name: string, value: string) => stored.set(name, value),
        removeItem: (name: string) => stored.delete(name),
    },
    location: { hash: "", pathname: "/" },
    history: { replaceState: (_: unknown, __: string, place: string) => places.push(place) },
});
const session = await import("../src/session");

function channel(): Channel {
    return Channel.all.at(-1) as Channel;
}

test("a link that signs in may say where to go, and only within the console", () => {
    assert.deepEqual(session.readSignIn(`#token=${TOKEN}`), { token: TOKEN, to: "/" });
    assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=/approvals/P-1`), { token: TOKEN, to: "/approvals/P-1" });
    assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=%2Ftraces%2Fx`), { token: TOKEN, to: "/traces/x" });
    assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=//evil.example`), { token: TOKEN, to: "/" });
    assert.deepEqual(session.readSignIn("#token=none"), { token: null, to: "/" });
    assert.equal(session.readSignIn("#/feed"), null);
});

test("a new tab asks the others, and takes the first token that has the form of one", async () => {
    const begun = session.beginSession();
    assert.deepEqual(channel().said, [{ type: "ask" }]);
    channel().onmessage?.({ data: { type: "token", token: "<script>" } });
    assert.equal(session.token(), null);
    channel().onmessage?.({ data: { type: "token", token: TOKEN } });
    await begun;
    assert.equal(session.token(), TOKEN);
});

test("a tab with a token answers a new one, and one without is silent", async () => {
    channel().said = [];
    session.hear({ type: "ask" });
    assert.deepEqual(channel().said, [{ type: "token", token: TOKEN }]);
    session.setToken(null);
    channel().said = [];
    session.hear({ type: "ask" });
    assert.deepEqual(channel().said, []);
});

test("signing in and out holds for every tab", () => {
    let changes = 0;
    const forget = session.onSession(() => changes++);
    session.setToken(TOKEN);
    assert.deepEqual(channel().said.at(-1), { type: "token", token: TOKEN });
    session.hear({ type: "token", token: TOKEN }); // what is known already changes nothing
    session.hear({ type: "token", token: OTHER });
    session.hear({ type: "token", token: null });
    session.hear({ type: "token" });
    session.hear(null);
    assert.deepEqual([changes, session.token()], [2, null]);
    forget();
});

test("a token in the address leaves it, and the place stays", async () => {
    Object.assign(location, { hash: `#token=${OTHER}&to=/ledger` });
    await session.beginSession();
    assert.deepEqual([places.at(-1), session.token()], ["/#/ledger", OTHER]);
});
