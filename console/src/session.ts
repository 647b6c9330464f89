// SPDX-License-Identifier: Apache-2.0
// session.ts - the viewer's token: it comes in the fragment of the address, which no server ever
// sees, or is pasted; it lives as long as the tab.

const NAME = "baton.token";

export function token(): string | null {
    return sessionStorage.getItem(NAME);
}

export function setToken(value: string | null): void {
    if (value) {
        sessionStorage.setItem(NAME, value);
    } else {
        sessionStorage.removeItem(NAME);
    }
}

// Take a token out of the address bar, and the address out of the history.
export function adoptToken(): void {
    const match = /^#token=(bt_[A-Za-z0-9_-]{43})$/.exec(location.hash);
    if (location.hash.startsWith("#token=")) {
        history.replaceState(null, "", `${location.pathname}#/feed`);
    }
    if (match?.[1]) {
        setToken(match[1]);
    }
}
