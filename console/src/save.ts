// SPDX-License-Identifier: Apache-2.0
// save.ts - answers of the server as files.
import { ask, type Ask } from "./api";

export async function save(path: string, name: string, options: Ask): Promise<void> {
    const response = await ask(path, options);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
}
