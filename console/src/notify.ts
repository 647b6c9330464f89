// SPDX-License-Identifier: Apache-2.0
// notify.ts - a notification of the system when somebody asks for consent, for viewers who want it.
const WANTED = "baton-notify";

export function canNotify(): boolean {
    return typeof Notification !== "undefined" && isSecureContext;
}

export function wantsNotice(): boolean {
    return canNotify() && Notification.permission === "granted" && localStorage.getItem(WANTED) === "yes";
}

// The browser asks the viewer, once; whether it may is what it says.
export async function setNotice(isWanted: boolean): Promise<boolean> {
    const isAllowed = isWanted && canNotify() && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(WANTED, isAllowed ? "yes" : "no");
    return isAllowed;
}

// It says that something waits and how much; what is asked for is shown by the page alone.
export function notifyPending(count: number): void {
    if (wantsNotice()) {
        const notice = new Notification("Baton: consent is asked for", {
            body: count === 1 ? "1 request waits for a decision." : `${count} requests wait for a decision.`,
            tag: "baton-approvals",
        });
        notice.onclick = () => {
            focus();
            location.hash = "#/approvals";
        };
    }
}
