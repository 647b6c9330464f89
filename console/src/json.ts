// SPDX-License-Identifier: Apache-2.0
// json.ts - JSON as text, for when its numbers matter: a number of JavaScript has 53 bits, one of a
// document may have more, and a diff of rounded numbers would hide a change, or show one that is none.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function isOpening(token: string): boolean {
    return token === "{" || token === "[";
}

function isClosing(token: string): boolean {
    return token === "}" || token === "]";
}

// In the layout of JSON.stringify with two blanks, numbers letter for letter. What is not JSON stays as it is.
export function layout(text: string): string {
    try {
        JSON.parse(text);
    } catch {
        return text;
    }
    let out = "";
    let depth = 0;
    let previous = "";
    for (const [token] of text.matchAll(TOKEN)) {
        const isEmpty = isClosing(token) && isOpening(previous);
        depth -= isClosing(token) ? 1 : 0;
        if (!isEmpty && (isClosing(token) || isOpening(previous) || previous === ",")) {
            out += `\n${"  ".repeat(depth)}`;
        }
        // A character and its escape are the same text.
        out += token === ":" ? ": " : token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
        depth += isOpening(token) ? 1 : 0;
        previous = token;
    }
    return out;
}

// The text of the value at a path of names and indices; null when there is none.
export function textAt(text: string, path: (string | number)[]): string | null {
    const place: (string | number)[] = []; // of the value that comes next
    let begin = -1;
    let previous = "";
    for (const match of text.matchAll(TOKEN)) {
        const [token] = match;
        const last = place[place.length - 1];
        const isName = typeof last === "string" && (previous === "{" || previous === ",");
        if (token === ",") {
            place[place.length - 1] = typeof last === "number" ? last + 1 : "";
        } else if (token === ":") {
            place[place.length - 1] = JSON.parse(previous) as string;
        } else if (isClosing(token)) {
            place.pop();
            if (begin >= 0 && place.length === path.length) {
                return text.slice(begin, match.index + 1);
            }
        } else if (!isName) {
            if (begin < 0 && place.length === path.length && place.every((step, i) => step === path[i])) {
                if (!isOpening(token)) {
                    return token;
                }
                begin = match.index;
            }
            if (isOpening(token)) {
                place.push(token === "[" ? 0 : "");
            }
        }
        previous = token;
    }
    return null;
}
