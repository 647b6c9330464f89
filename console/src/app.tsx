// SPDX-License-Identifier: Apache-2.0
// app.tsx - the frame around the pages: who is looking, where they are, what arrives.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { askJson } from "./api";
import { live, useArrivals, useLive, type Live } from "./live";
import { Approvals } from "./pages/approvals";
import { Feed } from "./pages/feed";
import { Handoff } from "./pages/handoff";
import { Ledger } from "./pages/ledger";
import { Playground } from "./pages/playground";
import { Pump } from "./pages/pump";
import { Traces } from "./pages/traces";
import { href, usePlace, type Place } from "./route";
import { setToken, token } from "./session";
import { nextTheme, theme } from "./theme";
import type { Approval, Who } from "./types";
import { Empty, Loading, Page } from "./ui/basic";
import { Icon } from "./ui/icons";
import { useAsk } from "./use";

export interface PageProps {
    id: string;
    who: Who;
}

interface PageRow {
    name: string;
    title: string;
    scope: string;
    view: ComponentType<PageProps>;
    under?: string; // shown in the menu as part of this page
}

const PAGES: PageRow[] = [
    { name: "feed", title: "Live feed", scope: "submit", view: Feed },
    { name: "traces", title: "Traces", scope: "submit", view: Traces },
    { name: "approvals", title: "Approvals", scope: "approve", view: Approvals },
    { name: "pump", title: "Pump", scope: "operate", view: Pump },
    { name: "ledger", title: "Ledger", scope: "operate", view: Ledger },
    { name: "playground", title: "Playground", scope: "check", view: Playground },
    { name: "handoff", title: "Handoff", scope: "submit", view: Handoff, under: "feed" },
];

const NOBODY: Who = { principal: "", scopes: [], agents: [], anonymous: true };

export function may(who: Who, scope: string): boolean {
    return who.scopes.includes(scope) || who.scopes.includes("admin");
}

function TokenForm({ onDone }: { onDone: () => void }) {
    const [value, setValue] = useState("");
    const isForm = /^bt_[A-Za-z0-9_-]{43}$/.test(value.trim());
    const submit = (event: Event) => {
        event.preventDefault();
        setToken(value.trim());
        onDone();
    };
    return (
        <form class="token" onSubmit={submit}>
            <label for="token">Token</label>
            <input
                id="token"
                type="password"
                autocomplete="off"
                spellcheck={false}
                placeholder="bt_…"
                value={value}
                onInput={(event) => setValue(event.currentTarget.value)}
            />
            <button type="submit" disabled={!isForm}>
                Use it
            </button>
        </form>
    );
}

function NotAllowed({ page, who, onToken }: { page: PageRow; who: Who; onToken: () => void }) {
    return (
        <Page title={page.title}>
            <Empty title={`This page needs the scope ${page.scope}.`}>
                <p>
                    You are <strong>{who.principal || "unknown"}</strong> with{" "}
                    {who.scopes.length ? who.scopes.join(", ") : "no scope"}. Open the address with{" "}
                    <code>#token=…</code> that <code>baton serve</code> printed when it started, or paste a token that
                    an operator made with:
                </p>
                <p>
                    <code>baton token new --tokens FILE --name NAME --scopes {page.scope}</code>
                </p>
                <TokenForm onDone={onToken} />
            </Empty>
        </Page>
    );
}

function usePending(who: Who): number {
    const arrival = useArrivals("approval");
    const isAllowed = may(who, "approve");
    const { data } = useAsk(
        async (signal) =>
            isAllowed ? (await askJson<{ approvals: Approval[] }>("/v1/approvals", { signal })).approvals : [],
        ["pending", isAllowed, arrival],
    );
    return data?.filter((approval) => approval.status === "pending").length ?? 0;
}

function Menu({ place, who }: { place: Place; who: Who }) {
    const pending = usePending(who);
    const here = PAGES.find((page) => page.name === place.page)?.under ?? place.page;
    return (
        <nav aria-label="Pages">
            {PAGES.filter((page) => !page.under).map((page) => (
                <a
                    href={href(page.name)}
                    aria-current={here === page.name ? "page" : undefined}
                    class={may(who, page.scope) ? "" : "off"}
                >
                    <Icon name={page.name} />
                    <span>{page.title}</span>
                    {page.name === "approvals" && pending > 0 && (
                        <span class="count">
                            {pending}
                            <span class="visually-hidden"> pending</span>
                        </span>
                    )}
                </a>
            ))}
        </nav>
    );
}

const STATES: Record<Live["state"], [string, string]> = {
    connecting: ["connecting…", "plain"],
    live: ["live", "good"],
    lost: ["connection lost, trying again", "warn"],
    refused: ["no feed", "bad"],
};

function Foot({ who, state }: { who: Who; state: Live["state"] }) {
    const [shown, setShown] = useState(theme());
    const [words, tone] = STATES[state];
    return (
        <div class="foot">
            <span class={`dot ${tone}`}>{words}</span>
            <span class="muted">{who.principal && `as ${who.principal}`}</span>
            <button type="button" class="quiet" onClick={() => setShown(nextTheme())}>
                theme: {shown}
            </button>
        </div>
    );
}

// What a screen reader is told, at most every few seconds and never in a hurry.
function Announcer({ now }: { now: Live }) {
    const [words, setWords] = useState("");
    const told = useRef(0);
    const latest = useRef(now);
    latest.current = now;
    useEffect(() => {
        const timer = setInterval(() => {
            const { seen, items } = latest.current;
            const fresh = seen - told.current;
            if (fresh > 0) {
                const refused = items.slice(0, fresh).filter((item) => item.entry.verdict === "rejected").length;
                setWords(`${fresh} new ${fresh === 1 ? "entry" : "entries"}, ${refused} rejected`);
            }
            told.current = seen;
        }, 8000);
        return () => clearInterval(timer);
    }, []);
    return (
        <div class="visually-hidden" role="status" aria-live="polite">
            {words}
        </div>
    );
}

export function App() {
    const place = usePlace();
    const now = useLive();
    const { data, problem, again } = useAsk((signal) => askJson<Who>("/v1/whoami", { signal }), ["whoami"]);
    const who = data ?? NOBODY;
    const page = PAGES.find((row) => row.name === place.page) ?? (PAGES[0] as PageRow);
    const main = useRef<HTMLElement>(null);
    const isFirst = useRef(true);

    useEffect(() => live.restart(), []);
    useEffect(() => {
        document.title = `${page.title} · Baton`;
        if (!isFirst.current) {
            main.current?.querySelector("h1")?.focus();
        }
        isFirst.current = false;
    }, [place.page, place.id]);

    const login = () => (again(), live.restart());
    const View = page.view;
    return (
        <div class="frame">
            <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
                Skip to the page
            </a>
            <header>
                <a class="brand" href={href("feed")}>
                    <svg viewBox="0 0 32 32" aria-hidden="true">
                        <path d="M9 23 23 9" />
                    </svg>
                    Baton
                </a>
                <Menu place={place} who={who} />
                <Foot who={who} state={now.state} />
            </header>
            <main id="main" ref={main} tabIndex={-1}>
                {problem?.status === 401 ? (
                    <Page title="Who are you?">
                        <Empty title="This server wants a token.">
                            <p>It stays in this tab and is forgotten when you close it.</p>
                            <TokenForm onDone={login} />
                            {token() !== null && (
                                <button type="button" onClick={() => (setToken(null), login())}>
                                    Go on without a token
                                </button>
                            )}
                        </Empty>
                    </Page>
                ) : data === null && problem === null ? (
                    <Loading />
                ) : may(who, page.scope) || problem ? (
                    <View key={page.name} id={place.id} who={who} />
                ) : (
                    <NotAllowed page={page} who={who} onToken={login} />
                )}
            </main>
            <Announcer now={now} />
        </div>
    );
}
