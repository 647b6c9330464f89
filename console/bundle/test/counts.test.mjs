// test/counts.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/counts.ts
var DAY_S = 86400;
function barsOf(stats2, pick) {
  const since = Date.parse(stats2.since) / 1e3;
  const count = Math.max(1, Math.ceil((Date.parse(stats2.until) / 1e3 - since) / stats2.bucket));
  const times = Array.from({ length: count }, (_2, i3) => since + i3 * stats2.bucket);
  const values = times.map(() => 0);
  for (const bucket of stats2.buckets) {
    const at2 = Math.floor((Date.parse(bucket.at) / 1e3 - since) / stats2.bucket);
    values[at2] = (values[at2] ?? 0) + pick(bucket);
  }
  return [times, values];
}
function agentsOf(stats2) {
  const until = Date.parse(stats2.until);
  const hours = Math.max(1, Math.round((until - Date.parse(stats2.since)) / 36e5));
  const agents = /* @__PURE__ */ new Map();
  for (const bucket of stats2.buckets) {
    const at2 = Date.parse(bucket.at);
    const isToday = at2 >= until - DAY_S * 1e3;
    for (const [name, count] of Object.entries(bucket.counts)) {
      const agent = agents.get(name) ?? {
        name,
        today: { count: 0, rejected: 0 },
        yesterday: { count: 0, rejected: 0 },
        rates: Array.from({ length: hours }, () => null)
      };
      const rejected = bucket.rejected?.[name] ?? 0;
      const share = isToday ? agent.today : agent.yesterday;
      share.count += count;
      share.rejected += rejected;
      agent.rates[Math.floor((at2 - Date.parse(stats2.since)) / 36e5)] = rejected / count;
      agents.set(name, agent);
    }
  }
  return [...agents.values()].sort((a3, b2) => rate(b2.today) - rate(a3.today) || b2.today.count - a3.today.count);
}
function rate({ count, rejected }) {
  return count > 0 ? rejected / count : 0;
}
function trend({ today, yesterday }) {
  if (yesterday.count === 0) {
    return "new";
  }
  const difference = rate(today) - rate(yesterday);
  return difference > 1e-3 ? "worse" : difference < -1e-3 ? "better" : "same";
}
function edgesOf(stats2, part) {
  const at2 = part === null ? null : Date.parse(stats2.since) + part * stats2.bucket * 1e3;
  const bucket = at2 === null ? null : stats2.buckets.find((found) => Date.parse(found.at) === at2);
  const counts = at2 === null ? stats2.total : bucket?.counts ?? {};
  const rejected = at2 === null ? stats2.rejected : bucket?.rejected;
  return Object.entries(counts).map(([name, count]) => {
    const cut = name.indexOf(">");
    return { from: name.slice(0, cut), to: name.slice(cut + 1), count, rejected: rejected?.[name] ?? 0 };
  }).sort((a3, b2) => b2.count - a3.count);
}

// src/metrics.ts
function* samples(text, name) {
  for (const line of text.split("\n")) {
    const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match && match[1].startsWith(name)) {
      yield { name: match[1], labels: match[2] ?? "", value: Number(match[3]) };
    }
  }
}
function latencyOf(text) {
  const counts = /* @__PURE__ */ new Map();
  for (const { labels, value } of samples(text, "baton_http_request_seconds_bucket")) {
    const bound = /le="([^"]+)"/.exec(labels)?.[1];
    if (bound && /route="\/v1\/(handoffs|check)"/.test(labels)) {
      const limit = bound === "+Inf" ? Infinity : Number(bound);
      counts.set(limit, (counts.get(limit) ?? 0) + value);
    }
  }
  const all = counts.get(Infinity) ?? 0;
  const within = (share) => {
    const bound = [...counts].sort((a3, b2) => a3[0] - b2[0]).find(([, count]) => count >= all * share)?.[0] ?? Infinity;
    return bound === Infinity ? "more" : String(Number((bound * 1e3).toPrecision(3)));
  };
  return all > 0 ? { median: within(0.5), p95: within(0.95) } : null;
}
function checkedTokensOf(text) {
  const found = [...samples(text, "baton_document_tokens_total")];
  return found.length > 0 ? found.reduce((sum, { value }) => sum + value, 0) : null;
}
function waitingOf(text) {
  const found = [...samples(text, "baton_queue_items")].find(({ labels }) => labels === 'queue="inbox"');
  return found ? found.value : null;
}

// src/range.ts
var LENGTHS = [
  ["15m", "15 minutes", 900, 30],
  ["1h", "1 hour", 3600, 60],
  ["6h", "6 hours", 21600, 300],
  ["24h", "24 hours", 86400, 3600],
  ["7d", "7 days", 604800, 10800],
  ["30d", "30 days", 2592e3, 21600]
];
var DEFAULT = "1h";
var BARS = 120;
var DAYS_MAX = 31;
function rangeOf(query, now) {
  const since = Date.parse(query["since"] ?? "");
  const until = Date.parse(query["until"] ?? "");
  if (until > since && until - since <= DAYS_MAX * 864e5) {
    return { name: "", since, until, bucket: Math.max(1, Math.ceil((until - since) / 1e3 / BARS)) };
  }
  const [name, , length, bucket] = LENGTHS.find(([word]) => word === query["range"]) ?? LENGTHS.find(([word]) => word === DEFAULT);
  return { name, since: now - length * 1e3, until: now, bucket };
}
function instant(ms) {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
function rangeQuery(range) {
  return range.name ? { range: range.name } : { since: instant(range.since), until: instant(range.until) };
}
function rangeParams(range) {
  return { since: instant(range.since), until: range.name ? void 0 : instant(range.until), bucket: range.bucket };
}

// ../node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n2) {
  n2 && n2.parentNode && n2.remove();
}
function m(r3, u3, i3, f2, o2) {
  var e3 = { type: r3, props: u3, key: i3, ref: f2, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o2 || ++t, __i: -1, __u: 0 };
  return !o2 && n.vnode && n.vnode(e3), e3;
}
function $(n2) {
  return n2.children;
}
function x(n2, t3) {
  this.props = n2, this.context = t3, this.__g = 0;
}
function S(n2, t3) {
  if (null == t3) return n2.__ && S(n2.__, n2.__i + 1);
  for (var r3; t3 < n2.__k.length; t3++) if ((r3 = n2.__k[t3]) && r3.__e) return r3.__e;
  return "function" != typeof n2.type || n2.props.__P ? null : S(n2);
}
function C(t3) {
  var r3, u3 = t3.__v, i3 = u3.__e, f2 = [], o2 = [], e3 = t3.__P;
  e3 && ((r3 = _({ constructor: h }, u3)).__v = u3.__v + 1, n.vnode && n.vnode(r3), z(e3, r3, u3, t3.__n, e3.namespaceURI, 32 & u3.__u ? [i3] : null, f2, i3 || S(u3), 32 & u3.__u, o2), r3.__v = u3.__v, r3.__.__k[r3.__i] = r3, E(f2, r3, o2), u3.__ = u3.__e = null, r3.__e != i3 && j(r3));
}
function j(n2) {
  if ((n2 = n2.__) && n2.__c && !n2.props.__P) return n2.__e = null, n2.__k.some(function(t3) {
    return t3 && (n2.__e = t3.__e);
  }), j(n2);
}
function L(t3) {
  (8 & t3.__g || (t3.__g |= 8, u.push(t3), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n2, t3 = 1; u.length; ) u.length > t3 && u.sort(o), n2 = u.shift(), t3 = u.length, 8 & n2.__g && C(n2);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n2, t3, r3, u3, i3, f2, o2, e3, l3, c3, a3) {
  var s3, h3, v3, w2, d3, _2, g3 = u3.__k || y, k2 = t3.length;
  for (l3 = q(r3, t3, g3, l3, k2), s3 = 0; s3 < k2; s3++) null != (v3 = r3.__k[s3]) && (h3 = ~v3.__i && g3[v3.__i] || p, v3.__i = s3, _2 = z(n2, v3, h3, i3, f2, o2, e3, l3, c3, a3), w2 = v3.__e, (h3.ref != v3.ref || 8 & h3.__u) && (h3.ref && G(h3.ref, null, v3, h3), v3.ref && a3.push(v3.ref, v3.__c || w2, v3)), d3 = d3 || w2, 4 & v3.__u ? (l3 = A(v3, l3, n2, !h3.__v), h3.__e && (h3.__e = null)) : "function" == typeof v3.type && void 0 !== _2 ? l3 = _2 : w2 && (l3 = w2.nextSibling), v3.__u &= -21);
  return r3.__e = d3, l3;
}
function q(n2, t3, r3, u3, i3) {
  var f2, o2, e3, l3, c3, a3, s3, p3, y2, v3 = r3.length, d3 = v3, _2 = 0, g3 = 0, k2 = n2.__k = Array(i3);
  for (f2 = 0; f2 < i3; f2++) null != (o2 = t3[f2]) && "boolean" != typeof o2 && "function" != typeof o2 ? ("object" != typeof o2 || o2.constructor === String ? o2 = k2[f2] = m(null, o2) : w(o2) ? o2 = k2[f2] = m($, { children: o2 }) : o2.constructor === h && o2.__b ? o2 = k2[f2] = m(o2.type, o2.props, o2.key, o2.ref, o2.__v) : k2[f2] = o2, l3 = f2 + _2, o2.__ = n2, o2.__b = n2.__b + 1, e3 = null, ~(c3 = o2.__i = P(o2, r3, l3, d3)) && (d3--, (e3 = r3[c3]) && (e3.__u |= 2)), e3 && e3.__v ? (o2.__u |= 16, c3 == l3 - 1 ? _2-- : c3 == l3 + 1 ? _2++ : c3 != l3 && (c3 > l3 ? _2-- : _2++, g3 = 1)) : (~c3 || (i3 > v3 ? _2-- : i3 < v3 && _2++), "function" != typeof o2.type && (o2.__u |= 4))) : k2[f2] = null;
  if (g3) {
    for (a3 = [], s3 = [], f2 = 0; f2 < i3; f2++) if ((o2 = k2[f2]) && 16 & o2.__u) {
      for (_2 = 0, p3 = a3.length; _2 < p3; ) a3[y2 = _2 + p3 >> 1] < o2.__i ? _2 = y2 + 1 : p3 = y2;
      a3[_2] = o2.__i, s3[f2] = _2 + 1;
    }
    for (_2 = a3.length; f2--; ) s3[f2] && (s3[f2] == _2 ? _2-- : k2[f2].__u |= 4);
  }
  if (d3) for (f2 = 0; f2 < v3; f2++) !(e3 = r3[f2]) || 2 & e3.__u || (e3.__e == u3 && (u3 = S(e3)), J(e3, e3));
  return u3;
}
function A(n2, t3, r3, u3) {
  var i3, f2, o2, e3;
  if ("function" == typeof n2.type) {
    if (n2.props.__P) return t3;
    if (i3 = n2.__k) for (f2 = 0; f2 < i3.length; f2++) i3[f2] && (i3[f2].__ = n2, t3 = A(i3[f2], t3, r3, false));
    return t3;
  }
  for (t3 && !t3.parentNode && (t3 = S(n2)) && !t3.parentNode && (t3 = null), o2 = n2.__e, e3 = t3; e3 && 8 == e3.nodeType; ) e3 = e3.nextSibling;
  for (o2 != e3 && (!u3 && r3.moveBefore && o2.parentNode ? r3.moveBefore(o2, t3) : r3.insertBefore(o2, t3 || null)), t3 = o2; (t3 = t3 && t3.nextSibling) && 8 == t3.nodeType && !t3.data.startsWith("$s"); ) ;
  return t3;
}
function P(n2, t3, r3, u3) {
  var i3, f2 = n2.key, o2 = n2.type, e3 = t3[r3], l3 = e3 && !(2 & e3.__u);
  if (null === e3 && null == f2 || l3 && f2 == e3.key && o2 == e3.type) return r3;
  if (u3 > (l3 ? 1 : 0)) {
    for (i3 = r3 - 1; i3 >= 0; i3--) if ((e3 = t3[i3]) && !(2 & e3.__u) && f2 == e3.key && o2 == e3.type) return i3;
    for (i3 = r3 + 1; i3 < t3.length; i3++) if ((e3 = t3[i3]) && !(2 & e3.__u) && f2 == e3.key && o2 == e3.type) return i3;
  }
  return -1;
}
function T(n2, t3, r3) {
  null == r3 && (r3 = ""), "-" == t3[0] ? n2.setProperty(t3, r3) : n2[t3] = r3;
}
function N(n2, t3, r3, u3, i3) {
  var f2, o2;
  if ("style" == t3) if ("string" == typeof r3) n2.style.cssText = r3;
  else {
    if ("string" == typeof u3 && (n2.style.cssText = u3 = ""), u3) for (t3 in u3) r3 && t3 in r3 || T(n2.style, t3);
    if (r3) for (t3 in r3) u3 && r3[t3] == u3[t3] || T(n2.style, t3, r3[t3]);
  }
  else if ("o" == t3[0] && "n" == t3[1]) "function" != typeof r3 && (r3 = null), "function" != typeof u3 && (u3 = null), (n2.__e || (n2.__e = {}))[t3] = r3, r3 && u3 || (o2 = a[t3] || (a[t3] = V(t3)), (n2.__a || (n2.__a = {}))[t3] = c, f2 = t3 != (t3 = t3.replace(l, "$1")), (t3 = t3.slice(2))[0] < "a" && (t3 = t3.toLowerCase()), r3 ? n2.addEventListener(t3, o2, f2) : n2.removeEventListener(t3, o2, f2));
  else {
    if ("http://www.w3.org/2000/svg" == i3) t3 = t3.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t3 && "height" != t3 && "href" != t3 && "list" != t3 && "form" != t3 && "tabIndex" != t3 && "download" != t3 && "rowSpan" != t3 && "colSpan" != t3 && "role" != t3 && "popover" != t3 && t3 in n2) try {
      return void (n2[t3] = null == r3 ? "" : r3);
    } catch (n3) {
    }
    if ("function" == typeof r3) return;
    null == r3 || false === r3 && "-" != t3[4] ? n2.removeAttribute(t3) : n2.setAttribute(t3, "popover" == t3 && 1 == r3 ? "" : r3);
  }
}
function V(t3) {
  return function(r3) {
    var u3 = this.__e;
    if (u3) {
      if (u3 = u3[t3], null == r3[e]) r3[e] = c++;
      else if (r3[e] < this.__a[t3]) return;
      return u3(n.event ? n.event(r3) : r3);
    }
  };
}
function z(t3, r3, u3, i3, f2, o2, e3, l3, c3, a3) {
  var s3, p3, v3, d3, k2, b2, m3, M, C3, j2, L2, H2, q2, A3, O, P2, T3, N2, V2 = r3.type;
  if (r3.constructor !== h) return null;
  128 & u3.__u && (c3 = 32 & u3.__u, s3 = u3.__c.__z) && (r3.__u |= c3, p3 = o2 = [], 8 == s3.nodeType ? l3 = B(s3, o2) : o2.push(s3), l3 = o2[0] || l3), (s3 = n.__b) && s3(r3);
  n: if ("function" == typeof V2) {
    v3 = e3.length;
    try {
      if (M = r3.props, C3 = (s3 = V2.prototype) && s3.render, j2 = (s3 = V2.contextType) && i3[s3.__c], L2 = s3 ? j2 ? j2.props.value : s3.__ : i3, (d3 = u3.__c) ? (r3.__c = d3, 2 & d3.__g && (d3.__g |= 1)) : (C3 ? r3.__c = d3 = new V2(M, L2) : (r3.__c = d3 = new x(M, L2), d3.constructor = V2, d3.render = K), j2 && j2.sub(d3), d3.state || (d3.state = {}), d3.__n = i3, d3.__g |= 8, d3.__h = [], d3.__k = []), C3 && (d3.__s || (d3.__s = d3.state), V2.getDerivedStateFromProps && (d3.__s == d3.state && (d3.__s = _({}, d3.__s)), _(d3.__s, V2.getDerivedStateFromProps(M, d3.__s)))), k2 = d3.props, b2 = d3.state, d3.__v = r3, u3.__c) {
        if (M !== k2 && C3 && !V2.getDerivedStateFromProps && d3.componentWillReceiveProps && d3.componentWillReceiveProps(M, L2), r3.__v == u3.__v && !(8 & d3.__g) || !(4 & d3.__g) && d3.shouldComponentUpdate && false === d3.shouldComponentUpdate(M, d3.__s, L2)) {
          r3.__v != u3.__v && (d3.props = M, d3.state = d3.__s, d3.__g &= -9), r3.__e = u3.__e, r3.__k = u3.__k, r3.__k.some(function(n2) {
            n2 && (n2.__ = r3);
          }), y.push.apply(d3.__h, d3.__k), d3.__k = [], d3.__h.length && e3.push(d3), l3 = S(u3);
          break n;
        }
        d3.componentWillUpdate && d3.componentWillUpdate(M, d3.__s, L2), C3 && d3.componentDidUpdate && d3.__h.push(function() {
          d3.componentDidUpdate(k2, b2, m3);
        });
      } else C3 && !V2.getDerivedStateFromProps && d3.componentWillMount && d3.componentWillMount(), C3 && d3.componentDidMount && d3.__h.push(d3.componentDidMount);
      d3.context = L2, d3.props = M, d3.__P = t3, d3.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
      do {
        d3.__g &= -9, H2 && H2(r3), s3 = d3.render(d3.props, d3.state = d3.__s, d3.context);
      } while (8 & d3.__g && ++q2 < 25);
      C3 && (y.push.apply(d3.__h, d3.__k), d3.__k = []), d3.state = d3.__s, d3.getChildContext && (i3 = _({}, i3, d3.getChildContext())), C3 && u3.__c && d3.getSnapshotBeforeUpdate && (m3 = d3.getSnapshotBeforeUpdate(k2, b2)), A3 = s3 && s3.type === $ && null == s3.key ? s3.props.children : s3, M.__P && (s3 = l3, f2 = (t3 = M.__P).namespaceURI, c3 = o2 = null, u3.props && u3.props.__P != t3 && (u3.__k.some(function(n2) {
        n2 && J(n2, n2);
      }), u3.__k = null), l3 = u3.__k ? S(u3, 0) : null), l3 = I(t3, w(A3) ? A3 : [A3], r3, u3, i3, f2, o2, e3, l3, c3, a3), M.__P && (r3.__e = null, l3 = s3), r3.__u &= -161, p3 && p3.some(g), d3.__h.length && e3.push(d3), 1 & d3.__g && (d3.__g &= -4);
    } catch (t4) {
      if (e3.length = v3, r3.__v = null, c3 || o2) if (t4 && t4.then) {
        if (r3.__u |= 128 | c3, o2) {
          for (~(T3 = o2.indexOf(l3 || void 0)) || (T3 = o2.length); (N2 = o2[T3 - 1]) && 8 == N2.nodeType; ) T3--;
          for (; T3 < o2.length; T3++) if (N2 = o2[T3]) if (o2[T3] = null, O) {
            if (N2 == P2) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P2 = B(O = N2));
          }
        }
        if (!O) {
          for (; l3 && 8 == l3.nodeType && l3.nextSibling; ) l3 = l3.nextSibling;
          O = l3;
        }
        (s3 = B(O = r3.__c.__z || (r3.__c.__z = O))) ? (r3.__e = O, l3 = s3) : r3.__e = l3, l3 = l3 && l3.nextSibling;
      } else o2 && o2.some(g);
      else r3.__e = u3.__e;
      r3.__k || (r3.__k = u3.__k || []), t4 && t4.then || D(r3), n.__e(t4, r3, u3);
    }
  } else l3 = r3.__e = F(u3.__e, r3, u3, i3, f2, o2, e3, c3, a3, t3);
  return (s3 = n.diffed) && s3(r3), l3;
}
function B(n2, t3) {
  if (n2 && 8 == n2.nodeType && n2.data.startsWith("$s")) for (var r3 = 1; n2 = n2.nextSibling; ) {
    if (8 == n2.nodeType) {
      if (n2.data.startsWith("$s")) r3++;
      else if (n2.data.startsWith("/$s") && !--r3) return n2;
    }
    t3 && t3.push(n2);
  }
}
function D(n2) {
  n2 && (n2.__c && (n2.__c.__g |= 4), n2.__k && n2.__k.some(D));
}
function E(t3, r3, u3) {
  for (var i3 = 0; i3 < u3.length; ) G(u3[i3++], u3[i3++], u3[i3++]);
  n.__c && n.__c(r3, t3), t3.some(function(r4) {
    try {
      t3 = r4.__h, r4.__h = [], t3.some(function(n2) {
        n2.call(r4);
      });
    } catch (t4) {
      n.__e(t4, r4.__v);
    }
  });
}
function F(t3, r3, u3, i3, f2, o2, e3, l3, c3, a3) {
  var s3, h3, y2, _2, k2, b2, m3, M, $2 = u3.props || p, x2 = r3.props, C3 = r3.type;
  if ("svg" == C3 ? f2 = "http://www.w3.org/2000/svg" : "math" == C3 ? f2 = "http://www.w3.org/1998/Math/MathML" : f2 || (f2 = "http://www.w3.org/1999/xhtml"), o2) {
    for (s3 = 0; s3 < o2.length; s3++) if ((k2 = o2[s3]) && (C3 ? k2.localName == C3 : 3 == k2.nodeType)) {
      t3 = k2, o2[s3] = null;
      break;
    }
  }
  if (!t3) {
    if (M = a3.ownerDocument || document, !C3) return M.createTextNode(x2);
    t3 = M.createElementNS(f2, C3, x2.is ? x2 : a3), l3 && (n.__m && n.__m(r3, o2), l3 = false), o2 = null;
  }
  if (C3) {
    if (a3 = "template" == C3 && t3.content || t3, o2 = "textarea" == C3 && null != x2.defaultValue ? null : o2 && d.call(a3.childNodes), !l3 && o2) for ($2 = {}, s3 = 0; s3 < t3.attributes.length; s3++) $2[(k2 = t3.attributes[s3]).name] = k2.value;
    for (s3 in $2) k2 = $2[s3], "dangerouslySetInnerHTML" == s3 ? y2 = k2 : "children" == s3 || s3 in x2 || "value" == s3 && "defaultValue" in x2 || "checked" == s3 && "defaultChecked" in x2 || N(t3, s3, null, k2, f2);
    for (s3 in x2) k2 = x2[s3], "children" == s3 ? _2 = k2 : "dangerouslySetInnerHTML" == s3 ? h3 = k2 : "value" == s3 ? b2 = k2 : "checked" == s3 ? m3 = k2 : l3 && "function" != typeof k2 || $2[s3] === k2 || N(t3, s3, k2, $2[s3], f2);
    h3 ? (l3 || y2 && (h3.__html == y2.__html || h3.__html == t3.innerHTML) || (t3.innerHTML = h3.__html), r3.__k = []) : (y2 && (t3.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f2 && v.test(C3)) && (f2 = "http://www.w3.org/1999/xhtml"), I(a3, w(_2) ? _2 : [_2], r3, u3, i3, f2, o2, e3, o2 ? o2[0] : u3.__k && S(u3, 0), l3, c3), o2 && o2.some(g)), l3 && "textarea" != C3 || (s3 = "value", "progress" == C3 && null == b2 ? t3.removeAttribute(s3) : null == b2 || b2 === t3[s3] && ("progress" != C3 || b2) || N(t3, s3, b2, $2[s3], f2), s3 = "checked", null != m3 && m3 != t3[s3] && N(t3, s3, m3, $2[s3], f2));
  } else $2 === x2 || l3 && t3.data == x2 || (t3.data = x2);
  return t3;
}
function G(t3, r3, u3, i3) {
  try {
    "function" == typeof t3 ? r3 ? r3.__x = t3(r3) || 1 : i3 && (i3 = i3.__c || i3.__e) && (r3 = i3.__x) && (i3.__x = null, "function" == typeof r3 ? r3() : t3(null)) : t3.current = r3;
  } catch (t4) {
    n.__e(t4, u3);
  }
}
function J(t3, r3, u3) {
  var i3, f2, o2, e3;
  if (n.unmount && n.unmount(t3), !(i3 = t3.ref) || i3.current && i3.current != t3.__e || G(i3, null, r3, t3), i3 = t3.__c) {
    if (i3.componentWillUnmount) try {
      i3.componentWillUnmount();
    } catch (t4) {
      n.__e(t4, r3);
    }
    i3.__P = i3.__n = null;
  }
  if (i3 = t3.__k) for (e3 = 0; e3 < i3.length; e3++) i3[e3] && J(i3[e3], r3, "function" != typeof t3.type || u3 && !t3.props.__P);
  !u3 && (i3 = t3.__c) && (i3 = i3.__z) && (f2 = B(i3, o2 = [])) && (i3 == t3.__e && o2.some(g), g(f2), g(i3)), u3 || g(t3.__e), t3.__e = t3.__c = t3.__ = null;
}
function K(n2, t3, r3) {
  return this.constructor(n2, r3);
}
n = { __e: function(n2, t3, r3, u3) {
  for (var i3, o2, e3; t3 = t3.__; ) if ((i3 = t3.__c) && !(1 & i3.__g)) {
    i3.__g |= 4;
    try {
      if ((e3 = (o2 = i3.constructor) && o2.getDerivedStateFromError) && i3.setState(o2.getDerivedStateFromError(n2)), i3.componentDidCatch && (i3.componentDidCatch(n2, u3 || {}), e3 = 1), e3 && 8 & i3.__g) return void (i3.__g |= 2);
    } catch (t4) {
      n2 = t4;
    }
  }
  throw f = 0, n2;
} }, t = 0, r = function(n2) {
  return null != n2 && n2.constructor === h;
}, x.prototype.setState = function(n2, t3) {
  var r3 = this.__s;
  r3 && r3 != this.state || (r3 = this.__s = _({}, this.state)), "function" == typeof n2 && (n2 = n2(_({}, r3), this.props)), n2 && (_(r3, n2), this.__v && (t3 && this.__k.push(t3), L(this)));
}, x.prototype.forceUpdate = function(n2) {
  this.__v && (this.__g |= 4, n2 && this.__h.push(n2), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n2, t3) {
  return n2.__v.__b - t3.__v.__b;
}, e = Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// ../node_modules/preact/hooks/dist/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function g2() {
  var n2;
  do {
    for (; n2 = e2.shift(); ) try {
      C2(n2);
    } catch (t4) {
      a2.__e(t4, { __: (n2 = n2.__P) && n2.__v });
    }
    for (; n2 = c2.shift(); ) {
      var t3 = n2.__H;
      if (n2.__P && t3) try {
        t3.__h.some(C2), t3.__h.some(D2), t3.__h = [];
      } catch (r3) {
        t3.__h = [], a2.__e(r3, n2.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n2) {
  r2 = null, v2 && v2(n2);
}, a2.__ = function(n2, t3) {
  n2 && t3.__k && t3.__k.__m && (n2.__m = t3.__k.__m), p2 && p2(n2, t3);
}, a2.__r = function(n2) {
  l2 && l2(n2), t2 = 0;
  var i3 = (r2 = n2.__c).__H;
  i3 && (u2 == r2 ? r2.__h = [] : (i3.__h.some(C2), i3.__h.some(D2), t2 = 0), i3.__h = [], i3.__.some(function(n3) {
    n3.__N && (n3.__ = n3.__N), n3.u = n3.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n2) {
  m2 && m2(n2);
  var t3 = n2.__c;
  t3 && t3.__H && (t3.__H.__h.length && B2(c2.push(t3)), t3.__H.__.some(function(n3) {
    n3.u && (n3.__H = n3.u);
  })), u2 = r2 = null;
}, a2.__c = function(n2, t3) {
  t3.some(function(n3) {
    try {
      n3.__h.some(C2), n3.__h = n3.__h.filter(function(n4) {
        return !n4.__ || D2(n4);
      });
    } catch (t4) {
      n3.__h = [function() {
        throw t4;
      }];
    }
  }), h2 && h2(n2, t3);
}, a2.unmount = function(n2) {
  s2 && s2(n2);
  var t3, r3, u3 = n2.__c;
  u3 && u3.__H && (u3.__H.__.some(function(u4) {
    try {
      if (u4.__P && u4.__c) {
        if (void 0 === r3) {
          for (r3 = n2.__; r3 && (!r3.__c || !r3.__c.__P); ) r3 = r3.__;
          r3 = r3 && r3.__c;
        }
        u4.__P = r3, B2(e2.push(u4));
      } else C2(u4);
    } catch (n3) {
      t3 = n3;
    }
  }), u3.__H = void 0, t3 && a2.__e(t3, u3.__v));
};
var k = "function" == typeof requestAnimationFrame;
function z2(n2) {
  var t3, r3 = function() {
    clearTimeout(u3), k && cancelAnimationFrame(t3), setTimeout(n2);
  }, u3 = setTimeout(r3, 35);
  k && (t3 = requestAnimationFrame(r3));
}
function B2(n2) {
  1 != n2 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n2) {
  var t3 = r2, u3 = n2.__c;
  "function" == typeof u3 && (n2.__c = void 0, u3()), r2 = t3;
}
function D2(n2) {
  var t3 = r2;
  n2.__c = n2.__(), r2 = t3;
}

// src/route.ts
function readPlace(hash) {
  const mark = hash.indexOf("?");
  const [path, search] = mark < 0 ? [hash, ""] : [hash.slice(0, mark), hash.slice(mark + 1)];
  const [page = "", id = "", rest = ""] = path.replace(/^#\/?/, "").split("/").map(decode);
  const query = {};
  for (const [name, value] of new URLSearchParams(search)) {
    query[name] = value;
  }
  return { page, id, rest, query };
}
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
function href(page, id = "", query = {}) {
  const given = Object.entries(query).filter((pair) => !!pair[1]);
  const search = given.length ? `?${new URLSearchParams(given).toString()}` : "";
  return `#/${page}${id === "" ? "" : `/${encodeURIComponent(String(id))}`}${search}`;
}

// src/work.ts
var TITLE_MAX = 120;
function at(value, path) {
  return path.reduce((now, name) => typeof now === "object" && now !== null ? now[name] : void 0, value);
}
var TITLES = [
  ["handoff", "context", "summary"],
  ["handoff", "payload", "working", "ticket"],
  ["context", "request", "description"],
  ["request", "description"],
  ["request", "task", "description"]
];
function titleOf(text) {
  try {
    const document2 = JSON.parse(text);
    const found = TITLES.map((path) => at(document2, path)).find((word) => typeof word === "string" && word.trim() !== "");
    return typeof found === "string" ? found.trim().slice(0, TITLE_MAX) : "";
  } catch {
    return "";
  }
}
function tokensOf(report) {
  const exact = at(report.documents[0]?.facts, ["tokens", "exact"]);
  return typeof exact === "number" ? exact : null;
}

// test/counts.test.ts
var NOW = Date.parse("2026-06-10T12:00:00Z");
function stats(change) {
  const since = instant(NOW - 48 * 36e5);
  const until = instant(NOW);
  return { since, until, bucket: 3600, partial: false, complete_since: since, total: {}, others: 0, buckets: [], ...change };
}
test("an address has a page, an id and a filter, and is read as it was written", () => {
  const to = href("feed", "a/b", { code: "SELF_LOOP", agent: "x&y=z", verdict: "", kind: void 0 });
  assert.deepEqual(readPlace(to), { page: "feed", id: "a/b", rest: "", query: { code: "SELF_LOOP", agent: "x&y=z" } });
  assert.deepEqual(readPlace("#/%ff?%ff=1").page, "");
});
test("a range is a length that ends now, or two instants of at most 31 days", () => {
  const hour = rangeOf({ range: "1h" }, NOW);
  assert.deepEqual(rangeQuery(hour), { range: "1h" });
  assert.deepEqual(rangeParams(hour), { since: "2026-06-10T11:00:00Z", until: void 0, bucket: 60 });
  const own = { since: "2026-06-01T00:00:00Z", until: "2026-06-02T00:00:00Z" };
  assert.deepEqual(rangeQuery(rangeOf(own, NOW)), own);
  for (const wrong of [{ range: "nonsense" }, { since: own.until, until: own.since }, { since: "2026-01-01T00:00:00Z", until: own.until }]) {
    assert.equal(rangeOf(wrong, NOW).name, "1h");
  }
});
test("bars stand where their time is, and empty ones are there", () => {
  const found = stats({ since: instant(NOW - 4 * 36e5), buckets: [{ at: instant(NOW - 2 * 36e5), counts: { rejected: 3 } }] });
  assert.deepEqual(barsOf(found, ({ counts }) => counts["rejected"] ?? 0)[1], [0, 0, 3, 0]);
});
test("an agent is compared with itself a day before", () => {
  const bucket = (hours, count, rejected) => ({
    at: instant(NOW - hours * 36e5),
    counts: { a: count, b: 1 },
    rejected: { a: rejected }
  });
  const [first, second] = agentsOf(stats({ buckets: [bucket(30, 10, 1), bucket(3, 10, 4)] }));
  assert.deepEqual([first?.name, first?.today, first?.yesterday], ["a", { count: 10, rejected: 4 }, { count: 10, rejected: 1 }]);
  assert.deepEqual([first && trend(first), second && trend(second)], ["worse", "same"]);
  assert.equal(trend({ today: { count: 1, rejected: 1 }, yesterday: { count: 0, rejected: 0 } }), "new");
  assert.equal(first?.rates.filter((rate2) => rate2 !== null).length, 2);
});
test("edges are those of the range, or of one part of it", () => {
  const found = stats({
    total: { "a>b": 5, "b>c": 7 },
    rejected: { "a>b": 2 },
    buckets: [{ at: instant(NOW - 47 * 36e5), counts: { "a>b": 5 }, rejected: { "a>b": 2 } }]
  });
  assert.deepEqual(edgesOf(found, null).map(({ from, count }) => [from, count]), [["b", 7], ["a", 5]]);
  assert.deepEqual(edgesOf(found, 1), [{ from: "a", to: "b", count: 5, rejected: 2 }]);
  assert.deepEqual(edgesOf(found, 2), []);
});
test("latency is the bound that half of the requests keep", () => {
  const row = (bound, count, route = "/v1/handoffs") => `baton_http_request_seconds_bucket{route="${route}",le="${bound}"} ${count}`;
  const text = [row("0.005", 6), row("0.1", 9), row("+Inf", 10), row("0.005", 0, "/healthz"), row("+Inf", 999, "/healthz")].join("\n");
  assert.deepEqual(latencyOf(text), { median: "5", p95: "more" });
  assert.equal(checkedTokensOf('baton_document_tokens_total{dialect="universal"} 12\nbaton_document_tokens_total{dialect="plan"} 0\n'), 12);
  assert.equal(checkedTokensOf(""), null);
  assert.equal(latencyOf(""), null);
  assert.equal(waitingOf('baton_queue_items{queue="inbox"} 12\nbaton_queue_items{queue="pump"} 3\n'), 12);
  assert.equal(waitingOf(""), null);
});
test("a piece of work is called what its document says, and costs what was counted", () => {
  assert.equal(titleOf('{"handoff":{"context":{"summary":" Fix it "},"payload":{"working":{"ticket":"DP-1"}}}}'), "Fix it");
  assert.equal(titleOf('{"handoff":{"context":{"summary":""},"payload":{"working":{"ticket":"DP-1"}}}}'), "DP-1");
  assert.deepEqual([titleOf("not JSON"), titleOf("[1]"), titleOf('{"handoff":null}')], ["", "", ""]);
  const report = (facts) => ({ documents: [{ facts }] });
  assert.deepEqual([tokensOf(report({ tokens: { exact: 182 } })), tokensOf(report({}))], [182, null]);
});
