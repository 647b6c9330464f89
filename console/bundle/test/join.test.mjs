// test/join.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

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

// src/join.ts
function deliveryWord({ refs }) {
  return refs?.["event"] === "failed" && refs["reason"] === "retried" ? "retried" : String(refs?.["event"] ?? "");
}
function refOf({ entry: entry2 }, name) {
  return String(entry2.refs?.[name] ?? "");
}
function handoffsOf({ hops }) {
  return hops.map((hop, i3) => {
    const from = Date.parse(hop.time);
    return {
      seq: hop.seq,
      kind: "handoff",
      name: `${hop.source ?? "?"} \u2192 ${hop.target ?? "?"}`,
      from,
      to: Math.max(from, Date.parse(hops[i3 + 1]?.time ?? hop.time)),
      isBad: hop.verdict === "rejected"
    };
  });
}
function approvalsOf(entries, parents) {
  const ids = new Set(entries.filter((item) => parents.has(refOf(item, "parent"))).map((item) => refOf(item, "approval")));
  return [...ids].flatMap((id) => {
    const events = entries.filter((item) => refOf(item, "approval") === id);
    const [first, last] = [events[0], events.at(-1)];
    return first && last ? [
      {
        seq: last.seq,
        kind: "approval",
        name: refOf(last, "event").toLowerCase(),
        from: Date.parse(first.entry.time),
        to: Date.parse(last.entry.time),
        isBad: ["REJECTED", "EXPIRED", "REVOKED"].includes(refOf(last, "event"))
      }
    ] : [];
  });
}
function join(trace2, deliveries, approvals, calls) {
  const parents = new Set(trace2.hops.map((hop) => String(hop.seq)));
  const bySeq = (a3, b2) => a3.seq - b2.seq;
  const spans = [
    ...handoffsOf(trace2),
    ...deliveries.filter((item) => parents.has(refOf(item, "parent"))).map((item) => {
      const at = Date.parse(item.entry.time);
      const word = deliveryWord(item.entry);
      const name = `#${refOf(item, "parent")} ${word}`;
      return { seq: item.seq, kind: "delivery", name, from: at, to: at, isBad: ["failed", "dead"].includes(word) };
    }),
    ...approvalsOf([...approvals].sort(bySeq), parents),
    ...calls.filter((call2) => call2.trace_id === trace2.trace_id).map((call2) => {
      const to = Date.parse(call2.time);
      const name = `${[call2.server, call2.tool].filter(Boolean).join("/")} ${call2.event}`;
      return { seq: call2.seq, kind: "tool call", name, from: to - (call2.ms ?? 0), to, isBad: !["returned", "replayed"].includes(call2.event) };
    })
  ];
  return spans.sort((a3, b2) => a3.from - b2.from || a3.seq - b2.seq);
}

// src/text.ts
var HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2800\ufff9-\ufffd]|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}/gu;
var HIDDEN_IN_COMMAND = new RegExp(`${HIDDEN.source}|[\\t\\n]|(?! )\\p{Zs}`, "gu");
function leftText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1e3));
  const two = (value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours >= 48 ? `${Math.floor(hours / 24)} d` : hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

// test/join.test.ts
var time = (s3) => new Date(18e11 + s3 * 1e3).toISOString();
var trace = {
  trace_id: "t",
  started: time(0),
  ended: time(4),
  agents: ["a", "b"],
  hops: [
    { seq: 3, time: time(0), dialect: "universal", source: "a", target: "b", verdict: "rejected", codes: ["SELF_LOOP"] },
    { seq: 5, time: time(4), dialect: "universal", source: "a", target: "b", verdict: "accepted", codes: [] }
  ]
};
var entry = (seq, s3, kind, refs) => ({
  seq,
  leaf_hash: "",
  entry: { seq, time: time(s3), kind, dialect: "baton", verdict: "recorded", codes: [], actor: "x", refs }
});
var call = (seq, s3, trace_id) => ({
  seq,
  time: time(s3),
  server: "files",
  tool: "read",
  event: "returned",
  verdict: "recorded",
  codes: [],
  ms: 500,
  tokens: null,
  source: null,
  session: null,
  trace_id,
  approval: null
});
test("what belongs to a trace is joined by its entries, and nothing else is", () => {
  const spans = join(
    trace,
    [entry(6, 5, "delivery", { parent: 5, event: "delivered", message: "h5" }), entry(7, 6, "delivery", { parent: 4, event: "delivered", message: "h4" })],
    [
      entry(9, 3, "approval", { approval: "P-1", event: "APPROVED" }),
      entry(8, 1, "approval", { approval: "P-1", event: "REQUESTED", parent: 3 }),
      entry(10, 3, "approval", { approval: "P-2", event: "REQUESTED", parent: 4 })
    ],
    [call(11, 2, "t"), call(12, 2, "u")]
  );
  assert.deepEqual(
    spans.map((span) => [span.seq, span.kind, (span.from - 18e11) / 1e3, (span.to - 18e11) / 1e3, span.isBad]),
    [
      [3, "handoff", 0, 4, true],
      [9, "approval", 1, 3, false],
      [11, "tool call", 1.5, 2, false],
      [5, "handoff", 4, 4, false],
      [6, "delivery", 5, 5, false]
    ]
  );
});
test("a retry is not called a failure", () => {
  const words = [{ event: "failed", reason: "retried" }, { event: "failed" }, { event: "dead", reason: "retried" }];
  assert.deepEqual(words.map((refs) => deliveryWord(entry(1, 0, "delivery", refs).entry)), ["retried", "failed", "dead"]);
});
test("the time that is left is told to the second", () => {
  assert.deepEqual([0, 59999, 65e3, 3723e3, 3 * 864e5].map(leftText), ["0:00", "0:59", "1:05", "1:02:03", "3 d"]);
});
