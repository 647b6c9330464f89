// SPDX-License-Identifier: Apache-2.0
// approvals.tsx - what agents ask consent for. To consent takes two separate acts, and neither is
// what happens when somebody merely presses Enter.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, post, Problem, query, serverNow } from "../api";
import { arrange, asText, commandsOf, countText, factsOf, sizeText, type Order } from "../consent";
import { useLive } from "../live";
import { canNotify, setNotice, wantsNotice } from "../notify";
import { href } from "../route";
import { leftText, lines, visible } from "../text";
import type { Approval, Item, Listing } from "../types";
import { Copy, Empty, Loading, Page, Pieces, ProblemNote, Text, Time } from "../ui/basic";
import { useAsk, useEvents, useNow } from "../use";

const TTLS = ["15m", "60m", "8h", "24h"];

function Status({ status }: { status: string }) {
    const tone = { pending: "warn", approved: "good", rejected: "bad" }[status] ?? "plain";
    const sign = { pending: "…", approved: "✓", rejected: "✕" }[status] ?? "•";
    return (
        <span class={`badge ${tone}`}>
            <span aria-hidden="true">{sign}</span> {status}
        </span>
    );
}

function Risk({ level }: { level: unknown }) {
    const word = asText(level) || "not stated";
    return <span class={`badge ${word === "LOW" ? "plain" : word === "MEDIUM" ? "warn" : "bad"}`}>risk {word}</span>;
}

// What is left of the time to decide, to the second.
function Countdown({ until }: { until: string }) {
    useNow(1000);
    const left = Date.parse(until) - serverNow();
    return (
        <span role="timer" class={`nowrap ${left < 60000 ? "bad-text" : ""}`} title={until}>
            {left <= 0 ? "expired" : `${leftText(left)} left`}
        </span>
    );
}

// The browser is asked for permission by a press of this button, never by itself.
function Notices() {
    const [isOn, setOn] = useState(wantsNotice);
    const [isRefused, setRefused] = useState(false);
    if (!canNotify()) {
        return null;
    }
    const change = () =>
        void setNotice(!isOn).then((isNow) => {
            setOn(isNow);
            setRefused(!isOn && !isNow);
        });
    return (
        <>
            <button type="button" aria-pressed={isOn} onClick={change}>
                {isOn ? "Notifies you" : "Notify me of requests"}
            </button>
            {isRefused && <span class="bad-text small">the browser does not allow it</span>}
        </>
    );
}

function List({ approvals, chosen }: { approvals: Approval[]; chosen: string }) {
    const [order, setOrder] = useState<Order>("given");
    const [words, setWords] = useState("");
    const shown = arrange(approvals, order, words);
    return (
        <div>
            <form class="inbox-tools" aria-label="Sort and filter" onSubmit={(event) => event.preventDefault()}>
                <label>
                    <span>sort by</span>
                    <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
                        <option value="given">time</option>
                        <option value="risk">risk</option>
                        <option value="expires">time left</option>
                    </select>
                </label>
                <label>
                    <span>filter</span>
                    <input
                        value={words}
                        placeholder="operation, agent, status"
                        spellcheck={false}
                        onInput={(event) => setWords(event.currentTarget.value)}
                    />
                </label>
            </form>
            {shown.length === 0 && <p class="muted">No request has these words. Clear the filter to see all {approvals.length}.</p>}
            <Requests approvals={shown} chosen={chosen} />
        </div>
    );
}

function Requests({ approvals, chosen }: { approvals: Approval[]; chosen: string }) {
    return (
        <ul class="inbox" aria-label="Requests">
            {approvals.map((approval) => (
                <li key={approval.id}>
                    <a href={href("approvals", approval.id)} aria-current={approval.id === chosen ? "true" : undefined}>
                        <span class="inbox-head">
                            <Status status={approval.status} /> <Risk level={approval.risk_level} />
                        </span>
                        <strong>
                            <Text>{asText(approval.operation) || "no name"}</Text>
                        </strong>
                        <span class="muted">
                            <Text>{approval.agent_id}</Text>, <Time at={approval.requested_at} ago />
                            {approval.status === "pending" && approval.expires_at && (
                                <>
                                    , <Countdown until={approval.expires_at} />
                                </>
                            )}
                        </span>
                    </a>
                </li>
            ))}
        </ul>
    );
}

// A wrapped call may be laid out as indented JSON: the same values, which the fingerprint covers as they were written.
function isCall(command: string): boolean {
    try {
        const value = JSON.parse(command) as unknown;
        return typeof value === "object" && value !== null && JSON.stringify(value) === command;
    } catch {
        return false;
    }
}

// Lines are numbered where there are several, so that none is overlooked.
function CommandText({ command }: { command: string }) {
    const text = isCall(command) ? JSON.stringify(JSON.parse(command), null, 2) : command;
    const parts = text === command ? text.split(/(?<=\n)/) : lines(text);
    return parts.length === 1 ? (
        <Text isCommand>{text}</Text>
    ) : (
        <>
            {parts.map((line) => (
                <span class="command-line">
                    <Pieces pieces={visible(line, true).filter((piece) => piece.text !== "\n")} />
                </span>
            ))}
        </>
    );
}

function Commands({ commands }: { commands: string[] }) {
    return (
        <>
            <h3 id="commands">
                {commands.length === 0
                    ? "No command can be granted."
                    : commands.length === 1
                      ? "The command, granted once"
                      : `The ${commands.length} commands, each granted once, in this order`}
            </h3>
            <ol class="commands" aria-labelledby="commands">
                {commands.map((command, index) => (
                    <li key={index}>
                        <span class="number">{index + 1}.</span>
                        <pre class="exact" tabIndex={0} role="region" aria-label={`Command ${index + 1}`}>
                            <CommandText command={command} />
                        </pre>
                        <span class="muted small nowrap">{sizeText(command)}</span>
                    </li>
                ))}
            </ol>
        </>
    );
}

interface DecideProps {
    approval: Approval;
    onDone: (problem: Problem | null) => void;
}

function useAct({ approval, onDone }: DecideProps): [boolean, (act: string, body: unknown) => void] {
    const [isBusy, setBusy] = useState(false);
    const act = (name: string, body: unknown) => {
        setBusy(true);
        post(`/v1/approvals/${approval.id}/${name}`, body)
            .then(
                () => onDone(null),
                (error: unknown) =>
                    onDone(error instanceof Problem ? error : new Problem(0, { detail: String(error) })),
            )
            .finally(() => setBusy(false));
    };
    return [isBusy, act];
}

// The second act. The focus goes to the way back, and consent is not a submit button: Enter in a field does nothing.
function Confirm({
    approval,
    isBusy,
    act,
    onBack,
}: {
    approval: Approval;
    isBusy: boolean;
    act: (name: string, body: unknown) => void;
    onBack: () => void;
}) {
    const back = useRef<HTMLButtonElement>(null);
    const [ttl, setTtl] = useState("60m");
    const [isRead, setRead] = useState(false);
    const commands = commandsOf(approval);
    useLayoutEffect(() => back.current?.focus(), []); // before anybody can press a key
    return (
        <div class="confirm" role="group" aria-labelledby="confirm">
            <h3 id="confirm">
                Consent to {countText(commands)}, exactly as shown above, {commands.length === 1 ? "once" : "each once"}?
            </h3>
            <p>
                Fingerprint <span class="mono wrap">{approval.fingerprint}</span>
            </p>
            <p>
                <label class="check">
                    <input
                        type="checkbox"
                        checked={isRead}
                        onChange={(event) => setRead(event.currentTarget.checked)}
                    />{" "}
                    I have read {countText(commands)} and what is said about rollback
                </label>
            </p>
            <p>
                <label>
                    valid for{" "}
                    <select value={ttl} onChange={(event) => setTtl(event.currentTarget.value)}>
                        {TTLS.map((word) => (
                            <option value={word}>{word}</option>
                        ))}
                    </select>
                </label>
            </p>
            <div class="buttons">
                <button ref={back} type="button" onClick={onBack}>
                    Back
                </button>
                <button
                    type="button"
                    class="consent"
                    disabled={!isRead || isBusy}
                    onClick={() => act("grant", { fingerprint: approval.fingerprint, ttl })}
                >
                    Approve {countText(commands)}
                </button>
            </div>
        </div>
    );
}

function Decide(props: DecideProps) {
    const [isBusy, act] = useAct(props);
    const [isAsking, setAsking] = useState(false);
    const [reason, setReason] = useState("");
    const words = reason.trim() ? { reason: reason.trim() } : {};
    if (props.approval.status === "approved" && props.approval.grant?.status === "active") {
        return (
            <div class="buttons">
                <button type="button" class="danger" disabled={isBusy} onClick={() => act("revoke", {})}>
                    Revoke the unused grant
                </button>
            </div>
        );
    }
    if (props.approval.status !== "pending") {
        return null;
    }
    if (isAsking) {
        return <Confirm approval={props.approval} isBusy={isBusy} act={act} onBack={() => setAsking(false)} />;
    }
    return (
        <div class="decide">
            <label class="reason">
                <span>Reason for denying, optional</span>
                <input value={reason} maxLength={200} onInput={(event) => setReason(event.currentTarget.value)} />
            </label>
            <div class="buttons">
                <button type="button" class="danger" disabled={isBusy} onClick={() => act("deny", words)}>
                    Deny
                </button>
                <button
                    type="button"
                    disabled={isBusy || commandsOf(props.approval).length === 0}
                    onClick={() => setAsking(true)}
                >
                    Approve…
                </button>
            </div>
        </div>
    );
}

type ApprovalEvent = NonNullable<Approval["events"]>[number];

// What happened several times in a row is one line: each look at a request is an event of its own.
function folded(events: ApprovalEvent[]): { event: ApprovalEvent; times: number }[] {
    const found: { event: ApprovalEvent; times: number }[] = [];
    for (const event of events) {
        const last = found[found.length - 1];
        const isSame =
            last?.event.type === event.type && last.event.actor === event.actor && last.event.code === event.code;
        if (last && isSame) {
            last.times++;
        } else {
            found.push({ event, times: 1 });
        }
    }
    return found;
}

const DECISIONS = ["APPROVED", "REJECTED", "REVOKED", "EXPIRED", "CONSUMED"];

// The entries that record what happened to a request, for who may open them, and the reason that a person gave.
function Records({ id, news }: { id: string; news: string }) {
    const { data } = useAsk(
        async (signal) => {
            const listing = await askJson<Listing>(`/v1/handoffs${query({ kind: "approval", limit: 500 })}`, { signal });
            return listing.entries.filter((item) => item.entry.refs?.["approval"] === id && DECISIONS.includes(String(item.entry.refs["event"])));
        },
        ["approval-entries", id, news],
    );
    const reasonOf = (item: Item) => String(item.entry.refs?.["reason"] ?? "");
    return (
        <>
            {(data ?? []).map((item) => (
                <p key={item.seq} class="decision">
                    <strong>{String(item.entry.refs?.["event"] ?? "")}</strong> in <a href={href("handoff", item.seq)}>entry {item.seq}</a>
                    {reasonOf(item) && (
                        <>
                            , reason:{" "}
                            {reasonOf(item) === "see-document" ? "in the document of the entry" : <Text>{reasonOf(item)}</Text>}
                        </>
                    )}
                </p>
            ))}
        </>
    );
}

function Events({ approval }: { approval: Approval }) {
    return (
        <ol class="events">
            {folded(approval.events ?? []).map(({ event, times }) => (
                <li>
                    <Time at={event.at} full /> <strong>{event.type}</strong>{" "}
                    <span class="muted">
                        by <Text>{event.actor}</Text>
                        {event.code && ` ${event.code}`}
                        {times > 1 && `, ${times} times`}
                    </span>
                </li>
            ))}
        </ol>
    );
}

function stateOf(approval: Approval | null | undefined): string {
    return approval ? `${approval.status} ${approval.grant?.status ?? ""} ${approval.grant?.used ?? ""}` : "";
}

interface DetailProps {
    id: string;
    listed: Approval | undefined; // as the list has it, which follows what others do
    onChange: () => void;
}

// Showing is an event of the request: it is asked for when the page opens, after a decision, and when the list says
// that somebody else has decided or the grant was used.
function Detail({ id, listed, onChange }: DetailProps) {
    const { data, problem, isLoading, again } = useAsk(
        async () => (await post<{ approval: Approval }>(`/v1/approvals/${encodeURIComponent(id)}/show`, {})).approval,
        ["approval", id],
    );
    const [refusal, setRefusal] = useState<Problem | null>(null);
    const [told, setTold] = useState("");
    const isOld = data !== null && listed !== undefined && stateOf(listed) !== stateOf(data);
    useEffect(() => {
        if (isOld) {
            again();
        }
    }, [stateOf(listed)]);
    const done = (failed: Problem | null) => {
        setRefusal(failed);
        setTold(failed ? "" : "Your decision is recorded.");
        again();
        onChange();
    };
    if (!data) {
        return problem ? <ProblemNote problem={problem} again={again} /> : isLoading ? <Loading /> : null;
    }
    return (
        <article class="card approval" aria-label="Request">
            <h2>Request for consent</h2>
            {problem && <ProblemNote problem={problem} again={again} />}
            <p>
                <Status status={data.status} /> <Risk level={data.risk_level} />{" "}
                {data.status === "pending" && (
                    <span class="muted">
                        asked <Time at={data.requested_at} ago />, waits until <Time at={data.expires_at} full />,{" "}
                        <Countdown until={data.expires_at} />
                    </span>
                )}
            </p>
            <Commands commands={commandsOf(data)} />
            <dl class="approval-facts">
                {factsOf(data).map(({ title, text }) => (
                    <>
                        <dt>
                            <Text>{title}</Text>
                        </dt>
                        <dd class="wrap pre">
                            {text === "" ? <span class="muted">none given</span> : <Text>{text}</Text>}
                            {title === "Fingerprint" && <Copy value={text} name="the fingerprint" />}
                        </dd>
                    </>
                ))}
                <dt>Asked by</dt>
                <dd>
                    <Text>{`${data.agent_id} in ${data.workspace}, session ${data.session}`}</Text>
                </dd>
                {data.grant && (
                    <>
                        <dt>Grant</dt>
                        <dd>
                            {data.grant.status}, used {data.grant.used} of {data.grant.uses}, until{" "}
                            <Time at={data.grant.expires_at} full />
                        </dd>
                    </>
                )}
            </dl>
            {refusal && <ProblemNote problem={refusal} />}
            <p role="status" class="good-text">
                {told}
            </p>
            <Decide key={`${id}/${data.status}`} approval={data} onDone={done} />
            <h3>What happened</h3>
            <Records id={id} news={stateOf(data)} />
            <Events approval={data} />
        </article>
    );
}

export function Approvals({ id }: PageProps) {
    const { listed } = useLive(); // a new connection lists anew
    const { data, problem, isLoading, again } = useAsk(
        async (signal) => (await askJson<{ approvals: Approval[] }>("/v1/approvals", { signal })).approvals,
        ["approvals"],
        listed,
    );
    useEvents("/v1/handoffs/stream?kind=approval", 200, again); // its own, however busy the feed is
    const all = data;
    const sorted = [...(all ?? [])].sort(
        (a, b) =>
            Number(b.status === "pending") - Number(a.status === "pending") ||
            b.requested_at.localeCompare(a.requested_at),
    );
    const pending = sorted.filter((approval) => approval.status === "pending").length;
    return (
        <Page
            title="Approvals"
            aside={
                <>
                    <span class="muted">{all ? `${pending} pending of ${all.length}` : ""}</span>
                    <Notices />
                </>
            }
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            {!all && isLoading && <Loading />}
            {all && all.length === 0 && (
                <Empty title="Nobody is asking for consent.">
                    <p>
                        An agent that ends its turn with <code>plan_status</code> <code>APPROVAL_REQUEST</code> waits
                        here until a person decides. You will see every command that would be granted, what undoes it, and the
                        fingerprint of all of it; a grant covers exactly these commands, each once.
                    </p>
                </Empty>
            )}
            {sorted.length > 0 && (
                <div class="columns inbox-columns">
                    <List approvals={sorted} chosen={id} />
                    {id ? (
                        <Detail key={id} id={id} listed={all?.find((approval) => approval.id === id)} onChange={again} />
                    ) : (
                        <p class="muted choose">
                            Choose a request to see what exactly would run. Seeing it is recorded.
                        </p>
                    )}
                </div>
            )}
        </Page>
    );
}
