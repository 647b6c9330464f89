// SPDX-License-Identifier: Apache-2.0
// theme.ts - light, dark, or what the system says.

export type Theme = "system" | "light" | "dark";
const NAME = "baton.theme";
const ORDER: Theme[] = ["system", "light", "dark"];

export function theme(): Theme {
    return ORDER.find((name) => name === localStorage.getItem(NAME)) ?? "system";
}

export function applyTheme(): void {
    document.documentElement.dataset["theme"] = theme();
}

export function nextTheme(): Theme {
    const next = ORDER[(ORDER.indexOf(theme()) + 1) % ORDER.length] as Theme;
    localStorage.setItem(NAME, next);
    applyTheme();
    return next;
}
