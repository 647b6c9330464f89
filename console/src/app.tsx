// SPDX-License-Identifier: Apache-2.0
// app.tsx - the frame around the pages: who is looking, where they are, what arrives.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { askJson, onRefused } from "./api";
import { live, useArrivals, useLive, type Live } from "./live";
import { Feed } from "./pages/feed";
import { Overview } from "./pages/overview";
import { notifyPending } from "./notify";
import { href, usePlace, type Place } from "./route";
import { onSession, setToken, token } from "./session";
import { visible } from "./text";
import { nextTheme, theme } from "./theme";
import type { Approval, Who } from "./types";
import { Empty, Loading, Page, ProblemNote, Text } from "./ui/basic";
import { Icon } from "./ui/icons";
import { Finder } from "./ui/find";
import { lazy } from "./ui/lazy";
import { SignIn } from "./ui/signin";
import { useAsk } from "./use";
import { may } from "./who";
import { forgetTitles } from "./work";

export interface PageProps {
    id: string;
    who: Who;
    onSignIn: () => void;
}

interface PageRow {
    name: string;
    title: string;
    scopes: string[]; // any of them will do
    view: ComponentType<PageProps>;
    under?: string; // shown in the menu as part of this page
}

// The first two are what most people open; the others come when they are asked for.
const PAGES: PageRow[] = [
    { name: "overview", title: "Overview", scopes: ["submit", "operate"], view: Overview },
    { name: "feed", title: "Live feed", scopes: ["submit", "operate"], view: Feed },
    { name: "agents", title: "Agents", scopes: ["submit", "operate"], view: lazy(async () => (await import("./pages/agents")).Agents) },
    { name: "map", title: "Map", scopes: ["submit", "operate"], view: lazy(async () => (await import("./pages/map")).MapPage) },
    { name: "traces", title: "Traces", scopes: ["submit", "operate"], view: lazy(async () => (await import("./pages/traces")).Traces) },
    { name: "approvals", title: "Approvals", scopes: ["approve"], view: lazy(async () => (await import("./pages/approvals")).Approvals) },
    { name: "inboxes", title: "Inboxes", scopes: ["operate"], view: lazy(async () => (await import("./pages/inboxes")).Inboxes) },
    { name: "tools", title: "Tools", scopes: ["operate"], view: lazy(async () => (await import("./pages/tools")).Tools) },
    { name: "pump", title: "Pump", scopes: ["operate"], view: lazy(async () => (await import("./pages/pump")).Pump) },
    { name: "ledger", title: "Ledger", scopes: ["operate"], view: lazy(async () => (await import("./pages/ledger")).Ledger) },
    { name: "playground", title: "Playground", scopes: ["check"], view: lazy(async () => (await import("./pages/playground")).Playground) },
    {
        name: "handoff",
        title: "Handoff",
        scopes: ["submit", "operate"],
        view: lazy(async () => (await import("./pages/handoff")).Handoff),
        under: "feed",
    },
    {
        name: "certificate",
        title: "Certificate",
        scopes: ["submit", "operate"],
        view: lazy(async () => (await import("./pages/certificate")).Certificate),
        under: "feed",
    },
];

// An address that leads nowhere says so.
const UNKNOWN: PageRow = { name: "unknown", title: "Page not found", scopes: [], view: NotFound };

function NotFound() {
    return (
        <Page title="Page not found">
            <Empty title="There is nothing at this address.">
                <p>
                    <code>
                        <Text>{location.hash}</Text>
                    </code>{" "}
                    names no page. Go to the <a href={href("overview")}>overview</a> or the <a href={href("feed")}>live feed</a>, or press
                    Ctrl-K to find an entry, a trace, an agent or a code.
                </p>
            </Empty>
        </Page>
    );
}

const NOBODY: Who = { principal: "", scopes: [], agents: [], anonymous: true };

function isOpen(who: Who, page: PageRow): boolean {
    return page.scopes.length === 0 || page.scopes.some((scope) => may(who, scope));
}

// The page of a place; without one, the first that the viewer may see.
function pageAt(place: Place, who: Who): PageRow {
    const first = PAGES.find((row) => isOpen(who, row)) ?? (PAGES[0] as PageRow);
    return place.page === "" ? first : (PAGES.find((row) => row.name === place.page) ?? UNKNOWN);
}

function NotAllowed({ page, who, onSignIn }: { page: PageRow; who: Who; onSignIn: () => void }) {
    return (
        <Page title={page.title}>
            <Empty title={`This page needs the scope ${page.scopes.join(" or ")}.`}>
                <p>
                    You are <strong>{who.principal || "unknown"}</strong> with{" "}
                    {who.scopes.length ? who.scopes.join(", ") : "no scope"}. Open the address with{" "}
                    <code>#token=…</code> that <code>baton serve</code> printed when it started, or sign in with a token
                    that an operator made with:
                </p>
                <p>
                    <code>baton token new --tokens FILE --name NAME --scopes {page.scopes[0]}</code>
                </p>
                <p>
                    <button type="button" onClick={onSignIn}>
                        Sign in…
                    </button>
                </p>
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
        ["pending", isAllowed],
        arrival,
    );
    const pending = data?.filter((approval) => approval.status === "pending").map((approval) => approval.id);
    const known = useRef<string[] | null>(null);
    useEffect(() => {
        if (pending && known.current && pending.some((id) => !known.current?.includes(id))) {
            notifyPending(pending.length);
        }
        known.current = pending ?? known.current;
    }, [pending?.join()]);
    return pending?.length ?? 0;
}

function Menu({ current, who }: { current: PageRow; who: Who }) {
    const pending = usePending(who);
    const here = current.under ?? current.name;
    return (
        <nav aria-label="Pages">
            {PAGES.filter((page) => !page.under).map((page) => (
                <a
                    href={href(page.name)}
                    aria-current={here === page.name ? "page" : undefined}
                    class={isOpen(who, page) ? "" : "off"}
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

interface FootProps {
    who: Who;
    state: Live["state"];
    onSignIn: () => void;
    onSignOut: () => void;
}

function Foot({ who, state, onSignIn, onSignOut }: FootProps) {
    const [shown, setShown] = useState(theme());
    const [words, tone] = STATES[state];
    return (
        <div class="foot">
            <span class={`dot ${tone}`}>{words}</span>
            <details class="user">
                <summary>{who.principal ? `as ${who.principal}` : "not signed in"}</summary>
                <p class="muted">{who.scopes.length ? who.scopes.join(", ") : "no scope"}</p>
                {who.agents.length > 0 && (
                    <p class="muted wrap">
                        for <Text>{who.agents.join(", ")}</Text>
                    </p>
                )}
                <button type="button" class="quiet" onClick={onSignIn}>
                    {token() === null ? "Sign in…" : "Change token…"}
                </button>
                {token() !== null && (
                    <button type="button" class="quiet" onClick={onSignOut}>
                        Sign out
                    </button>
                )}
            </details>
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

// Who is looking; `version` grows whenever that may be somebody else, so that every page asks again.
function useSession() {
    const [version, setVersion] = useState(0);
    const [isAsking, setAsking] = useState(false);
    const asked = useAsk((signal) => askJson<Who>("/v1/whoami", { signal }), ["whoami", version]);
    const change = () => {
        forgetTitles();
        setAsking(false);
        setVersion((n) => n + 1);
        live.restart();
    };
    useEffect(() => {
        onRefused(() => setAsking(true));
        live.restart();
        return onSession(change);
    }, []);
    const signIn = (value: string | null) => (setToken(value), change());
    return { asked, version, isAsking, setAsking, signIn };
}

export function App() {
    const place = usePlace();
    const now = useLive();
    const { asked, version, isAsking, setAsking, signIn } = useSession();
    const who = asked.data ?? NOBODY;
    const page = pageAt(place, who);
    const main = useRef<HTMLElement>(null);
    const isFirst = useRef(true);
    const askToken = () => setAsking(true);

    useEffect(() => {
        const id = visible(place.id)
            .map((piece) => piece.text)
            .join("");
        const what = { handoff: `Handoff #${id}`, traces: `Trace ${id}`, agents: `Agent ${id}`, approvals: `Approval ${id}`, tools: `Tools of ${id}`, certificate: `Certificate of #${id}` };
        document.title = `${(place.id && what[page.name as keyof typeof what]) || page.title} · Baton`;
        if (!isFirst.current) {
            main.current?.querySelector("h1")?.focus();
        }
        isFirst.current = false;
    }, [page.name, place.id]);

    const View = page.view;
    return (
        <div class="frame">
            <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
                Skip to the page
            </a>
            <header>
                <a class="brand" href="#/">
                    <svg viewBox="0 0 32 32" aria-hidden="true">
                        <path d="M9 23 23 9" />
                    </svg>
                    Baton
                </a>
                <Finder />
                <Menu current={page} who={who} />
                <Foot who={who} state={now.state} onSignIn={askToken} onSignOut={() => signIn(null)} />
            </header>
            <main id="main" ref={main} tabIndex={-1}>
                {asked.problem?.status === 401 ? (
                    <Page title={page.title}>
                        <Empty title="Sign in to see this page.">
                            <button type="button" onClick={askToken}>
                                Sign in…
                            </button>
                        </Empty>
                    </Page>
                ) : asked.data ? (
                    isOpen(who, page) ? (
                        <View key={`${page.name}/${version}`} id={place.id} who={who} onSignIn={askToken} />
                    ) : (
                        <NotAllowed page={page} who={who} onSignIn={askToken} />
                    )
                ) : asked.problem ? (
                    <Page title={page.title}>
                        <ProblemNote problem={asked.problem} again={asked.again} />
                    </Page>
                ) : (
                    <Loading />
                )}
            </main>
            {isAsking && <SignIn onToken={signIn} onCancel={() => setAsking(false)} />}
            <Announcer now={now} />
        </div>
    );
}
