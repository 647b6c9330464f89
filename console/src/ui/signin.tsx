// SPDX-License-Identifier: Apache-2.0
// signin.tsx - the one dialog that asks for a token, over whatever page needs it; the page stays where it is.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isToken, token } from "../session";

export function SignIn({ onToken, onCancel }: { onToken: (token: string | null) => void; onCancel: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    const [value, setValue] = useState("");
    useLayoutEffect(() => dialog.current?.showModal(), []);
    const submit = (event: Event) => {
        event.preventDefault();
        onToken(value.trim());
    };
    return (
        <dialog ref={dialog} class="signin" aria-labelledby="signin" onClose={onCancel}>
            <h2 id="signin">Sign in</h2>
            <p>
                {token() === null
                    ? "This needs a token: the one in the address that baton serve printed, or one that an operator made."
                    : "Paste another token. If you did not ask for this: the one in use is not known here, or its time is over."}
            </p>
            <form class="token" onSubmit={submit}>
                <label for="token">Token</label>
                <input
                    id="token"
                    type="password"
                    autocomplete="off"
                    spellcheck={false}
                    placeholder="bt_…"
                    value={value}
                    onInput={(event) => setValue(event.currentTarget.value)}
                />
                <button type="submit" disabled={!isToken(value.trim())}>
                    Sign in
                </button>
            </form>
            <p class="muted">It holds for all tabs of this server, is written nowhere, and is gone with the last tab.</p>
            <div class="buttons">
                {token() !== null && (
                    <button type="button" onClick={() => onToken(null)}>
                        Go on without a token
                    </button>
                )}
                <button type="button" class="quiet" onClick={onCancel}>
                    Not now
                </button>
            </div>
        </dialog>
    );
}
