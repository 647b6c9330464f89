// SPDX-License-Identifier: Apache-2.0
//! The rules about entries of a ledger: E0 to E11.

use crate::json::{self, Json};

const SEQ_MAX: i64 = (1 << 53) - 1;
const WITHHELD: [&str; 5] = ["codes", "handoff_id", "source", "target", "trace_id"];

pub(super) enum Judged {
    Fine(Json),
    /// The rule that is broken, and why.
    Broken(&'static str, &'static str),
    /// Of a newer format: its version as it is written.
    Newer(String),
}

fn fits_letters(value: &Json, more: &[u8]) -> bool {
    let bytes = value.text().as_bytes();
    matches!(value, Json::Text(_)) && (1..=200).contains(&bytes.len()) && bytes[0].is_ascii_alphanumeric() && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || more.contains(byte))
}

fn is_name(value: &Json) -> bool {
    fits_letters(value, b"._:/@+-")
}

fn is_text(value: &Json) -> bool {
    fits_letters(value, b" ._:/@+,-")
}

fn is_hash(value: &Json) -> bool {
    value.text().len() == 64 && value.text().bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_seq(value: &Json) -> bool {
    value.integer().is_some_and(|number| (0..=SEQ_MAX).contains(&number))
}

fn is_count(value: &Json) -> bool {
    value.integer().is_some_and(|number| (1..=SEQ_MAX).contains(&number))
}

fn is_bool(value: &Json) -> bool {
    matches!(value, Json::Bool(_))
}

fn is_true(value: &Json) -> bool {
    *value == Json::Bool(true)
}

fn is_one(value: &Json) -> bool {
    matches!(value, Json::Number(text) if text == "1")
}

fn is_two(value: &Json) -> bool {
    matches!(value, Json::Number(text) if text == "2")
}

fn is_delivery(value: &Json) -> bool {
    let bytes = value.text().as_bytes();
    (2..=17).contains(&bytes.len()) && matches!(bytes[0], b'h' | b'w') && bytes[1..].iter().all(u8::is_ascii_digit)
}

/// One or two deliveries; E9 has their order.
fn is_deliver(value: &Json) -> bool {
    (1..=2).contains(&value.items().len()) && value.items().iter().all(is_delivery)
}

fn is_time(value: &Json) -> bool {
    let (text, form) = (value.text().as_bytes(), b"0000-00-00T00:00:00.000Z");
    text.len() == form.len() && text.iter().zip(form).all(|(byte, wanted)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted })
}

fn is_code(value: &Json) -> bool {
    let bytes = value.text().as_bytes();
    (2..=64).contains(&bytes.len()) && bytes[0].is_ascii_uppercase() && bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

fn is_list(value: &Json, fits: fn(&Json) -> bool, counts: std::ops::RangeInclusive<usize>) -> bool {
    let items = value.items();
    let is_unique = items.iter().enumerate().all(|(index, item)| !items[..index].contains(item));
    matches!(value, Json::Array(_)) && counts.contains(&items.len()) && items.iter().all(fits) && is_unique
}

fn is_codes(value: &Json) -> bool {
    is_list(value, is_code, 0..=100)
}

fn is_withheld(value: &Json) -> bool {
    is_list(value, |item| WITHHELD.contains(&item.text()), 1..=5)
}

fn is_kind(value: &Json) -> bool {
    ["handoff", "approval", "block", "unblock", "context", "delivery", "redaction", "key", "raw"].contains(&value.text())
}

fn is_kind_2(value: &Json) -> bool {
    is_kind(value) || ["heartbeat", "policy", "hold"].contains(&value.text())
}

fn is_dialect(value: &Json) -> bool {
    ["plan", "contract", "universal", "governed", "xml", "raw", "baton"].contains(&value.text())
}

fn is_verdict(value: &Json) -> bool {
    ["accepted", "rejected", "recorded"].contains(&value.text())
}

/// A member: its name, what it must be, and whether it must be there.
type Shape = [(&'static str, fn(&Json) -> bool, bool)];

fn fits_shape(value: &Json, shapes: &[&Shape], least: usize) -> bool {
    let Json::Object(members) = value else {
        return false;
    };
    let mut known = shapes.iter().copied().flatten();
    members.len() >= least
        && members.iter().all(|(name, member)| known.clone().any(|(expected, fits, _)| expected == name && fits(member)))
        && known.all(|(name, _, is_required)| !is_required || value.get(name).is_some())
}

const DOCUMENT: &Shape = &[("kept", is_bool, true), ("sha256", is_hash, true), ("size", is_seq, true), ("truncated", is_true, false)];
const ATTEST: &Shape =
    &[("boundaries_respected", is_bool, true), ("composition_valid", is_bool, true), ("source_agent_verified", is_bool, true), ("target_agent_verified", is_bool, true)];
const REFS: &Shape = &[
    ("parent", is_seq, false),
    ("attempts", is_seq, false),
    ("manifest", is_hash, false),
    ("lock", is_hash, false),
    ("policy", is_hash, false),
    ("before", is_hash, false),
    ("after", is_hash, false),
    ("fingerprint", is_hash, false),
    ("agent", is_name, false),
    ("approval", is_name, false),
    ("grant", is_name, false),
    ("context", is_name, false),
    ("event", is_name, false),
    ("message", is_name, false),
    ("thread", is_name, false),
    ("old_key", is_name, false),
    ("new_key", is_name, false),
    ("reason", is_text, false),
    ("pinned", is_time, false),
];
const COUNTS: &Shape = &[("actor", is_count, true), ("source", is_count, false), ("trace", is_count, false), ("client", is_count, false)];
const JUDGE: &Shape = &[("rules", is_hash, true), ("version", is_name, true)];
/// The members that the versions spell differently, and those that only the second one has.
const ONLY_1: &Shape = &[("v", is_one, true), ("kind", is_kind, true)];
const ONLY_2: &Shape = &[
    ("v", is_two, true),
    ("kind", is_kind_2, true),
    ("n", |value| fits_shape(value, &[COUNTS], 0), true),
    ("deliver", is_deliver, false),
    ("judge", |value| fits_shape(value, &[JUDGE], 0), false),
];
const ENTRY: &Shape = &[
    ("seq", is_seq, true),
    ("time", is_time, true),
    ("actor", is_name, true),
    ("dialect", is_dialect, true),
    ("verdict", is_verdict, true),
    ("codes", is_codes, true),
    ("withheld", is_withheld, false),
    ("handoff_id", is_name, false),
    ("trace_id", is_name, false),
    ("source", is_name, false),
    ("target", is_name, false),
    ("document", |value| fits_shape(value, &[DOCUMENT], 0), false),
    ("attest", |value| fits_shape(value, &[ATTEST], 0), false),
    ("refs", |value| fits_shape(value, &[REFS], 1), false),
];

fn text_of<'a>(entry: &'a Json, name: &str) -> &'a str {
    entry.get(name).map_or("", Json::text)
}

fn texts_of<'a>(entry: &'a Json, name: &str) -> Vec<&'a str> {
    entry.get(name).map_or(&[][..], Json::items).iter().map(Json::text).collect()
}

fn ref_of<'a>(entry: &'a Json, name: &str) -> Option<&'a Json> {
    entry.get("refs").and_then(|refs| refs.get(name))
}

/// A real date and time, not before 1970 and without a leap second.
fn time_is_real(text: &str) -> bool {
    let number = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap_or(u32::MAX);
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        1..=12 => 31,
        _ => 0,
    };
    year >= 1970 && (1..=days).contains(&day) && number(11, 13) < 24 && number(14, 16) < 60 && number(17, 19) < 60
}

fn keeps_time(entry: &Json) -> bool {
    time_is_real(text_of(entry, "time")) && ref_of(entry, "pinned").is_none_or(|pinned| time_is_real(pinned.text()))
}

fn keeps_order(entry: &Json) -> bool {
    let (codes, withheld) = (texts_of(entry, "codes"), texts_of(entry, "withheld"));
    codes.windows(2).all(|pair| pair[0] < pair[1]) && withheld.windows(2).all(|pair| pair[0] < pair[1]) && codes.is_empty() == (text_of(entry, "verdict") != "rejected")
}

fn fits_kind(entry: &Json) -> bool {
    let (dialect, verdict) = (text_of(entry, "dialect"), text_of(entry, "verdict"));
    let has_document = entry.get("document").is_some();
    let needs: &[&str] = match text_of(entry, "kind") {
        "handoff" => return dialect != "raw" && dialect != "baton" && verdict != "recorded" && has_document,
        "raw" => return dialect == "raw" && verdict != "accepted" && has_document,
        "approval" => &["approval", "event", "fingerprint"],
        "block" | "unblock" => &["agent", "reason"],
        "context" => &["context", "after"],
        "delivery" => &["message", "event"],
        "redaction" if !has_document => return false,
        "redaction" => &["reason"],
        "key" => &["old_key", "new_key"],
        _ => &[],
    };
    dialect == "baton" && verdict == "recorded" && needs.iter().all(|name| ref_of(entry, name).is_some())
}

fn withholds_nothing_present(entry: &Json) -> bool {
    texts_of(entry, "withheld").into_iter().all(|name| name == "codes" || entry.get(name).is_none())
}

fn parent_is_earlier(entry: &Json) -> bool {
    ref_of(entry, "parent").is_none_or(|parent| parent.integer() < entry.get("seq").and_then(Json::integer))
}

fn attests_governed(entry: &Json) -> bool {
    entry.get("attest").is_none() || text_of(entry, "dialect") == "governed"
}

fn counts_fit(entry: &Json) -> bool {
    entry.get("n").is_none_or(|n| n.get("source").is_some() == entry.get("source").is_some() && n.get("trace").is_some() == entry.get("trace_id").is_some())
}

fn delivers_itself(entry: &Json) -> bool {
    let deliver = texts_of(entry, "deliver");
    let Some(Json::Number(seq)) = entry.get("seq") else {
        return false;
    };
    deliver.is_empty()
        || text_of(entry, "kind") == "handoff"
            && text_of(entry, "verdict") == "accepted"
            && deliver.iter().all(|word| word[1..] == **seq)
            && deliver.windows(2).all(|pair| pair[0] < pair[1])
}

fn judges_handoffs(entry: &Json) -> bool {
    entry.get("n").is_none() || entry.get("judge").is_some() == (text_of(entry, "kind") == "handoff")
}

fn has_what_its_kind_needs(entry: &Json) -> bool {
    let event = ref_of(entry, "event").map_or("", Json::text);
    let document = entry.get("document");
    match text_of(entry, "kind") {
        "heartbeat" => ["start", "beat", "stop"].contains(&event) && ref_of(entry, "message").is_some(),
        "policy" => document.is_some_and(|document| document.get("kept").is_some_and(is_true) && document.get("sha256") == ref_of(entry, "after")),
        "hold" => {
            let named = ["trace_id", "handoff_id", "document"].iter().filter(|name| entry.get(name).is_some()).count();
            ["set", "released"].contains(&event) && ref_of(entry, "reason").is_some() && named == 1
        }
        _ => true,
    }
}

/// Tested in this order, after E1 and E0.
type Rule = (&'static str, &'static str, fn(&Json) -> bool);
const RULES: [Rule; 10] = [
    ("E2", "its time is not a real date and time", keeps_time),
    ("E3", "codes and withheld are sorted, and codes stand exactly in refusals", keeps_order),
    ("E4", "dialect, verdict and members do not fit its kind", fits_kind),
    ("E5", "a member is both there and withheld", withholds_nothing_present),
    ("E6", "refs.parent is not an earlier entry", parent_is_earlier),
    ("E7", "only governed handoffs are attested", attests_governed),
    ("E8", "the counters do not fit source and trace_id", counts_fit),
    ("E9", "deliver stands only in an accepted handoff, sorted, with its own number", delivers_itself),
    ("E10", "judge stands exactly in handoffs", judges_handoffs),
    ("E11", "a member that its kind needs is missing", has_what_its_kind_needs),
];

/// A whole number above 2.
fn is_newer(version: &Json) -> bool {
    matches!(version, Json::Number(text) if text.parse::<f64>().is_ok_and(|number| number > 2.0 && number.fract() == 0.0))
}

pub(super) fn judge(text: &[u8]) -> Judged {
    let found = json::parse(text).ok().filter(|entry| {
        let mut form = String::new();
        json::canonical(entry, &mut form).is_some() && form.as_bytes() == text
    });
    let Some(entry) = found else {
        return Judged::Broken("E1", "it is not in the form of RFC 8785");
    };
    if !fits_shape(&entry, &[ENTRY, ONLY_1], 0) && !fits_shape(&entry, &[ENTRY, ONLY_2], 0) {
        return match entry.get("v") {
            Some(Json::Number(version)) if is_newer(&Json::Number(version.clone())) => Judged::Newer(version.clone()),
            _ => Judged::Broken("E0", "it does not fit the schema of its version"),
        };
    }
    match RULES.iter().find(|(_, _, keeps)| !keeps(&entry)) {
        Some((rule, why, _)) => Judged::Broken(rule, why),
        None => Judged::Fine(entry),
    }
}
