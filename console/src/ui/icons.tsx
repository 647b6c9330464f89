// SPDX-License-Identifier: Apache-2.0
// icons.tsx - one path each, on a grid of 20.

const PATHS: Record<string, string> = {
    overview: "M4 16V9M8 16V4M12 16v-5M16 16V7",
    agents: "M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-3 2.5-5 6-5s6 2 6 5",
    map: "M5 5h4v4H5zM12 11h4v4h-4zM9 7h5v4",
    inboxes: "M3 11l2-7h10l2 7v5H3zM3 11h4l1 2h4l1-2h4",
    tools: "M12 3a4 4 0 0 0-1 7l-7 7 2 2 7-7a4 4 0 0 0 4-6l-2 2-2-2 2-2a4 4 0 0 0-3-1z",
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
