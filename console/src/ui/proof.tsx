// SPDX-License-Identifier: Apache-2.0
// proof.tsx - the receipt, verified here and now, and the key that it was verified with.
import { useEffect, useState } from "preact/hooks";
import { usePin } from "../keys";
import { href } from "../route";
import type { LedgerHead, ShownEntry } from "../types";
import type { Bytes } from "../verify/bytes";
import { readKey } from "../verify/note";
import { trust, type Pin } from "../verify/pin";
import { isCryptoHere, prove, type Proof, type State } from "../verify/receipt";
import { receiptCommand } from "../text";
import { Command, Copy, Hash, Text } from "./basic";
import { MerklePath } from "./merkle";

interface Props {
    shown: ShownEntry;
    document: Bytes | null;
    receipt: string | null;
    head: LedgerHead | null;
    onState?: (state: State | "busy") => void;
}

const SIGNS: Record<State, [string, string, string]> = {
    holds: ["✓", "good", "holds"],
    fails: ["✕", "bad", "fails"],
    unknown: ["?", "warn", "not verified here"],
};

// A key that is not the one we know is an alarm; only a deliberate act replaces it.
export function KeyAlarm({ pin, onTrust }: { pin: Pin; onTrust: () => void }) {
    const [isAsked, setAsked] = useState(false);
    return (
        <div class="notice bad" role="alert">
            <p>
                <strong>The key of this ledger has changed.</strong> This browser{" "}
                {pin.how === "pasted" ? "was given" : "first saw"} <Hash value={pin.vkey} length={32} />, and the server
                now shows <Hash value={pin.shown} length={32} />. Either this is another ledger than before, or somebody
                signs a history of their own. The ledger holds no rotation from the one to the other that you may see
                and that proves itself. Ask the operator before you go on.
            </p>
            {isAsked ? (
                <p>
                    <button type="button" onClick={() => setAsked(false)}>
                        Keep the known key
                    </button>{" "}
                    <button type="button" class="danger" onClick={onTrust}>
                        Forget it and trust the new one
                    </button>
                </p>
            ) : (
                <button type="button" onClick={() => setAsked(true)}>
                    I know why it changed…
                </button>
            )}
        </div>
    );
}

// A key that the known one handed over to is not an alarm, but it is told.
export function RotationNote({ pin }: { pin: Pin }) {
    if (!pin.rotation) {
        return null;
    }
    const { from, seq } = pin.rotation;
    return (
        <p class="notice good" data-rotated={seq}>
            <span class="step-sign good" aria-hidden="true">
                ✓
            </span>{" "}
            The key was rotated: <Hash value={from} length={32} /> handed over to <Hash value={pin.vkey} length={32} />{" "}
            in <a href={href("handoff", seq)}>entry {seq}</a>, and signed that itself.
        </p>
    );
}

// Give the key by another way than this server: then it proves more than that the server agrees with itself.
export function KeyForm({ pin, onDone }: { pin: Pin; onDone: () => void }) {
    const [text, setText] = useState("");
    const [fault, setFault] = useState("");
    const submit = async (event: Event) => {
        event.preventDefault();
        try {
            trust((await readKey(text)).text, "pasted");
            setFault("");
            setText("");
            onDone();
        } catch (error) {
            setFault((error as Error).message);
        }
    };
    return (
        <details class="key">
            <summary>
                Key <Hash value={pin.vkey} length={28} />{" "}
                <span class="muted">
                    {pin.how === "pasted" ? "given by you" : "seen first here"}
                    {pin.rotation && `, rotated in entry ${pin.rotation.seq}`}
                </span>
            </summary>
            <p class="mono wrap">
                <Text>{pin.vkey}</Text> <Copy value={pin.vkey} name="the key" />
            </p>
            <form onSubmit={submit}>
                <label for="vkey">Got the key another way? Paste it, and only it will do.</label>
                <input
                    id="vkey"
                    value={text}
                    spellcheck={false}
                    autocomplete="off"
                    onInput={(event) => setText(event.currentTarget.value)}
                />
                <button type="submit" disabled={text === ""}>
                    Trust this key
                </button>
                {fault && (
                    <p class="bad-text" role="alert">
                        {fault}
                    </p>
                )}
            </form>
        </details>
    );
}

export function useProof({ shown, document, receipt }: Props, pin: Pin | null): Proof | null {
    const [proof, setProof] = useState<Proof | null>(null);
    useEffect(() => {
        let isLate = false;
        setProof(null);
        if (pin && receipt !== null && isCryptoHere()) {
            const { seq, leaf_hash: leafHash, canonical, entry } = shown;
            readKey(pin.vkey)
                .then((key) => prove(receipt, { seq, leafHash, canonical, entry, document }, key))
                .catch((error: Error): Proof => ({
                    state: "fails",
                    steps: [{ name: "Key", state: "fails", detail: error.message }],
                    entry: null,
                    way: null,
                }))
                .then((done) => isLate || setProof(done));
        }
        return () => {
            isLate = true;
        };
    }, [shown, document, receipt, pin?.vkey]);
    return proof;
}

export function Steps({ proof }: { proof: Proof }) {
    return (
        <ol class="steps">
            {proof.steps.map((step) => {
                const [sign, tone, words] = SIGNS[step.state];
                return (
                    <li>
                        <span class={`step-sign ${tone}`} aria-hidden="true">
                            {sign}
                        </span>
                        <span>
                            <strong>{step.name}</strong> <span class="visually-hidden">{words}</span>
                            <span class="muted wrap step-detail">
                                <Text>{step.detail}</Text>
                                {/^[0-9a-f]{64}$/.test(step.detail) && <Copy value={step.detail} name={`the ${step.name.toLowerCase()}`} />}
                            </span>
                        </span>
                    </li>
                );
            })}
        </ol>
    );
}

const HEADLINES: Record<State, string> = {
    holds: "Verified in this browser",
    fails: "This does not verify",
    unknown: "Not verified here",
};

export function ProofView(props: Props) {
    const { pin, again } = usePin(props.head);
    const proof = useProof(props, pin);
    const state: State = pin?.isChanged ? "fails" : (proof?.state ?? "unknown");
    const isBusy = props.head !== null && props.receipt !== null && isCryptoHere() && proof === null;
    const [sign, tone] = SIGNS[state];
    const told = isBusy ? "busy" : state;
    useEffect(() => props.onState?.(told), [told]);
    return (
        <section
            class={`card proof ${isBusy ? "" : tone}`}
            aria-labelledby="receipt"
            data-state={isBusy ? "busy" : state}
        >
            <h2 id="receipt">
                {!isBusy && state !== "unknown" && (
                    <span class={`step-sign ${tone}`} aria-hidden="true">
                        {sign}
                    </span>
                )}
                {isBusy ? "Verifying…" : HEADLINES[state]}
            </h2>
            {pin?.isChanged && <KeyAlarm pin={pin} onTrust={() => (trust(pin.shown, "first"), again())} />}
            {!isCryptoHere() && <p>Browsers verify only on https or on this machine.</p>}
            {isCryptoHere() && (props.receipt === null || !props.head) && (
                <p class="muted">The server gave no receipt for this entry.</p>
            )}
            {proof && <Steps proof={proof} />}
            {proof?.way && <MerklePath key={props.shown.seq} way={proof.way} />}
            {pin && <KeyForm pin={pin} onDone={again} />}
            {pin && props.receipt !== null && (
                <details class="key" open={!isCryptoHere()}>
                    <summary>Check it yourself</summary>
                    <p>Download the receipt, and where it is:</p>
                    <Command>{receiptCommand(props.shown.seq, pin.vkey, props.shown.entry.verdict)}</Command>
                </details>
            )}
        </section>
    );
}
