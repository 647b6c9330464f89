// SPDX-License-Identifier: Apache-2.0
// bundle.tsx - a case as one file, for somebody who has no access to this server: it shows and checks itself offline.
import { useState } from "preact/hooks";
import { Problem } from "../api";
import { save } from "../save";
import { ProblemNote } from "./basic";

interface Selection {
    from?: number;
    to?: number;
    trace?: string;
    title: string;
}

export function BundleButton({ selection, name }: { selection: Selection; name: string }) {
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState<Problem | null>(null);
    const make = () => {
        setBusy(true);
        setProblem(null);
        save("/v1/ledger/bundle", `${name}.html`, {
            method: "POST",
            body: JSON.stringify(selection),
            type: "application/json",
            accept: "text/html",
        })
            .catch((error: unknown) => setProblem(error instanceof Problem ? error : new Problem(0, { detail: String(error) })))
            .finally(() => setBusy(false));
    };
    return (
        <>
            <button type="button" disabled={isBusy} onClick={make} title="One page with entries, documents and proof, which checks itself offline">
                {isBusy ? "Making the bundle…" : "Download bundle"}
            </button>
            {problem && <ProblemNote problem={problem} />}
        </>
    );
}
