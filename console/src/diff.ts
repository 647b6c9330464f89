// SPDX-License-Identifier: Apache-2.0
// diff.ts - two texts, line by line: what stays, goes and comes (Myers, linear walk over its trace).

export interface DiffLine {
    kind: "same" | "gone" | "new";
    text: string;
    before?: number; // line number, from 1
    after?: number;
}

const EDITS_MAX = 2000;

// For each number of edits, how far each diagonal got; null when there are too many.
function walk(a: string[], b: string[]): Int32Array[] | null {
    const limit = Math.min(a.length + b.length, EDITS_MAX);
    const reach = new Int32Array(2 * limit + 3);
    const middle = limit + 1;
    const history: Int32Array[] = [];
    for (let edits = 0; edits <= limit; edits++) {
        history.push(reach.slice());
        for (let k = -edits; k <= edits; k += 2) {
            const down =
                k === -edits || (k !== edits && (reach[middle + k - 1] as number) < (reach[middle + k + 1] as number));
            let x = down ? (reach[middle + k + 1] as number) : (reach[middle + k - 1] as number) + 1;
            while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
                x++;
            }
            reach[middle + k] = x;
            if (x >= a.length && x - k >= b.length) {
                return history;
            }
        }
    }
    return null;
}

export function diff(before: string[], after: string[]): DiffLine[] {
    const history = walk(before, after);
    if (!history) {
        return [
            ...before.map((text, i): DiffLine => ({ kind: "gone", text, before: i + 1 })),
            ...after.map((text, i): DiffLine => ({ kind: "new", text, after: i + 1 })),
        ];
    }
    const found: DiffLine[] = [];
    let x = before.length;
    let y = after.length;
    for (let edits = history.length - 1; edits >= 0; edits--) {
        const reach = history[edits] as Int32Array;
        const middle = (reach.length - 1) / 2;
        const k = x - y;
        const down =
            k === -edits || (k !== edits && (reach[middle + k - 1] as number) < (reach[middle + k + 1] as number));
        const fromK = down ? k + 1 : k - 1;
        const fromX = edits === 0 ? 0 : (reach[middle + fromK] as number);
        const fromY = edits === 0 ? 0 : fromX - fromK;
        while (x > (edits === 0 ? 0 : down ? fromX : fromX + 1) && y > (edits === 0 ? 0 : down ? fromY + 1 : fromY)) {
            found.push({ kind: "same", text: before[x - 1] as string, before: x, after: y });
            x--;
            y--;
        }
        if (edits > 0) {
            found.push(
                down
                    ? { kind: "new", text: after[fromY] as string, after: fromY + 1 }
                    : { kind: "gone", text: before[fromX] as string, before: fromX + 1 },
            );
            x = fromX;
            y = fromY;
        }
    }
    return found.reverse();
}

// Only what changed, with some lines around it; null stands for what is left out.
export function hunks(all: DiffLine[], around = 3): (DiffLine | null)[] {
    const near = all.map(() => false);
    all.forEach((line, i) => {
        if (line.kind !== "same") {
            near.fill(true, Math.max(0, i - around), i + around + 1);
        }
    });
    const shown: (DiffLine | null)[] = [];
    all.forEach((line, i) => {
        if (near[i]) {
            shown.push(line);
        } else if (shown[shown.length - 1] !== null) {
            shown.push(null);
        }
    });
    return shown;
}
