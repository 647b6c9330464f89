// SPDX-License-Identifier: Apache-2.0
// memo.ts - a component that is drawn again only when what it is given has changed, for the rows of long lists.
import { Component, type ComponentChildren, type ComponentType } from "preact";

function isSame(a: unknown, b: unknown): boolean {
    return a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => value === b[i]));
}

// Values are compared as they are, lists item by item.
export function memo<P extends object>(view: (props: P) => ComponentChildren): ComponentType<P> {
    return class extends Component<P> {
        override shouldComponentUpdate(next: P): boolean {
            return Object.entries(next).some(([name, value]) => !isSame(value, (this.props as Record<string, unknown>)[name]));
        }

        override render(props: P): ComponentChildren {
            return view(props);
        }
    };
}
