// SPDX-License-Identifier: Apache-2.0
// lazy.tsx - parts that are loaded when they are first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "./basic";
import type { GraphView as GraphViewType } from "./graph";

// A component whose file is loaded with its first use.
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
    let known: ComponentType<P> | null = null;
    return function Lazy(props: P) {
        const [View, setView] = useState<ComponentType<P> | null>(() => known);
        const [isLost, setLost] = useState(false);
        useEffect(() => {
            if (!known) {
                load().then(
                    (found) => {
                        known = found;
                        setView(() => found);
                    },
                    () => setLost(true),
                );
            }
        }, []);
        if (isLost) {
            return (
                <div class="notice bad" role="alert">
                    <p>A part of the console cannot be loaded. The server may have been replaced: reload this page.</p>
                    <button type="button" onClick={() => location.reload()}>
                        Reload
                    </button>
                </div>
            );
        }
        return View ? <View {...props} /> : <Loading />;
    };
}

// The layout library is a third of the console, and only graphs take it.
export const GraphView = lazy<Parameters<typeof GraphViewType>[0]>(async () => (await import("./graph")).GraphView);
