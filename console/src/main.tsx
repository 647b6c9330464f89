// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { App } from "./app";
import { adoptToken } from "./session";
import { applyTheme } from "./theme";

adoptToken();
applyTheme();
render(<App />, document.getElementById("app") as HTMLElement);
