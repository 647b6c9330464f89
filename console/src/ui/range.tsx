// SPDX-License-Identifier: Apache-2.0
// range.tsx - choose a range of time; the choice is in the address.
import { useState } from "preact/hooks";
import { instant, LENGTHS, type Range } from "../range";
import { href, type Query } from "../route";

// For a field of the kind datetime-local, in the zone of the browser.
function local(ms: number): string {
    const at = new Date(ms - new Date(ms).getTimezoneOffset() * 60000);
    return at.toISOString().slice(0, 16);
}

export function RangeChoice({ page, id, range, query = {} }: { page: string; id?: string; range: Range; query?: Query }) {
    const [isOpen, setOpen] = useState(range.name === "");
    const [since, setSince] = useState(local(range.since));
    const [until, setUntil] = useState(local(range.until));
    const go = (event: Event) => {
        event.preventDefault();
        const [from, to] = [Date.parse(since), Date.parse(until)];
        if (to > from) {
            location.hash = href(page, id ?? "", { ...query, since: instant(from), until: instant(to) });
        }
    };
    return (
        <div class="range">
            <nav class="range-choice" aria-label="Range of time">
                {LENGTHS.map(([name, words]) => (
                    <a
                        href={href(page, id ?? "", { ...query, range: name })}
                        aria-current={range.name === name ? "true" : undefined}
                        aria-label={`${name}: ${words}`}
                        onClick={() => setOpen(false)}
                    >
                        {name}
                    </a>
                ))}
                <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                    custom
                </button>
            </nav>
            {isOpen && (
                <form class="range-form" aria-label="Custom range" onSubmit={go}>
                    <label>
                        from{" "}
                        <input
                            type="datetime-local"
                            value={since}
                            onInput={(event) => setSince(event.currentTarget.value)}
                        />
                    </label>
                    <label>
                        to{" "}
                        <input
                            type="datetime-local"
                            value={until}
                            onInput={(event) => setUntil(event.currentTarget.value)}
                        />
                    </label>
                    <button type="submit">Show</button>
                </form>
            )}
        </div>
    );
}
