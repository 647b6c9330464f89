// SPDX-License-Identifier: Apache-2.0
// icons.tsx - one path each, on a grid of 20.

const PATHS: Record<string, string> = {
    feed: "M3 5h14M3 10h14M3 15h9",
    traces: "M5 4v4a3 3 0 0 0 3 3h4a3 3 0 0 1 3 3v2M5 4l-2 2M5 4l2 2M15 16l-2-2M15 16l2-2",
    approvals: "M4 10.5l4 4 8-9",
    pump: "M4 6h5v8H4zM9 10h4M13 7l3.5 3-3.5 3z",
    ledger: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2",
    playground: "M7 6l-4 4 4 4M13 6l4 4-4 4",
};

export function Icon({ name }: { name: string }) {
    return (
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d={PATHS[name] ?? ""} />
        </svg>
    );
}
