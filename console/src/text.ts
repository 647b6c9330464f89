// SPDX-License-Identifier: Apache-2.0
// text.ts - text of strangers made harmless to the eye: characters that show nothing, or turn the
// line around, become visible marks.

export interface Piece {
    text: string;
    mark?: string; // the name of the character that the text stands for
}

const NAMES: Record<number, string> = {
    0x0009: "tab",
    0x000a: "line feed",
    0x00a0: "no-break space",
    0x00ad: "soft hyphen",
    0x061c: "Arabic letter mark",
    0x200b: "zero width space",
    0x200c: "zero width non-joiner",
    0x200d: "zero width joiner",
    0x200e: "left-to-right mark",
    0x200f: "right-to-left mark",
    0x2028: "line separator",
    0x2029: "paragraph separator",
    0x202a: "left-to-right embedding",
    0x202b: "right-to-left embedding",
    0x202c: "pop directional formatting",
    0x202d: "left-to-right override",
    0x202e: "right-to-left override",
    0x2060: "word joiner",
    0x2066: "left-to-right isolate",
    0x2067: "right-to-left isolate",
    0x2068: "first strong isolate",
    0x2069: "pop directional isolate",
    0x3164: "Hangul filler",
    0xfeff: "byte order mark",
    0xfffd: "not UTF-8 here",
};

// Controls but tab and line feed, what Unicode says shows nothing, what turns the line around, unpaired surrogates.
const HIDDEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2800\ufff9-\ufffd]|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}/gu;
// In a command each byte counts, so also tab, line feed and every space but the one of ASCII.
const HIDDEN_IN_COMMAND = new RegExp(`${HIDDEN.source}|[\\t\\n]|(?! )\\p{Zs}`, "gu");

function nameOf(code: number): string {
    const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const name =
        NAMES[code] ?? (code < 0xa0 ? "control character" : code >= 0xe0000 ? "tag character" : "invisible character");
    return `${hex} ${name}`;
}

// A line (or any text) in pieces: plain ones, and marks for what would not be seen. In a command a line feed is
// marked where it stands, and still ends the line.
export function visible(text: string, isCommand = false): Piece[] {
    const pieces: Piece[] = [];
    let at = 0;
    for (const match of text.matchAll(isCommand ? HIDDEN_IN_COMMAND : HIDDEN)) {
        const code = match[0].codePointAt(0) as number;
        if (match.index > at) {
            pieces.push({ text: text.slice(at, match.index) });
        }
        pieces.push({ text: code.toString(16).toUpperCase().padStart(4, "0"), mark: nameOf(code) });
        if (match[0] === "\n") {
            pieces.push({ text: "\n" });
        }
        at = match.index + match[0].length;
    }
    if (at < text.length) {
        pieces.push({ text: text.slice(at) });
    }
    return pieces;
}

// The lines of a document. A final line feed begins no line.
export function lines(text: string): string[] {
    const found = text.split("\n").map((line) => line.replace(/\r$/, ""));
    return found.length > 1 && found[found.length - 1] === "" ? found.slice(0, -1) : found;
}

// The index in `line` of a column counted from 1 in bytes of UTF-8.
export function indexOfColumn(line: string, column: number): number {
    let bytes = 0;
    let index = 0;
    for (const character of line) {
        if (bytes >= column - 1) {
            break;
        }
        const code = character.codePointAt(0) as number;
        bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        index += character.length;
    }
    return index;
}

// A text as one word of a shell.
export function shellWord(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

// The command that verifies a receipt. That of a refusal is let pass only on request.
export function receiptCommand(seq: number, vkey: string, verdict: string): string {
    const any = verdict === "accepted" ? "" : " --any-verdict";
    return `baton ledger verify-receipt ${seq}.tlog-proof --vkey ${shellWord(vkey)}${any}`;
}

export function bytesText(size: number): string {
    const units = ["B", "KiB", "MiB", "GiB"];
    let unit = 0;
    let value = size;
    for (; value >= 1024 && unit < units.length - 1; unit++) {
        value /= 1024;
    }
    return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

export function gapText(ms: number): string {
    if (ms < 1000) {
        return `${ms} ms`;
    }
    const seconds = ms / 1000;
    if (seconds < 120) {
        return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
    }
    return seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : seconds < 172800
          ? `${Math.round(seconds / 3600)} h`
          : `${Math.round(seconds / 86400)} d`;
}

// What is left of a time, to the second: 4:05, 1:02:03, 2 d.
export function leftText(ms: number): string {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    const two = (value: number) => String(value).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours >= 48
        ? `${Math.floor(hours / 24)} d`
        : hours > 0
          ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
          : `${minutes}:${two(seconds % 60)}`;
}
