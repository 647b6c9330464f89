// SPDX-License-Identifier: Apache-2.0
//! Keys and checkpoints: C2SP signed notes, read strictly.

use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use sha2::{Digest, Sha256};

use super::{decode_base64, hash_from, hex, parse_size, Hash};

const NOTE_BYTES_MAX: usize = 64 << 10;
const LINES_MAX: usize = 64;
const DASH: &str = "\u{2014} ";
pub(super) const KEY_LOG: u8 = 1;
pub(super) const KEY_WITNESS: u8 = 4;

/// The points of small order, without the sign bit: for them anyone can sign anything.
const SMALL_POINTS: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// A vkey: it verifies what a log or a witness signed.
pub(super) struct Key {
    pub text: String,
    pub name: String,
    id: [u8; 4],
    public: Option<VerifyingKey>,
}

fn name_is_valid(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
    let bytes = name.as_bytes();
    (1..=200).contains(&bytes.len())
        && is_plain(bytes[0])
        && is_plain(bytes[bytes.len() - 1])
        && bytes.iter().all(|byte| is_plain(*byte) || b"._/-".contains(byte))
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// True for points of small order, and for numbers that are not below 2^255 - 19 and so have another encoding.
fn is_weak(public: &[u8]) -> bool {
    let mut point = public.to_vec();
    point[31] &= 0x7f;
    let is_large = point[0] >= 0xed && point[31] == 0x7f && point[1..31].iter().all(|byte| *byte == 0xff);
    is_large || SMALL_POINTS.contains(&hex(&point).as_str())
}

impl Key {
    pub fn parse(text: &str, kind: u8) -> Result<Key, String> {
        let wrong = || String::from("a vkey is written NAME+ID+BASE64");
        let (name, rest) = text.split_once('+').ok_or_else(wrong)?;
        let (id, encoded) = rest.split_once('+').ok_or_else(wrong)?;
        let data = decode_base64(encoded).filter(|data| data.len() == 33).ok_or_else(wrong)?;
        if !name_is_valid(name) || id.len() != 8 {
            return Err(wrong());
        }
        if data[0] != kind {
            return Err(format!("the vkey is of type {}, not {kind}", data[0]));
        }
        let digest = Sha256::new().chain_update(name).chain_update(b"\n").chain_update(&data).finalize();
        if hex(&digest[..4]) != id {
            return Err(format!("the id of the vkey should be {}: a part of it was changed", hex(&digest[..4])));
        }
        if is_weak(&data[1..]) {
            return Err("the vkey is one for which anyone can sign anything".into());
        }
        let public = hash_from(&data[1..]).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        Ok(Key { text: text.into(), name: name.into(), id: [digest[0], digest[1], digest[2], digest[3]], public })
    }

    pub fn id_text(&self) -> String {
        format!("{}+{}", self.name, hex(&self.id))
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        match (&self.public, Signature::from_slice(signature)) {
            (Some(public), Ok(signature)) => public.verify(message, &signature).is_ok(),
            _ => false,
        }
    }
}

pub(super) struct Line {
    pub name: String,
    pub id: [u8; 4],
    data: Vec<u8>,
}

pub(super) struct Checkpoint {
    text: String,
    pub origin: String,
    pub size: u64,
    pub root: Hash,
    pub lines: Vec<Line>,
}

fn read_line(line: &str) -> Result<Line, &'static str> {
    let rest = line.strip_prefix(DASH).ok_or("a signature line begins with a dash (U+2014) and a space")?;
    let (name, encoded) = rest.split_once(' ').unwrap_or((rest, ""));
    if name.is_empty() || name.contains(|letter: char| letter == '+' || letter.is_whitespace()) {
        return Err("a signature line has no key name");
    }
    let data = decode_base64(encoded).filter(|data| data.len() > 4).ok_or("a signature is not the base64 of a key id and a signature")?;
    Ok(Line { name: name.into(), id: [data[0], data[1], data[2], data[3]], data: data[4..].to_vec() })
}

impl Checkpoint {
    pub fn read(bytes: &[u8]) -> Result<Checkpoint, &'static str> {
        if bytes.len() > NOTE_BYTES_MAX {
            return Err("it is longer than 64 KiB");
        }
        let note = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
        if note.chars().any(|letter| letter.is_control() && letter != '\n') {
            return Err("it holds a control character; lines end with a line feed alone");
        }
        let split = note.rfind("\n\n").ok_or("there is no empty line before the signatures")?;
        if !note.ends_with('\n') {
            return Err("it does not end with a line feed");
        }
        let (text, signatures) = (&note[..=split], &note[split + 2..]);
        let lines: Vec<&str> = text[..split].split('\n').collect();
        let line = |index: usize| lines.get(index).copied().unwrap_or("");
        if line(0).is_empty() {
            return Err("the first line, the origin, is empty");
        }
        let size = parse_size(line(1)).ok_or("the second line is not a size in decimal")?;
        let root = decode_base64(line(2)).and_then(|root| hash_from(&root)).ok_or("the third line is not the base64 of a root of 32 bytes")?;
        if lines.iter().skip(3).any(|line| line.is_empty()) {
            return Err("an extension line is empty");
        }
        if signatures.is_empty() {
            return Err("there is no signature line");
        }
        let mut found = Vec::new();
        for line in signatures[..signatures.len() - 1].split('\n') {
            if found.len() == LINES_MAX {
                return Err("there are more than 64 signature lines");
            }
            found.push(read_line(line)?);
        }
        Ok(Checkpoint { text: text.into(), origin: line(0).into(), size, root, lines: found })
    }

    fn lines_of<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(|line| line.name == key.name && line.id == key.id)
    }

    /// Whether a key signed, and whether all its signatures fit.
    pub fn judge_log(&self, key: &Key) -> (bool, bool) {
        (self.lines_of(key).next().is_some(), self.lines_of(key).all(|line| line.data.len() == 64 && key.verify(self.text.as_bytes(), &line.data)))
    }

    /// When a witness cosigned first, and whether all its cosignatures fit.
    pub fn judge_witness(&self, key: &Key) -> Option<(u64, bool)> {
        let mut found = None;
        for line in self.lines_of(key) {
            let (mut time, mut is_valid) = (0, false);
            if line.data.len() == 72 {
                time = line.data[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
                is_valid = key.verify(format!("cosignature/v1\ntime {time}\n{}", self.text).as_bytes(), &line.data[8..]);
            }
            found = match found {
                None => Some((time, is_valid)),
                Some((first, fits)) => Some((first, fits && is_valid)),
            };
        }
        found
    }
}
