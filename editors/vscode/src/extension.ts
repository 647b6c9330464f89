// SPDX-License-Identifier: Apache-2.0
// extension.ts - starts `baton lsp`, gives it the settings, and adds two commands.
//
// The program comes from a setting of the machine or from PATH. A program of the workspace is never started, because opening a folder
// must not run what is in it.
import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

const INSTALL_PAGE = "docs/how-to/use-an-editor.md";
const LANGUAGES = ["json", "jsonc", "markdown", "csv", "xml", "yaml", "plaintext"];

let client: LanguageClient | undefined;
let channel: vscode.OutputChannel | undefined;

/** True when a file is in a folder of the workspace, links resolved. */
function isInWorkspace(file: string): boolean {
    const real = realpathSync(file);
    return (vscode.workspace.workspaceFolders ?? []).some((folder) => {
        if (folder.uri.scheme !== "file") {
            return false;
        }
        let root = folder.uri.fsPath;
        try {
            root = realpathSync(root);
        } catch {
            // A folder that does not exist holds nothing.
        }
        const path = relative(root, real);
        return path === "" || (!path.startsWith("..") && !isAbsolute(path));
    });
}

function isProgram(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
    } catch {
        return false;
    }
}

/** The absolute path of the program; undefined: there is none outside the workspace. */
export function findProgram(name: string, path: string): string | undefined {
    const candidates = isAbsolute(name)
        ? [name]
        : name.includes("/")
          ? [] // it would start at a folder that the workspace may choose
          : path
                .split(delimiter)
                .filter((folder) => isAbsolute(folder))
                .map((folder) => join(folder, name));
    return candidates.find((file) => isProgram(file) && !isInWorkspace(file));
}

/** A setting that only the machine may give: what a workspace says is not read. */
function machineSetting<T>(name: string, otherwise: T): T {
    const found = vscode.workspace.getConfiguration("baton").inspect<T>(name);
    return found?.globalValue ?? found?.defaultValue ?? otherwise;
}

/** The settings that the server takes instead of flags. */
export function serverSettings(): Record<string, string> {
    const settings: Record<string, string> = {};
    if (!vscode.workspace.isTrusted) {
        return settings;
    }
    for (const name of ["root", "organism"]) {
        const value = vscode.workspace.getConfiguration("baton").get<string>(name);
        if (value) {
            settings[name] = value;
        }
    }
    return settings;
}

async function showMissing(name: string): Promise<void> {
    const open = "How to install";
    const chosen = await vscode.window.showErrorMessage(
        `Baton: the program ${name} is not on PATH. Install it, or set baton.path.`,
        open,
    );
    if (chosen === open) {
        await vscode.env.openExternal(vscode.Uri.parse(`https://example.invalid/baton/${INSTALL_PAGE}`));
    }
}

function clientOptions(): LanguageClientOptions {
    return {
        documentSelector: LANGUAGES.flatMap((language) => [
            { scheme: "file", language },
            { scheme: "untitled", language },
        ]),
        initializationOptions: serverSettings(),
        outputChannel: channel,
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/baton{.yaml,-baseline.json}") },
    };
}

async function startServer(): Promise<void> {
    const name = machineSetting("path", "baton");
    const program = findProgram(name, process.env.PATH ?? "");
    if (!program) {
        void showMissing(name);
        return;
    }
    const run = { command: program, args: ["lsp", ...machineSetting<string[]>("args", [])] };
    const server: ServerOptions = { run, debug: run };
    client = new LanguageClient("baton", "Baton", server, clientOptions());
    await client.start();
}

async function stopServer(): Promise<void> {
    const running = client;
    client = undefined;
    await running?.stop();
}

async function restartServer(): Promise<void> {
    await stopServer();
    await startServer();
}

/** The code of the finding at the cursor, or "". */
function codeAtCursor(): string {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
        return "";
    }
    const found = vscode.languages
        .getDiagnostics(editor.document.uri)
        .find((item) => item.source === "baton" && item.range.contains(editor.selection.active));
    const code = found?.code;
    return typeof code === "object" ? String(code.value) : String(code ?? "");
}

/** What `baton explain` prints. Only letters, digits and underscores reach the command line. */
function explain(program: string, code: string): Promise<string> {
    return new Promise((resolve, reject) => {
        execFile(program, ["explain", code, "-f", "markdown"], { timeout: 10_000 }, (error, stdout, stderr) => {
            if (error) {
                reject(new Error(stderr.trim() || error.message));
            } else {
                resolve(stdout);
            }
        });
    });
}

async function explainCode(): Promise<void> {
    const code = await vscode.window.showInputBox({
        prompt: "Code of a rule, such as SELF_LOOP",
        value: codeAtCursor(),
        validateInput: (text) => (/^[A-Za-z0-9_]+$/.test(text) ? undefined : "a code has letters, digits and underscores"),
    });
    const name = machineSetting("path", "baton");
    const program = findProgram(name, process.env.PATH ?? "");
    if (!code) {
        return;
    }
    if (!program) {
        await showMissing(name);
        return;
    }
    try {
        const content = await explain(program, code.toUpperCase());
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: "markdown" }), { preview: true });
    } catch (error) {
        await vscode.window.showErrorMessage((error as Error).message);
    }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    channel = vscode.window.createOutputChannel("Baton");
    context.subscriptions.push(
        channel,
        vscode.commands.registerCommand("baton.explainCode", explainCode),
        vscode.commands.registerCommand("baton.restartServer", restartServer),
        vscode.workspace.onDidChangeConfiguration(async (event) => {
            if (event.affectsConfiguration("baton.path") || event.affectsConfiguration("baton.args")) {
                await restartServer();
            } else if (event.affectsConfiguration("baton")) {
                await client?.sendNotification("workspace/didChangeConfiguration", { settings: { baton: serverSettings() } });
            }
        }),
        vscode.workspace.onDidGrantWorkspaceTrust(restartServer),
    );
    await startServer();
}

export async function deactivate(): Promise<void> {
    await stopServer();
}
