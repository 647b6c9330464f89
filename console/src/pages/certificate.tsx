// SPDX-License-Identifier: Apache-2.0
// certificate.tsx - one entry on paper: what was recorded, what this browser verified, and how to verify it again.
import type { PageProps } from "../app";
import { usePin } from "../keys";
import { href } from "../route";
import { receiptCommand } from "../text";
import { exactTime } from "../time";
import { Copy, Empty, Loading, Page, ProblemNote, Text, Time } from "../ui/basic";
import { Steps, useProof } from "../ui/proof";
import { useAsk } from "../use";
import { toHex } from "../verify/bytes";
import { loadEntry, type WholeEntry } from "./handoff";

function Row({ name, value }: { name: string; value: string | undefined | null }) {
    return value ? (
        <>
            <dt>{name}</dt>
            <dd class="mono wrap">
                <Text>{value}</Text>
                {value.length > 30 && <Copy value={value} name={name} />}
            </dd>
        </>
    ) : null;
}

function Paper({ whole }: { whole: WholeEntry }) {
    const { shown, document, receipt, head } = whole;
    const { pin } = usePin(head);
    const proof = useProof({ shown, document, receipt, head }, pin);
    const { entry } = shown;
    if (!pin || !proof || proof.state !== "holds" || pin.isChanged) {
        return proof || receipt === null ? (
            <Empty title="There is no certificate for this entry.">
                <p>
                    Its receipt does not verify in this browser. The <a href={href("handoff", shown.seq)}>entry</a> says why.
                </p>
            </Empty>
        ) : (
            <Loading />
        );
    }
    return (
        <article class="certificate" aria-label="Certificate">
            <p>
                Entry <strong>{shown.seq}</strong> of the ledger <strong>{head?.origin}</strong> records a document of the dialect{" "}
                <strong>{entry.dialect}</strong> with the verdict <strong>{entry.verdict}</strong>, at <Time at={entry.time} full />.
            </p>
            <dl class="facts">
                <Row name="from" value={entry.source} />
                <Row name="to" value={entry.target} />
                <Row name="recorded by" value={entry.actor} />
                <Row name="handoff id" value={entry.handoff_id} />
                <Row name="trace" value={entry.trace_id} />
                <Row name="codes" value={entry.codes.join(", ")} />
                <Row name="document, SHA-256" value={entry.document?.sha256} />
                <Row name="hash of the entry" value={shown.leaf_hash} />
                <Row name="root of the ledger" value={proof.way ? toHex(proof.way.root) : null} />
                <Row name="key of the ledger" value={pin.vkey} />
                <Row name="reference" value={shown.ref} />
            </dl>
            <h2>Verified in this browser at {exactTime(Date.now())}</h2>
            <Steps proof={proof} />
            <h2>Verify it again</h2>
            <p>With the receipt of this entry, its document, and the key from the operator by another way than this paper:</p>
            <pre class="wrap">{receiptCommand(shown.seq, pin.vkey, entry.verdict)}</pre>
            <p class="muted">A paper proves nothing by itself: anybody can print another one. The receipt does.</p>
        </article>
    );
}

export function Certificate({ id }: PageProps) {
    const { data, problem, isLoading, again } = useAsk((signal) => loadEntry(id, signal), ["certificate", id]);
    return (
        <Page
            title={`Certificate of entry ${data?.shown.seq ?? id}`}
            aside={
                <>
                    <a href={href("handoff", id)}>Entry</a>
                    <button type="button" disabled={!data} onClick={() => window.print()}>
                        Print
                    </button>
                </>
            }
        >
            {problem && <ProblemNote problem={problem} again={again} />}
            {isLoading && !data && <Loading />}
            {data && <Paper whole={data} />}
        </Page>
    );
}
