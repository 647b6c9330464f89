// SPDX-License-Identifier: Apache-2.0
// diff.tsx - two texts side by side in time.
import { useMemo } from "preact/hooks";
import { diff, hunks } from "../diff";
import { lines } from "../text";
import { Text } from "./basic";

const SIGNS = { same: " ", gone: "−", new: "+" };
const WORDS = { same: "", gone: "removed: ", new: "added: " };

export function Diff({ before, after }: { before: string; after: string }) {
    const shown = useMemo(() => hunks(diff(lines(before), lines(after))), [before, after]);
    if (!shown.some((line) => line && line.kind !== "same")) {
        return <p class="muted">Nothing would change.</p>;
    }
    return (
        <div class="document diff" role="region" aria-label="Changes" tabIndex={0}>
            {shown.map((line) =>
                line ? (
                    <div class={`line ${line.kind}`}>
                        <span class="number" aria-hidden="true">
                            {line.before ?? line.after}
                        </span>
                        <span class="sign" aria-hidden="true">
                            {SIGNS[line.kind]}
                        </span>
                        <code>
                            {WORDS[line.kind] && <span class="visually-hidden">{WORDS[line.kind]}</span>}
                            <Text>{line.text}</Text>
                        </code>
                    </div>
                ) : (
                    <div class="line fold-mark" aria-hidden="true">
                        ⋯
                    </div>
                ),
            )}
        </div>
    );
}
