// SPDX-License-Identifier: Apache-2.0
// route.ts - where we are: #/PAGE/ID?NAME=VALUE. The address is the state, so that every view can be shared.
import { useEffect, useState } from "preact/hooks";

export type Query = Record<string, string>;

export interface Place {
    page: string;
    id: string;
    rest: string;
    query: Query;
}

export function readPlace(hash: string): Place {
    const mark = hash.indexOf("?");
    const [path, search] = mark < 0 ? [hash, ""] : [hash.slice(0, mark), hash.slice(mark + 1)];
    const [page = "", id = "", rest = ""] = path.replace(/^#\/?/, "").split("/").map(decode);
    const query: Query = {};
    for (const [name, value] of new URLSearchParams(search)) {
        query[name] = value;
    }
    return { page, id, rest, query }; // page "": the first that the viewer may see
}

function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return "";
    }
}

export function href(page: string, id: string | number = "", query: Record<string, string | undefined> = {}): string {
    const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
    const search = given.length ? `?${new URLSearchParams(given).toString()}` : "";
    return `#/${page}${id === "" ? "" : `/${encodeURIComponent(String(id))}`}${search}`;
}

// Change what the address says without a new step in the history of the browser.
export function replacePlace(to: string): void {
    history.replaceState(history.state, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
}

export function usePlace(): Place {
    const [place, setPlace] = useState(() => readPlace(location.hash));
    useEffect(() => {
        const update = () => setPlace(readPlace(location.hash));
        addEventListener("hashchange", update);
        return () => removeEventListener("hashchange", update);
    }, []);
    return place;
}
