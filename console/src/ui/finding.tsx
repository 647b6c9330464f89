// SPDX-License-Identifier: Apache-2.0
// finding.tsx - what is wrong, where, what to do, and on demand why.
import { useState } from "preact/hooks";
import { askJson } from "../api";
import type { Finding } from "../types";
import { SeverityMark, Text } from "./basic";

interface Rule {
    code: string;
    meaning?: string;
    fix?: string;
}

function useRule(code: string): [Rule | null, () => void] {
    const [rule, setRule] = useState<Rule | null>(null);
    const toggle = () => {
        if (rule) {
            setRule(null);
            return;
        }
        askJson<{ rule: Rule }>(`/v1/rules/${encodeURIComponent(code)}`)
            .then((answer) => setRule(answer.rule))
            .catch(() => setRule({ code, meaning: "No explanation could be fetched." }));
    };
    return [rule, toggle];
}

export function FindingNote({ finding }: { finding: Finding }) {
    const [rule, toggle] = useRule(finding.code);
    const tone = { HARD: "bad", WARN: "warn", INFO: "plain" }[finding.severity];
    return (
        <div class={`finding ${tone}`}>
            <p>
                <SeverityMark severity={finding.severity} />{" "}
                <button
                    type="button"
                    class="code-button"
                    aria-expanded={rule !== null}
                    onClick={toggle}
                    title="What does this rule mean?"
                >
                    {finding.code}
                </button>{" "}
                <Text>{finding.message}</Text>
                {finding.security && <span class="chip">security</span>}
                {finding.fix && <span class="chip">{finding.fix} fix</span>}
            </p>
            {finding.hint && (
                <p class="hint">
                    <Text>{finding.hint}</Text>
                </p>
            )}
            {rule && (
                <p class="rule">
                    {rule.meaning && <Text>{rule.meaning}</Text>}
                    {rule.fix && (
                        <>
                            {" "}
                            <em>
                                <Text>{rule.fix}</Text>
                            </em>
                        </>
                    )}
                </p>
            )}
            <p class="muted where">
                <span class="mono">
                    <Text>{finding.pointer || "the whole document"}</Text>
                </span>
                {finding.line ? ` · line ${finding.line}${finding.column ? `:${finding.column}` : ""}` : ""} ·{" "}
                {finding.stage}
            </p>
        </div>
    );
}
