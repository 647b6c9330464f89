// SPDX-License-Identifier: Apache-2.0
//! receipt.rs - reads receipts with what they are verified with, one JSON object a line, and prints what the module receipt finds.

use std::io::BufRead;

use baton_handoff::receipt::{verify_with, Options, Verified};
use serde_json::{json, Value};

fn decode(value: &Value) -> Option<Vec<u8>> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for letter in value.as_str()?.trim_end_matches('=').chars() {
        bits = bits << 6 | DIGITS.find(letter)? as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn show(found: &Verified) -> Value {
    let findings: Vec<Value> = found
        .findings
        .iter()
        .map(|finding| json!({"code": finding.code, "severity": finding.severity, "pointer": finding.pointer, "params": finding.params}))
        .collect();
    let witnesses: Vec<Value> = found.witnesses.iter().map(|(name, time)| json!({"name": name, "time": time})).collect();
    let mut shown = json!({"findings": findings, "form": found.form, "witnesses": witnesses});
    if let Some(trusted) = &found.trusted {
        shown["origin"] = json!(trusted.origin);
        shown["size"] = json!(trusted.size);
        shown["root"] = json!(trusted.root);
    }
    if let Some(proven) = &found.proven {
        shown["leaf_hash"] = json!(proven.leaf_hash);
        shown["ref"] = json!(proven.reference);
        shown["document"] = json!(proven.document);
    }
    shown
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (document, entry) = (decode(&command["document"]), decode(&command["entry"]));
        let options = Options {
            vkeys: texts(&command["vkey"]),
            document: document.as_deref(),
            entry: entry.as_deref(),
            witness_keys: texts(&command["witness_key"]),
            require_witness: command["require_witness"].as_u64().map(|count| count as usize),
            any_verdict: command["any_verdict"] == true,
        };
        let answer = match verify_with(&decode(&command["receipt"]).unwrap(), &options) {
            Ok(found) => json!({"accepted": found.accepted(), "result": show(&found)}),
            Err(why) => json!({ "error": why }),
        };
        println!("{answer}");
    }
}
