// SPDX-License-Identifier: Apache-2.0
// ledger.tsx - the tree as it is now, and whether it extends what this browser saw last.
import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { askJson, query } from "../api";
import { usePin } from "../keys";
import { useLive } from "../live";
import { shellWord } from "../text";
import type { ConsistencyProof, LedgerHead } from "../types";
import { Command, Copy, Empty, Loading, Page, ProblemNote, Text, Time } from "../ui/basic";
import { KeyAlarm, KeyForm, RotationNote } from "../ui/proof";
import { useAsk } from "../use";
import { fromHex, same } from "../verify/bytes";
import { isSigned, readCheckpoint, readKey, type Checkpoint } from "../verify/note";
import { forgetCheckpoint, lastCheckpoint, rememberCheckpoint, trust, type Pin } from "../verify/pin";
import { isCryptoHere } from "../verify/receipt";
import { isConsistent } from "../verify/tree";

interface Compared {
    state: "first" | "consistent" | "fork" | "unsigned" | "unknown";
    from: bigint;
    to: bigint;
}

const WORDS: Record<Compared["state"], [string, string, string]> = {
    first: [
        "good",
        "✓",
        "This browser looks for the first time. It remembers this checkpoint, and next time the ledger must extend it.",
    ],
    consistent: ["good", "✓", "The ledger extends what this browser saw last: nothing was removed or rewritten."],
    fork: [
        "bad",
        "✕",
        "The ledger does not extend what this browser saw last. History was rewritten, or this is another ledger.",
    ],
    unsigned: ["bad", "✕", "The checkpoint is not signed by the key that this browser trusts."],
    unknown: ["warn", "?", "Not verified here: this browser has no Ed25519, or this page is not a secure context."],
};

async function proofOf(old: Checkpoint, now: Checkpoint, signal: AbortSignal): Promise<boolean> {
    if (old.size > now.size) {
        return false;
    }
    const answer = await askJson<ConsistencyProof>(
        `/v1/ledger/proof/consistency${query({ old: String(old.size), size: String(now.size) })}`,
        { signal },
    );
    return isConsistent(old, now, answer.proof.map(fromHex));
}

// Compare what the server shows with what we remember; remember it only when it holds. What we remember was
// verified then, by the key of that time.
async function compare(head: LedgerHead, pin: Pin, signal: AbortSignal): Promise<Compared> {
    const now = readCheckpoint(head.checkpoint);
    const plain = { from: now.size, to: now.size };
    if (!isCryptoHere()) {
        return { state: "unknown", ...plain };
    }
    const signed = await isSigned(now, await readKey(pin.vkey));
    const isShown = head.origin === now.origin && BigInt(head.size) === now.size && same(fromHex(head.root), now.root);
    if (signed !== "valid" || !isShown) {
        return { state: signed === "unsupported" ? "unknown" : "unsigned", ...plain };
    }
    const note = lastCheckpoint();
    const old = note ? readCheckpoint(note) : null;
    if (old && (old.origin !== now.origin || !(await proofOf(old, now, signal)))) {
        return { state: "fork", from: old.size, to: now.size };
    }
    rememberCheckpoint(head.checkpoint);
    return { state: old ? "consistent" : "first", from: old?.size ?? now.size, to: now.size };
}

function Consistency({ head, pin }: { head: LedgerHead; pin: Pin }) {
    const [first, setFirst] = useState<bigint | null>(null); // where this visit began
    const { data, problem, again } = useAsk(
        (signal) => compare(head, pin, signal),
        ["compare", head.checkpoint, pin.vkey],
    );
    useEffect(() => {
        if (data && first === null) {
            setFirst(data.from);
        }
    }, [data]);
    if (problem) {
        return <ProblemNote problem={problem} again={again} />;
    }
    if (!data) {
        return <p class="muted">Comparing…</p>;
    }
    const [tone, sign, words] = WORDS[data.state];
    return (
        <div class={`notice ${tone}`} data-state={data.state} role={tone === "bad" ? "alert" : undefined}>
            <p>
                <span class={`step-sign ${tone}`} aria-hidden="true">
                    {sign}
                </span>{" "}
                {words}
            </p>
            <p class="muted">
                {data.state === "first"
                    ? `size ${data.to}`
                    : `from size ${data.state === "consistent" ? (first ?? data.from) : data.from} to ${data.to}`}
            </p>
        </div>
    );
}

function Signatures({ head }: { head: LedgerHead }) {
    const witnesses = head.signatures.filter((signature) => signature.type === "witness");
    return (
        <>
            <div class="table-frame" tabIndex={0} role="region" aria-label="Signatures">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Signed by</th>
                            <th scope="col">As</th>
                            <th scope="col">Key</th>
                            <th scope="col">At</th>
                        </tr>
                    </thead>
                    <tbody>
                        {head.signatures.map((signature) => (
                            <tr>
                                <td>
                                    <Text>{signature.name}</Text>
                                </td>
                                <td>{signature.type}</td>
                                <td class="mono">{signature.key_id}</td>
                                <td>
                                    {signature.time ? (
                                        <Time at={new Date(signature.time * 1000).toISOString()} full />
                                    ) : (
                                        ""
                                    )}
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {witnesses.length === 0 && (
                <Empty title="No witness has signed yet.">
                    <p>
                        An attacker with both key and disk could write a new history; it is found only if somebody else
                        keeps an older checkpoint. A witness on another machine does that:
                    </p>
                    <Command>baton ledger witness init DIR --name witness.example/w1</Command>
                </Empty>
            )}
        </>
    );
}

export function Ledger(_: PageProps) {
    const { size } = useLive();
    const {
        data: head,
        problem,
        isLoading,
        again,
    } = useAsk((signal) => askJson<LedgerHead>("/v1/ledger", { signal }), ["ledger"], size);
    const { pin, again: lookAgain } = usePin(head);
    const replace = (shown: string) => {
        trust(shown, "first");
        forgetCheckpoint();
        lookAgain();
    };
    return (
        <Page
            title="Ledger"
            aside={
                head && (
                    <span class="muted mono">
                        <Text>{head.origin}</Text>
                    </span>
                )
            }
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            {(head ? !pin : isLoading) && <Loading />}
            {head && pin && (
                <>
                    <dl class="figures">
                        <div>
                            <dt>entries</dt>
                            <dd>{head.size.toLocaleString("en")}</dd>
                        </div>
                        <div>
                            <dt>witnesses</dt>
                            <dd>{head.signatures.filter((signature) => signature.type === "witness").length}</dd>
                        </div>
                        <div class="wide">
                            <dt>root</dt>
                            <dd class="mono wrap small">
                                {head.root} <Copy value={head.root} name="the root" />
                            </dd>
                        </div>
                    </dl>
                    {pin.isChanged ? (
                        <KeyAlarm pin={pin} onTrust={() => replace(pin.shown)} />
                    ) : (
                        <RotationNote pin={pin} />
                    )}
                    <section aria-labelledby="consistency">
                        <h2 id="consistency">What this browser saw last, and now</h2>
                        <Consistency head={head} pin={pin} />
                        <KeyForm pin={pin} onDone={lookAgain} />
                    </section>
                    <section aria-labelledby="checkpoint">
                        <h2 id="checkpoint">Checkpoint</h2>
                        <pre class="document" tabIndex={0} role="region" aria-label="Signed checkpoint">
                            <Text>{head.checkpoint}</Text>
                        </pre>
                        <Signatures head={head} />
                    </section>
                    <section aria-labelledby="yourself">
                        <h2 id="yourself">Check it yourself</h2>
                        <p class="muted">
                            In the folder where the server was started; when it was given another <code>--store</code>,
                            use that one:
                        </p>
                        <Command>{`baton ledger verify --store .baton/store.db --vkey ${shellWord(head.vkey)}`}</Command>
                    </section>
                </>
            )}
        </Page>
    );
}
