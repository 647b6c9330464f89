// SPDX-License-Identifier: Apache-2.0
// route.ts - where we are: #/PAGE/ID. The address is the state, so that every view can be shared.
import { useEffect, useState } from "preact/hooks";

export interface Place {
    page: string;
    id: string;
    rest: string;
}

export function readPlace(hash: string): Place {
    const [page = "", id = "", rest = ""] = hash.replace(/^#\/?/, "").split("/").map(decode);
    return { page, id, rest }; // page "": the first that the viewer may see
}

function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return "";
    }
}

export function href(page: string, id: string | number = ""): string {
    return id === "" ? `#/${page}` : `#/${page}/${encodeURIComponent(String(id))}`;
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
