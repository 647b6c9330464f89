// SPDX-License-Identifier: Apache-2.0
// session.ts - the viewer's token: it comes in the fragment of the address, which no server ever
// sees, or is pasted; it lives as long as a tab does. All tabs of this origin are one session: a new
// tab asks the others, and signing in or out holds for all of them. Nothing is written to disk.

const NAME = "baton.token";
const FORM = /^bt_[A-Za-z0-9_-]{43}$/;
const ANSWER_MS = 250; // how long a new tab waits for the others

type Message = { type: "ask" } | { type: "token"; token: string | null };

let channel: BroadcastChannel | null = null;
const listeners = new Set<() => void>();

export function isToken(text: string): boolean {
    return FORM.test(text);
}

export function token(): string | null {
    return sessionStorage.getItem(NAME);
}

function keep(value: string | null): void {
    if (value) {
        sessionStorage.setItem(NAME, value);
    } else {
        sessionStorage.removeItem(NAME);
    }
}

// Sign in or out, in every tab.
export function setToken(value: string | null): void {
    keep(value);
    channel?.postMessage({ type: "token", token: value } satisfies Message);
}

// What another tab said: answer a new one, or follow who signed in or out. Text that is not a token is ignored.
export function hear(message: unknown): void {
    const { type, token: given } = (message ?? {}) as { type?: unknown; token?: unknown };
    const mine = token();
    if (type === "ask" && mine) {
        channel?.postMessage({ type: "token", token: mine } satisfies Message);
    }
    const isGiven = given === null || (typeof given === "string" && isToken(given));
    if (type === "token" && isGiven && given !== mine) {
        keep(given as string | null);
        listeners.forEach((listener) => listener());
    }
}

// Called when another tab has signed in or out.
export function onSession(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

// The token and the place in #token=TOKEN or #token=TOKEN&to=/PAGE/ID; null when the address has no token.
export function readSignIn(hash: string): { token: string | null; to: string } | null {
    if (!hash.startsWith("#token=")) {
        return null;
    }
    const given = new URLSearchParams(hash.slice(1));
    const text = given.get("token") ?? "";
    const to = given.get("to") ?? "";
    return { token: isToken(text) ? text : null, to: /^\/[^/]/.test(to) ? to : "/" };
}

// Take a token out of the address bar and the address out of the history; without one, ask the other tabs.
export async function beginSession(): Promise<void> {
    channel = new BroadcastChannel("baton.session");
    channel.onmessage = (event: MessageEvent<unknown>) => hear(event.data);
    const given = readSignIn(location.hash);
    if (given) {
        history.replaceState(null, "", `${location.pathname}#${given.to}`);
    }
    if (given?.token) {
        setToken(given.token);
    } else if (!token()) {
        const answered = new Promise<void>((resolve) => {
            const done = () => (forget(), resolve());
            const forget = onSession(done);
            setTimeout(done, ANSWER_MS);
        });
        channel.postMessage({ type: "ask" } satisfies Message);
        await answered;
    }
}
