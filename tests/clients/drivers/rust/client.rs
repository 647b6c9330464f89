// SPDX-License-Identifier: Apache-2.0
//! client.rs - reads commands, one JSON object a line, and uses the Rust client as they say; prints one object for each.

use std::io::BufRead;
use std::time::Duration;

use baton_handoff::{Client, Error, InboxOptions, Options, Report, Result};
use serde_json::{json, Value};

fn text<'a>(command: &'a Value, name: &str) -> &'a str {
    command[name].as_str().unwrap_or_default()
}

/// The texts of a command that are options.
fn options(command: &Value, known: &[&str]) -> Options {
    let mut made = Options::new();
    for (name, value) in command.as_object().into_iter().flatten() {
        if let (false, Some(value)) = (name == "do" || known.contains(&name.as_str()), value.as_str()) {
            made = made.set(name, value);
        }
    }
    match command["key"].as_str() {
        Some(key) => made.key(key),
        None => made,
    }
}

fn make_client(command: &Value) -> Result<Client> {
    let mut made = Client::new(text(command, "url"));
    if let Some(token) = command["token"].as_str() {
        made = made.token(token);
    }
    if let Some(timeout) = command["timeout"].as_f64() {
        made = made.timeout(Duration::from_secs_f64(timeout));
    }
    if let Some(retries) = command["retries"].as_u64() {
        made = made.retries(retries as u32);
    }
    made.insecure(command["insecure"] == true).build()
}

fn verdict(report: &Report) -> Value {
    report.documents()[0]["verdict"].clone()
}

fn take(client: &Client, command: &Value) -> Result<Value> {
    let acts = command["acts"].as_array().cloned().unwrap_or_default();
    let number = |name: &str| command[name].as_u64().unwrap_or_default();
    let mut items = Vec::new();
    for delivery in client.inbox(text(command, "agent"), InboxOptions { max: number("max"), lease_s: number("lease_s"), wait_s: number("wait_s") }) {
        let delivery = delivery?;
        let result = match acts[items.len()].as_str().unwrap_or_default() {
            "ack" => json!(delivery.ack()?),
            "nack" => json!(delivery.nack()?),
            act => {
                let _ = delivery.handle(|_| if act == "raise" { Err("of the handler") } else { Ok(()) })?;
                Value::Null
            }
        };
        items.push(json!({"seq": delivery.seq(), "attempt": delivery.attempt(), "source": delivery.text("source"), "result": result,
            "document": String::from_utf8_lossy(&delivery.document)}));
        if items.len() == acts.len() {
            break;
        }
    }
    Ok(json!({ "items": items }))
}

fn feed(client: &Client, command: &Value) -> Result<Value> {
    let mut seqs = Vec::new();
    for entry in client.feed(command["after"].as_u64(), &options(command, &[])) {
        seqs.push(entry?["seq"].clone());
        if seqs.len() == 1 {
            println!("{}", json!({"event": seqs[0]}));
        }
        if seqs.len() as u64 == command["count"].as_u64().unwrap_or_default() {
            break;
        }
    }
    Ok(json!({ "seqs": seqs }))
}

fn run(client: &Client, command: &Value) -> Result<Value> {
    let document = text(command, "document").as_bytes();
    let status = |answer: Value| json!({"status": answer["approval"]["status"]});
    let none = Options::new();
    match text(command, "do") {
        "check" => client.check(document, &options(command, &["document"])).map(|report| json!({"verdict": verdict(&report), "codes": report.codes()})),
        "make" => {
            let mut parts = Options::new();
            for (name, value) in command.as_object().into_iter().flatten() {
                if !["do", "source", "target", "summary"].contains(&name.as_str()) {
                    parts = parts.member(name, value.clone());
                }
            }
            let made = client.new_handoff(text(command, "source"), text(command, "target"), text(command, "summary"), &parts)?;
            Ok(json!({"verdict": verdict(&made), "codes": made.codes(), "document": made.documents()[0]["document"].to_string()}))
        }
        "submit" => {
            let done = client.submit(document, &options(command, &["document", "key"]))?;
            Ok(json!({"seq": done.record["seq"], "receipt": done.receipt["index"], "inbox": done.delivery["inbox"], "verdict": verdict(&done.report)}))
        }
        "get" => {
            let seq = command["seq"].to_string();
            let entry = client.get_handoff(&seq)?;
            Ok(json!({"verdict": entry["entry"]["verdict"], "document": String::from_utf8_lossy(&client.get_document(&seq)?)}))
        }
        "version" => client.version(),
        "inbox" => take(client, command),
        "feed" => feed(client, command),
        "approvals" => {
            let list = client.approvals(command["status"].as_str())?;
            let shown: Vec<Value> = list.iter().map(|item| json!({"id": item["id"], "status": item["status"], "fingerprint": item["fingerprint"]})).collect();
            Ok(json!({ "approvals": shown }))
        }
        "show" => client.show_approval(text(command, "id"), &none).map(status),
        "grant" => client.grant_approval(text(command, "id"), text(command, "fingerprint"), &none).map(status),
        "deny" => client.deny_approval(text(command, "id"), &Options::new().member("reason", text(command, "reason"))).map(status),
        "revoke" => client.revoke_approval(text(command, "id"), &Options::new().member("reason", text(command, "reason"))).map(status),
        "use" => client.use_approval(&Options::new().member("command", text(command, "command"))).map(|answer| json!({"granted": answer["granted"]})),
        other => panic!("{other} is not a command"),
    }
}

fn describe(why: &Error) -> Value {
    match why {
        Error::Rejected { report, record } => json!({"error": "Rejected", "seq": record["seq"], "codes": report.codes()}),
        Error::Problem(problem) => json!({"error": "Problem", "code": problem.code, "status": problem.status}),
        Error::Unavailable { outcome, .. } => json!({"error": "Unavailable", "outcome": outcome.to_string(), "text": why.to_string()}),
        Error::Incompatible(text) => json!({"error": "Incompatible", "text": text}),
        Error::Invalid(text) => json!({"error": "Invalid", "text": text}),
    }
}

fn main() {
    let mut client = None;
    for line in std::io::stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let done = match (text(&command, "do"), &client) {
            ("new", _) => make_client(&command).map(|made| {
                client = Some(made);
                json!({})
            }),
            (_, Some(client)) => run(client, &command),
            (_, None) => panic!("there is no client"),
        };
        match done {
            Ok(value) => println!("{}", json!({ "ok": value })),
            Err(why) => println!("{}", describe(&why)),
        }
    }
}
