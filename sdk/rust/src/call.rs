// SPDX-License-Identifier: Apache-2.0
//! One use of an operation, and the request that every attempt of it sends.

use std::fmt::Display;

use serde_json::{json, Map, Value};

use crate::error::{Error, Result};

const ENVELOPE: &str = "application/vnd.baton.request+json";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    Document,
    Bytes,
    Json,
    Members,
}

/// One row of the table of operations.
#[derive(Debug)]
pub(crate) struct Operation {
    pub id: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub body: Body,
    pub media: &'static str,
    pub accept: &'static str,
    /// It takes an Idempotency-Key.
    pub keyed: bool,
    /// The server may keep something.
    pub records: bool,
    pub submits: bool,
}

/// What an operation may be given besides: its options by name, a key, and members of its body.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) query: Vec<(String, String)>,
    pub(crate) members: Map<String, Value>,
    pub(crate) key: Option<String>,
    pub(crate) accept: Option<String>,
}

impl Options {
    pub fn new() -> Options {
        Options::default()
    }

    /// An option of the query, such as `as`, `budget` or `limit`.
    pub fn set(mut self, name: &str, value: impl Display) -> Options {
        self.query.push((name.into(), value.to_string()));
        self
    }

    /// A member of the body, such as `ttl` or `reason`; with a document, `input` or `answer`.
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Options {
        self.members.insert(name.into(), value.into());
        self
    }

    /// The key of the call and of all its retries. Without one, a random one is made.
    pub fn key(mut self, key: &str) -> Options {
        self.key = Some(key.into());
        self
    }

    /// The media type of the answer.
    pub fn accept(mut self, media: &str) -> Options {
        self.accept = Some(media.into());
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub operation: &'static Operation,
    path: String,
    body: Vec<u8>,
    pub options: Options,
}

/// What every attempt of one call sends.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub operation: &'static Operation,
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Vec<u8>>,
    pub shown_path: String,
    pub dialect: String,
}

impl Request {
    pub fn may_repeat(&self) -> bool {
        self.operation.method == "GET" || self.operation.keyed
    }
}

/// Percent-encode everything but unreserved characters.
fn encode(text: &str, kept: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.as_bytes().contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn key_is_valid(key: &str) -> bool {
    (1..=128).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
}

impl Call {
    pub fn new(operation: &'static Operation, options: &Options) -> Call {
        Call { operation, path: operation.path.into(), body: Vec::new(), options: options.clone() }
    }

    /// Only the path of a tile has slashes.
    pub fn set_path(&mut self, name: &str, value: impl Display) {
        let kept = if self.operation.id == "tlogTile" { "/" } else { "" };
        self.path = self.path.replacen(&format!("{{{name}}}"), &encode(&value.to_string(), kept), 1);
    }

    pub fn set_body(&mut self, body: &[u8]) {
        self.body = body.to_vec();
    }

    pub fn set_member(&mut self, name: &str, value: Value) {
        self.options.members.insert(name.into(), value);
    }

    /// The document with its options as an envelope, which can carry an input or an answer.
    fn envelope(&self) -> Vec<u8> {
        let (mut document, mut options) = (Map::new(), Map::new());
        for (name, value) in &self.options.query {
            let place = if name == "path" || name == "as" { &mut document } else { &mut options };
            place.insert(name.clone(), json!(value));
        }
        match std::str::from_utf8(&self.body) {
            Ok(text) => document.insert("text".into(), json!(text)),
            Err(_) => document.insert("base64".into(), json!(crate::receipt::encode_base64(&self.body))),
        };
        let mut made = self.options.members.clone();
        made.insert("documents".into(), json!([document]));
        made.insert("options".into(), Value::Object(options));
        Value::Object(made).to_string().into_bytes()
    }

    fn option(&self, wanted: &str) -> Option<String> {
        self.options.query.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
    }

    pub fn prepare(&self) -> Result<Request> {
        let operation = self.operation;
        let mut headers = vec![("Accept", self.options.accept.clone().unwrap_or_else(|| operation.accept.into()))];
        let wrapped = operation.body == Body::Document && !self.options.members.is_empty();
        let body = match operation.body {
            Body::None if operation.method == "GET" || operation.method == "DELETE" => None,
            Body::None => Some(Vec::new()),
            Body::Members => Some(Value::Object(self.options.members.clone()).to_string().into_bytes()),
            _ if wrapped => Some(self.envelope()),
            _ => Some(self.body.clone()),
        };
        if operation.body != Body::None {
            headers.push(("Content-Type", if wrapped { ENVELOPE.into() } else { operation.media.into() }));
        }
        if operation.keyed {
            let key = match &self.options.key {
                Some(key) if !key_is_valid(key) => {
                    return Err(Error::Invalid("a key has 1 to 128 letters, digits and characters of . _ : -".into()));
                }
                Some(key) => key.clone(),
                None => crate::client::random_key()?,
            };
            headers.push(("Idempotency-Key", key));
        }
        let query: Vec<String> = self.options.query.iter().map(|(name, value)| format!("{}={}", encode(name, ""), encode(value, ""))).collect();
        let path = if query.is_empty() || wrapped { self.path.clone() } else { format!("{}?{}", self.path, query.join("&")) };
        Ok(Request {
            operation,
            path,
            headers,
            body,
            shown_path: self.option("path").unwrap_or_else(|| "document".into()),
            dialect: self.option("as").unwrap_or_default(),
        })
    }
}
