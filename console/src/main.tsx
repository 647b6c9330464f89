// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { App } from "./app";
import { beginSession } from "./session";
import { applyTheme } from "./theme";

applyTheme();
void beginSession().then(() => render(<App />, document.getElementById("app") as HTMLElement));
