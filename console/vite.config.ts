// SPDX-License-Identifier: Apache-2.0
// How the console is built: few files, each named by its digest, nothing inline.
import { defineConfig } from "vite";

export default defineConfig({
    esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "eof" },
    build: {
        target: "es2022",
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    server: { proxy: { "/v1": process.env.BATON_SERVER ?? "http://127.0.0.1:8420" } },
});
