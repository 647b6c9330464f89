// SPDX-License-Identifier: Apache-2.0
// nothing.tsx - why a page of entries is empty, and what to do about it.
import { href } from "../route";
import type { Who } from "../types";
import { Command, Empty } from "./basic";

// What is there and not shown must not look like nothing.
export function NotYours({ size, who, onSignIn }: { size: number; who: Who; onSignIn: () => void }) {
    const count = size === 1 ? "1 entry" : `${size.toLocaleString("en")} entries`;
    return (
        <Empty title="Sign in to see what was recorded.">
            <p>
                The ledger has {count}, and none that {who.principal || "you"} may see: without the scope{" "}
                <code>operate</code> you see what you submitted yourself.
            </p>
            <button type="button" onClick={onSignIn}>
                Sign in…
            </button>
        </Empty>
    );
}

export function NothingYet() {
    return (
        <Empty title="Nothing has been recorded yet.">
            <p>Hand something over, and it appears here the moment it is committed:</p>
            <Command>{`curl -H 'Content-Type: application/json' --data-binary @examples/universal/planner-to-builder.handoff.json ${location.origin}/v1/handoffs`}</Command>
            <p>
                Or try a document in the <a href={href("playground")}>playground</a>, which stores nothing.
            </p>
        </Empty>
    );
}
