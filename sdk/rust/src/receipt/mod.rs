// SPDX-License-Identifier: Apache-2.0
//! Receipts of a ledger verified offline: that an entry is in the log that a key signed, what it says,
//! and that it is about a document. No server is needed.
//!
//! ```no_run
//! # let (text, vkey, document) = (&b""[..], "", &b""[..]);
//! let result = baton_handoff::receipt::verify(text, &[vkey], Some(document)).unwrap();
//! assert!(result.accepted());
//! ```

mod entry;
mod note;

use serde_json::{json, Value};
use sha2::{Digest, Sha256};

use crate::json::{self, Json};
use note::{Checkpoint, Key, KEY_LOG, KEY_WITNESS};

const RECEIPT_BYTES_MAX: usize = 256 << 10;
const ENTRY_BYTES_MAX: usize = 65_535;
const HASHES_MAX: usize = 63;
const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";

pub(crate) type Hash = [u8; 32];

/// One statement about a receipt. Its code is one of Baton's rules: `baton explain CODE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub code: String,
    pub severity: &'static str,
    pub stage: &'static str,
    pub pointer: String,
    pub message: String,
    pub security: bool,
    pub params: Value,
}

/// What was found out. What stands in `proven` is trusted; there is nothing in it otherwise.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    pub findings: Vec<Finding>,
    /// `text` or `json`.
    pub form: &'static str,
    /// Origin, size and root of the checkpoint, when a given key signed it.
    pub trusted: Option<Trusted>,
    /// The entry, when it is in the log and one that Baton writes.
    pub proven: Option<Proven>,
    /// Name and time of the witnesses whose cosignatures are valid.
    pub witnesses: Vec<(String, u64)>,
}

#[derive(Clone, Debug)]
pub struct Trusted {
    pub origin: String,
    pub size: u64,
    pub root: String,
}

#[derive(Clone, Debug)]
pub struct Proven {
    pub index: u64,
    pub leaf_hash: String,
    pub reference: String,
    /// The canonical text of the entry.
    pub entry: Vec<u8>,
    /// `matched`, `mismatched` or `not_given`.
    pub document: &'static str,
}

impl Verified {
    /// True when the receipt proves what its bearer claims: no finding blocks, and the entry is proven.
    pub fn accepted(&self) -> bool {
        self.proven.is_some() && self.findings.iter().all(|finding| finding.severity != "HARD")
    }
}

/// What a receipt is verified with.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Of logs that are trusted; at least one.
    pub vkeys: Vec<&'a str>,
    pub document: Option<&'a [u8]>,
    /// In place of the entry in the receipt.
    pub entry: Option<&'a [u8]>,
    pub witness_keys: Vec<&'a str>,
    /// So many distinct witnesses must have cosigned. `None`: one when there are witness keys.
    pub require_witness: Option<usize>,
    /// A proof of a refusal is wanted, too.
    pub any_verdict: bool,
}

/// Verify a receipt, in its text or its JSON form. The error says why a key cannot be used; everything
/// else is in the result.
pub fn verify(text: &[u8], vkeys: &[&str], document: Option<&[u8]>) -> Result<Verified, String> {
    verify_with(text, &Options { vkeys: vkeys.to_vec(), document, ..Options::default() })
}

/// Verify a receipt as [`verify`] does, with more options.
pub fn verify_with(text: &[u8], options: &Options) -> Result<Verified, String> {
    if options.vkeys.is_empty() {
        return Err("at least one vkey is needed".into());
    }
    let parse = |texts: &[&str], kind| texts.iter().map(|text| Key::parse(text, kind)).collect::<Result<Vec<Key>, String>>();
    let mut run = Run {
        options,
        logs: parse(&options.vkeys, KEY_LOG)?,
        witnesses: parse(&options.witness_keys, KEY_WITNESS)?,
        result: Verified { form: "text", ..Verified::default() },
    };
    run.verify(text);
    run.result.findings.sort_by(|a, b| a.code.cmp(&b.code));
    Ok(run.result)
}

/// Base64 with padding and without stray bits.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if bytes.len() % 4 != 0 {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    for (index, group) in bytes.chunks(4).enumerate() {
        let is_last = (index + 1) * 4 == bytes.len();
        let padding = if is_last { group.iter().rev().take_while(|byte| **byte == b'=').count() } else { 0 };
        if padding > 2 {
            return None;
        }
        let mut number = 0u32;
        for byte in &group[..4 - padding] {
            number = number << 6 | u32::from(digit_of(*byte)?);
        }
        number <<= 6 * padding as u32;
        let decoded = number.to_be_bytes();
        if decoded[4 - padding..].iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(&decoded[1..4 - padding]);
    }
    Some(out)
}

fn digit_of(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            if place > group.len() {
                out.push('=');
            } else {
                out.push(DIGITS[(number >> (18 - 6 * place) & 63) as usize] as char);
            }
        }
    }
    out
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash_from(bytes: &[u8]) -> Option<Hash> {
    bytes.try_into().ok()
}

/// A number in decimal without leading zeros, at most 2^63 - 1.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number <= i64::MAX as u64 && number.to_string() == text).then_some(number)
}

/// RFC 9162, 2.1.3.2.
fn proof_holds(index: u64, size: u64, leaf: Hash, hashes: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut found) = (index, size - 1, leaf);
    for hash in hashes {
        if last == 0 {
            return false;
        }
        let (left, right) = if at & 1 == 1 || at == last {
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
            (hash, &found)
        } else {
            (&found, hash)
        };
        found = Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into();
        at >>= 1;
        last >>= 1;
    }
    last == 0 && found == *root
}

/// A receipt as it was read.
#[derive(Default)]
struct Proof {
    index: u64,
    entry: Option<Vec<u8>>,
    hashes: Vec<Hash>,
    checkpoint: Vec<u8>,
}

fn decode_entry(encoded: &str) -> Result<Vec<u8>, String> {
    decode_base64(encoded).filter(|entry| entry.len() <= ENTRY_BYTES_MAX).ok_or_else(|| "the entry is not base64 of at most 65,535 bytes".into())
}

/// Read the text form. The error is what is wrong, and in which line.
fn read_text(text: &[u8]) -> Result<Proof, (String, usize)> {
    let (mut rest, mut line) = (text, 0);
    let mut next = || -> Option<String> {
        line += 1;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let found = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        Some(found)
    };
    let mut proof = Proof::default();
    if next().as_deref() != Some(FIRST_LINE) {
        return Err((format!("the first line is not {FIRST_LINE}"), line));
    }
    let mut found = next();
    if let Some(encoded) = found.as_ref().and_then(|line| line.strip_prefix("extra ")) {
        match decode_entry(encoded) {
            Ok(entry) => proof.entry = Some(entry),
            Err(reason) => return Err((reason, line)),
        }
        found = next();
    }
    let Some(found) = found else {
        return Err(("it ends too early".into(), line));
    };
    match found.strip_prefix("index ").and_then(parse_size) {
        Some(index) => proof.index = index,
        None => return Err(("the line is not `index` and a number".into(), line)),
    }
    loop {
        match next() {
            None => return Err(("an empty line must end the hashes".into(), line)),
            Some(found) if found.is_empty() => break,
            Some(found) => match decode_base64(&found).and_then(|bytes| hash_from(&bytes)) {
                Some(hash) if proof.hashes.len() < HASHES_MAX => proof.hashes.push(hash),
                _ => return Err(("the line is not the base64 of a hash, or there are more than 63".into(), line)),
            },
        }
    }
    proof.checkpoint = rest.to_vec();
    Ok(proof)
}

fn read_hash(item: &Json) -> Option<Hash> {
    let text = item.text();
    if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let bytes: Vec<u8> = (0..32).filter_map(|place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()).collect();
    hash_from(&bytes)
}

/// Read the JSON form. The error is what is wrong.
fn read_json(root: &Json) -> Result<Proof, String> {
    let entry = root.get("entry");
    let is_closed = matches!(root, Json::Object(members) if members.len() == 4 + usize::from(entry.is_some()));
    if !is_closed || root.get("baton_receipt").is_none() {
        return Err("it is not an object of baton_receipt, index, entry, proof and checkpoint".into());
    }
    if root.get("baton_receipt").and_then(Json::integer) != Some(1) {
        return Err("baton_receipt is not 1".into());
    }
    let index = root.get("index").and_then(Json::integer).and_then(|index| u64::try_from(index).ok()).ok_or("index is not a whole number")?;
    let Some(Json::Text(checkpoint)) = root.get("checkpoint") else {
        return Err("checkpoint is not a string".into());
    };
    let hashes = match root.get("proof") {
        Some(Json::Array(items)) if items.len() <= HASHES_MAX => items.iter().map(read_hash).collect::<Option<Vec<Hash>>>(),
        _ => None,
    };
    let hashes = hashes.ok_or("proof is not a list of at most 63 hashes")?;
    let entry = match entry {
        None => None,
        Some(Json::Text(Some(encoded))) => Some(decode_entry(encoded)?),
        Some(_) => return Err("entry is not a string".into()),
    };
    // An escape that is not a character makes the checkpoint a text that is not UTF-8.
    let checkpoint = checkpoint.as_ref().map_or_else(|| vec![0xff], |text| text.as_bytes().to_vec());
    Ok(Proof { index, entry, hashes, checkpoint })
}

struct Run<'a> {
    options: &'a Options<'a>,
    logs: Vec<Key>,
    witnesses: Vec<Key>,
    result: Verified,
}

/// Severity, stage and security of a code.
fn traits_of(code: &str) -> (&'static str, &'static str, bool) {
    match code {
        "RECEIPT_SYNTAX" | "LEDGER_CHECKPOINT_SYNTAX" => ("HARD", "read", false),
        "LEDGER_ENTRY_VERSION" => ("WARN", "record", false),
        "RECEIPT_ENTRY_MISSING" | "RECEIPT_VERDICT" => ("HARD", "record", false),
        _ if code.starts_with("JSON_") => ("HARD", "read", false),
        _ => ("HARD", "record", true),
    }
}

impl Run<'_> {
    fn add(&mut self, code: &str, pointer: &str, message: impl Into<String>, params: Value) {
        let (severity, stage, security) = traits_of(code);
        self.result.findings.push(Finding { code: code.into(), severity, stage, pointer: pointer.into(), message: message.into(), security, params });
    }

    /// The steps in their order; the first five end it when they fail.
    fn verify(&mut self, text: &[u8]) {
        let Some(mut proof) = self.read_receipt(text) else { return };
        let Some(checkpoint) = self.check_checkpoint(&proof.checkpoint) else { return };
        if let Some(entry) = self.options.entry {
            proof.entry = Some(entry.to_vec());
        }
        let Some(leaf) = self.check_inclusion(&proof, &checkpoint) else { return };
        self.check_entry(&proof, &checkpoint, &leaf);
    }

    fn read_receipt(&mut self, text: &[u8]) -> Option<Proof> {
        let is_json = text.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) == Some(&b'{');
        let found = if text.len() > RECEIPT_BYTES_MAX {
            Err(("it is longer than 256 KiB".into(), 0))
        } else if is_json {
            self.result.form = "json";
            match json::parse(text) {
                Err(why) => {
                    self.add(why.code, &why.pointer, "the receipt is not JSON", Value::Null);
                    return None;
                }
                Ok(root) => read_json(&root).map_err(|reason| (reason, 0)),
            }
        } else {
            read_text(text)
        };
        match found {
            Ok(proof) => Some(proof),
            Err((reason, line)) => {
                let line = if line > 0 { json!(line) } else { Value::Null };
                self.add("RECEIPT_SYNTAX", "", format!("this is not a receipt: {reason}"), json!({ "line": line }));
                None
            }
        }
    }

    fn check_checkpoint(&mut self, text: &[u8]) -> Option<Checkpoint> {
        let checkpoint = match Checkpoint::read(text) {
            Ok(checkpoint) => checkpoint,
            Err(reason) => {
                self.add("LEDGER_CHECKPOINT_SYNTAX", "/checkpoint", format!("this is not a checkpoint: {reason}"), json!({ "reason": reason }));
                return None;
            }
        };
        let (mut known, mut signed, mut culprit) = (false, false, None);
        for key in &self.logs {
            let (has_signed, is_valid) = checkpoint.judge_log(key);
            let is_origin = key.name == checkpoint.origin;
            known = known || is_origin;
            signed = signed || (is_origin && has_signed);
            if !is_valid && culprit.is_none() {
                culprit = Some(key.id_text());
            }
        }
        if !known {
            let expected = self.logs[0].name.clone();
            self.add("LEDGER_ORIGIN_MISMATCH", "/checkpoint", "the checkpoint belongs to another log", json!({"expected": expected, "actual": checkpoint.origin}));
        } else if !signed {
            let keys: Vec<String> = checkpoint.lines.iter().map(|line| format!("{}+{}", line.name, hex(&line.id))).collect();
            self.add("LEDGER_KEY_UNKNOWN", "/checkpoint", "no key that is trusted here signed this checkpoint", json!({ "keys": keys }));
        } else if let Some(key) = culprit {
            self.add("LEDGER_SIGNATURE_INVALID", "/checkpoint", format!("the signature of {key} does not fit the text of the checkpoint"), json!({ "key": key }));
        } else {
            self.result.trusted = Some(Trusted { origin: checkpoint.origin.clone(), size: checkpoint.size, root: hex(&checkpoint.root) });
            return self.check_witnesses(&checkpoint).then_some(checkpoint);
        }
        None
    }

    fn check_witnesses(&mut self, checkpoint: &Checkpoint) -> bool {
        let mut is_fine = true;
        let mut seen = Vec::new();
        for key in std::mem::take(&mut self.witnesses) {
            if seen.contains(&key.text) {
                continue;
            }
            seen.push(key.text.clone());
            match checkpoint.judge_witness(&key) {
                Some((time, true)) => self.result.witnesses.push((key.name.clone(), time)),
                Some((_, false)) => {
                    is_fine = false;
                    let pointer = format!("/cosignature/{}", key.name.replace('/', "~1"));
                    self.add("LEDGER_SIGNATURE_INVALID", &pointer, format!("the cosignature of {} does not fit this checkpoint", key.name), json!({"key": key.id_text()}));
                }
                None => {}
            }
        }
        is_fine
    }

    fn check_inclusion(&mut self, proof: &Proof, checkpoint: &Checkpoint) -> Option<Hash> {
        let Some(entry) = &proof.entry else {
            self.add("RECEIPT_ENTRY_MISSING", "", "the receipt does not carry its entry", Value::Null);
            return None;
        };
        let leaf: Hash = Sha256::new().chain_update([0]).chain_update(entry).finalize().into();
        if proof_holds(proof.index, checkpoint.size, leaf, &proof.hashes, &checkpoint.root) {
            return Some(leaf);
        }
        let message = format!("the proof does not show the entry as number {} of {}", proof.index, checkpoint.size);
        self.add("RECEIPT_PROOF_INVALID", "", message, json!({"index": proof.index, "size": checkpoint.size}));
        None
    }

    fn check_entry(&mut self, proof: &Proof, checkpoint: &Checkpoint, leaf: &Hash) {
        let text = proof.entry.clone().unwrap_or_default();
        let entry = match entry::judge(&text) {
            entry::Judged::Broken(rule, why) => {
                return self.add("LEDGER_ENTRY_INVALID", "/entry", format!("the entry breaks rule {rule}: {why}"), json!({ "rule": rule }));
            }
            entry::Judged::Newer(version) => {
                self.add("LEDGER_ENTRY_VERSION", "/entry", format!("the entry is of format {version}; this crate knows 1"), json!({ "v": version }));
                None
            }
            entry::Judged::Fine(entry) => {
                let seq = entry.get("seq").and_then(Json::integer).unwrap_or(-1);
                if i64::try_from(proof.index) != Ok(seq) {
                    let message = format!("the entry at {} says that it is number {seq}", proof.index);
                    return self.add("LEDGER_SEQ_MISMATCH", "/entry", message, json!({"expected": proof.index, "actual": seq}));
                }
                Some(entry)
            }
        };
        self.check_verdict(entry.as_ref());
        let document = self.check_document(entry.as_ref());
        let reference = format!("{}#{}", checkpoint.origin, proof.index);
        self.result.proven = Some(Proven { index: proof.index, leaf_hash: hex(leaf), reference, entry: text, document });
        let required = self.options.require_witness.unwrap_or(usize::from(!self.options.witness_keys.is_empty()));
        let found = self.result.witnesses.len();
        if found < required {
            let message = format!("{required} cosignatures of known witnesses are required, {found} found");
            self.add("LEDGER_WITNESS_MISSING", "/checkpoint", message, json!({"required": required, "found": found}));
        }
    }

    /// Refuse a proof of a refusal, and one whose verdict cannot be read.
    fn check_verdict(&mut self, entry: Option<&Json>) {
        let verdict = entry.and_then(|entry| entry.get("verdict")).map_or("", Json::text);
        if self.options.any_verdict || verdict == "accepted" || verdict == "recorded" {
            return;
        }
        let codes: Vec<&str> = entry.and_then(|entry| entry.get("codes")).map_or(&[][..], Json::items).iter().map(Json::text).collect();
        let message = if entry.is_some() { "it proves that the document was refused" } else { "the verdict of this entry cannot be read" };
        self.add("RECEIPT_VERDICT", "/entry/verdict", message, json!({ "codes": codes }));
    }

    fn check_document(&mut self, entry: Option<&Json>) -> &'static str {
        let Some(document) = self.options.document else {
            return "not_given";
        };
        let actual = hex(&Sha256::digest(document));
        let recorded = entry.and_then(|entry| entry.get("document"));
        let expected = recorded.and_then(|recorded| recorded.get("sha256")).map(Json::text);
        let size = recorded.and_then(|recorded| recorded.get("size")).and_then(Json::integer);
        let is_whole = recorded.is_some_and(|recorded| recorded.get("truncated").is_none());
        if expected == Some(actual.as_str()) && size == i64::try_from(document.len()).ok() && is_whole {
            return "matched";
        }
        let params = json!({"expected": expected, "actual": actual});
        self.add("RECEIPT_DOCUMENT_MISMATCH", "/entry/document", "the document that was given is not the one that was recorded", params);
        "mismatched"
    }
}
