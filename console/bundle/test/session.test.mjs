var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res) => function __init() {
  return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// src/session.ts
var session_exports = {};
__export(session_exports, {
  beginSession: () => beginSession,
  hear: () => hear,
  isToken: () => isToken,
  onSession: () => onSession,
  readSignIn: () => readSignIn,
  setToken: () => setToken,
  token: () => token
});
function isToken(text) {
  return FORM.test(text);
}
function token() {
  return sessionStorage.getItem(NAME);
}
function keep(value) {
  if (value) {
    sessionStorage.setItem(NAME, value);
  } else {
    sessionStorage.removeItem(NAME);
  }
}
function setToken(value) {
  keep(value);
  channel?.postMessage({ type: "token", token: value });
}
function hear(message) {
  const { type, token: given } = message ?? {};
  const mine = token();
  if (type === "ask" && mine) {
    channel?.postMessage({ type: "token", token: mine });
  }
  const isGiven = given === null || typeof given === "string" && isToken(given);
  if (type === "token" && isGiven && given !== mine) {
    keep(given);
    listeners.forEach((listener) => listener());
  }
}
function onSession(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
function readSignIn(hash) {
  if (!hash.startsWith("#token=")) {
    return null;
  }
  const given = new URLSearchParams(hash.slice(1));
  const text = given.get("token") ?? "";
  const to = given.get("to") ?? "";
  return { token: isToken(text) ? text : null, to: /^\/[^/]/.test(to) ? to : "/" };
}
async function beginSession() {
  channel = new BroadcastChannel("baton.session");
  channel.onmessage = (event) => hear(event.data);
  const given = readSignIn(location.hash);
  if (given) {
    history.replaceState(null, "", `${location.pathname}#${given.to}`);
  }
  if (given?.token) {
    setToken(given.token);
  } else if (!token()) {
    const answered = new Promise((resolve) => {
      const done = () => (forget(), resolve());
      const forget = onSession(done);
      setTimeout(done, ANSWER_MS);
    });
    channel.postMessage({ type: "ask" });
    await answered;
  }
}
var NAME, FORM, ANSWER_MS, channel, listeners;
var init_session = __esm({
  "src/session.ts"() {
    "use strict";
    NAME = "baton.token";
    FORM = /^bt_[A-Za-z0-9_-]{43}$/;
    ANSWER_MS = 250;
    channel = null;
    listeners = /* @__PURE__ */ new Set();
  }
});

// test/session.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";
var TOKEN = `bt_${"a".repeat(43)}`;
var OTHER = `bt_${"b".repeat(43)}`;
var Channel = class _Channel {
  constructor(name) {
    this.name = name;
    _Channel.all.push(this);
  }
  static all = [];
  onmessage = null;
  said = [];
  postMessage(data) {
    this.said.push(data);
  }
};
var stored = /* @__PURE__ */ new Map();
var places = [];
Object.assign(globalThis, {
  BroadcastChannel: Channel,
  sessionStorage: {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => stored.set(name, value),
    removeItem: (name) => stored.delete(name)
  },
  location: { hash: "", pathname: "/" },
  history: { replaceState: (_, __, place) => places.push(place) }
});
var session = await Promise.resolve().then(() => (init_session(), session_exports));
function channel2() {
  return Channel.all.at(-1);
}
test("a link that signs in may say where to go, and only within the console", () => {
  assert.deepEqual(session.readSignIn(`#token=${TOKEN}`), { token: TOKEN, to: "/" });
  assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=/approvals/P-1`), { token: TOKEN, to: "/approvals/P-1" });
  assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=%2Ftraces%2Fx`), { token: TOKEN, to: "/traces/x" });
  assert.deepEqual(session.readSignIn(`#token=${TOKEN}&to=//evil.example`), { token: TOKEN, to: "/" });
  assert.deepEqual(session.readSignIn("#token=none"), { token: null, to: "/" });
  assert.equal(session.readSignIn("#/feed"), null);
});
test("a new tab asks the others, and takes the first token that has the form of one", async () => {
  const begun = session.beginSession();
  assert.deepEqual(channel2().said, [{ type: "ask" }]);
  channel2().onmessage?.({ data: { type: "token", token: "<script>" } });
  assert.equal(session.token(), null);
  channel2().onmessage?.({ data: { type: "token", token: TOKEN } });
  await begun;
  assert.equal(session.token(), TOKEN);
});
test("a tab with a token answers a new one, and one without is silent", async () => {
  channel2().said = [];
  session.hear({ type: "ask" });
  assert.deepEqual(channel2().said, [{ type: "token", token: TOKEN }]);
  session.setToken(null);
  channel2().said = [];
  session.hear({ type: "ask" });
  assert.deepEqual(channel2().said, []);
});
test("signing in and out holds for every tab", () => {
  let changes = 0;
  const forget = session.onSession(() => changes++);
  session.setToken(TOKEN);
  assert.deepEqual(channel2().said.at(-1), { type: "token", token: TOKEN });
  session.hear({ type: "token", token: TOKEN });
  session.hear({ type: "token", token: OTHER });
  session.hear({ type: "token", token: null });
  session.hear({ type: "token" });
  session.hear(null);
  assert.deepEqual([changes, session.token()], [2, null]);
  forget();
});
test("a token in the address leaves it, and the place stays", async () => {
  Object.assign(location, { hash: `#token=${OTHER}&to=/ledger` });
  await session.beginSession();
  assert.deepEqual([places.at(-1), session.token()], ["/#/ledger", OTHER]);
});
