// SPDX-License-Identifier: Apache-2.0
// pin.ts - what this browser remembers of the ledger: the key it saw first, or that the viewer
// pasted, and the last checkpoint. A server that shows another key, or a history that does not extend
// the one seen before, is found out by this memory alone. A key that the known one handed over to is
// remembered in its place.

export interface Memory {
    get(name: string): string | null;
    set(name: string, value: string): void;
}

export const browserMemory: Memory = {
    get: (name) => localStorage.getItem(name),
    set: (name, value) => localStorage.setItem(name, value),
};

const KEY = "baton.vkey";
const HOW = "baton.vkey.how";
const ROTATION = "baton.vkey.rotation";
const CHECKPOINT = "baton.checkpoint";

export interface Rotation {
    from: string; // the vkey that was trusted before
    seq: number; // the entry in which it handed over
}

export interface Pin {
    vkey: string;
    how: "first" | "pasted";
    rotation: Rotation | null; // since then
    shown: string; // by the server, now
    isChanged: boolean;
}

// The key to verify with, when the server shows `vkey`. The first one ever seen is remembered.
export function pinned(vkey: string, memory: Memory = browserMemory): Pin {
    const known = memory.get(KEY);
    if (known === null) {
        trust(vkey, "first", memory);
        return { vkey, how: "first", rotation: null, shown: vkey, isChanged: false };
    }
    const how = memory.get(HOW) === "pasted" ? "pasted" : "first";
    return { vkey: known, how, rotation: rotationIn(memory), shown: vkey, isChanged: known !== vkey };
}

function rotationIn(memory: Memory): Rotation | null {
    try {
        return JSON.parse(memory.get(ROTATION) ?? "") as Rotation;
    } catch {
        return null;
    }
}

export function trust(vkey: string, how: Pin["how"], memory: Memory = browserMemory): void {
    memory.set(KEY, vkey);
    memory.set(HOW, how);
    memory.set(ROTATION, "");
}

// After it was proven that the known key handed over, in entry `seq`, to the one that is shown.
export function follow(pin: Pin, seq: number, memory: Memory = browserMemory): Pin {
    const rotation = { from: pin.vkey, seq };
    trust(pin.shown, pin.how, memory);
    memory.set(ROTATION, JSON.stringify(rotation));
    return { ...pin, vkey: pin.shown, rotation, isChanged: false };
}

export function lastCheckpoint(memory: Memory = browserMemory): string | null {
    return memory.get(CHECKPOINT) || null;
}

export function rememberCheckpoint(note: string, memory: Memory = browserMemory): void {
    memory.set(CHECKPOINT, note);
}

// After the key of another ledger was accepted: its history owes nothing to the old one.
export function forgetCheckpoint(memory: Memory = browserMemory): void {
    memory.set(CHECKPOINT, "");
}
