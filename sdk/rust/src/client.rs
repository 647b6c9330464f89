// SPDX-License-Identifier: Apache-2.0
//! Connections, retries, and what an answer means.

use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{json, Value};
use sha2::{Digest, Sha256};

use crate::call::{Call, Operation, Options, Request};
use crate::error::{Error, Outcome, Problem, Result};
use crate::operations::{self, VERSION};
use crate::target::{self, Target};

const ANSWER_BYTES_MAX: u64 = 1 << 30;
const UNVERSIONED: [&str; 6] = ["version", "healthz", "readyz", "metrics", "openapi", "problem"];
const LATER: [u16; 6] = [408, 429, 500, 502, 503, 504];

/// The judgement of one or more documents. Read `accepted()`.
#[derive(Clone, Debug)]
pub struct Report {
    /// The whole answer.
    pub value: Value,
}

impl Report {
    pub fn documents(&self) -> &[Value] {
        self.value["documents"].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn accepted(&self) -> bool {
        let documents = self.documents();
        !documents.is_empty() && documents.iter().all(|document| matches!(document["verdict"].as_str(), Some("accepted" | "recorded")))
    }

    pub fn findings(&self) -> Vec<&Value> {
        self.documents().iter().flat_map(|document| document["findings"].as_array().into_iter().flatten()).collect()
    }

    /// The codes of all findings, sorted and without repeats.
    pub fn codes(&self) -> Vec<String> {
        let mut found: Vec<String> = self.findings().iter().filter_map(|finding| finding["code"].as_str().map(String::from)).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// What became of a handoff that was accepted.
#[derive(Clone, Debug)]
pub struct Submission {
    pub record: Value,
    pub receipt: Value,
    pub delivery: Value,
    pub report: Report,
}

/// A client of one server. Threads may share it.
pub struct Client {
    target: Target,
    token: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    agent: ureq::Agent,
    is_known: AtomicBool,
}

/// How a client is made.
pub struct Builder {
    url: String,
    token: Option<String>,
    timeout: Duration,
    retries: u32,
    insecure: bool,
}

impl Builder {
    /// Sent to this server only, over TLS or on this machine.
    pub fn token(mut self, token: &str) -> Builder {
        self.token = Some(token.into());
        self
    }

    /// Of a call with all its retries; default 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Builder {
        self.timeout = timeout;
        self
    }

    /// At most so many attempts after the first; default 3.
    pub fn retries(mut self, retries: u32) -> Builder {
        self.retries = retries;
        self
    }

    /// Allow the token over plain HTTP to another machine.
    pub fn insecure(mut self, insecure: bool) -> Builder {
        self.insecure = insecure;
        self
    }

    /// Make the client. It connects to nothing yet.
    pub fn build(self) -> Result<Client> {
        if self.timeout.is_zero() || self.retries > 100 {
            return Err(Error::Invalid("timeout is not 0, and retries are at most 100".into()));
        }
        let target = target::parse(&self.url, self.token.as_deref(), self.insecure)?;
        let agent = ureq::AgentBuilder::new().redirects(0).try_proxy_from_env(false).timeout_read(crate::flow::STREAM_SILENCE).build();
        Ok(Client { target, token: self.token, timeout: self.timeout, retries: self.retries, agent, is_known: AtomicBool::new(false) })
    }
}

pub(crate) struct Answer {
    pub status: u16,
    pub media: String,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

/// No answer came. `was_sent`: the server may have acted on the request.
pub(crate) struct Lost {
    pub reason: String,
    pub was_sent: bool,
}

/// An answer whose body is still to be read.
pub(crate) struct Opened {
    pub status: u16,
    pub media: String,
    pub retry_after: Option<String>,
    pub reader: Box<dyn Read + Send + Sync>,
}

impl Opened {
    pub fn read(self, was_sent: bool) -> std::result::Result<Answer, Lost> {
        let mut body = Vec::new();
        let read = self.reader.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut body);
        match read {
            Ok(_) if body.len() as u64 <= ANSWER_BYTES_MAX => Ok(Answer { status: self.status, media: self.media, retry_after: self.retry_after, body }),
            Ok(_) => Err(Lost { reason: "the answer is longer than 1 GiB".into(), was_sent }),
            Err(why) => Err(Lost { reason: why.to_string(), was_sent }),
        }
    }
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Bytes that no other call has: of the randomness of the standard library's hash maps, the clock and a counter.
fn random_bytes() -> [u8; 32] {
    use std::collections::hash_map::RandomState;
    use std::hash::{BuildHasher, Hasher};
    let mut digest = Sha256::new();
    for _ in 0..4 {
        digest.update(RandomState::new().build_hasher().finish().to_le_bytes());
    }
    digest.update(COUNTER.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    digest.update(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos()).to_le_bytes());
    digest.update(std::process::id().to_le_bytes());
    digest.finalize().into()
}

pub(crate) fn random_key() -> Result<String> {
    Ok(random_bytes()[..16].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The pause after an attempt, the first being 0: about 0.1, 0.4, 1.6 s and so on.
pub(crate) fn backoff(attempt: u32) -> Duration {
    let share = f64::from(u16::from_le_bytes([random_bytes()[0], random_bytes()[1]])) / f64::from(u16::MAX);
    Duration::from_secs_f64((0.1 * 4f64.powi(attempt.min(8) as i32)).min(30.0) * (0.5 + share))
}

/// The pause that a server names: seconds, or a date of HTTP.
fn read_retry_after(text: &str) -> Option<Duration> {
    let text = text.trim();
    if (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let words: Vec<&str> = text.split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = words[..] else {
        return None;
    };
    let number = |text: &str, max: u64| text.parse::<u64>().ok().filter(|number| *number <= max);
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year) = (number(day, 31)?, number(year, 9999).filter(|year| *year >= 1970)?);
    // Days since 0000-03-01, so that the day that not every year has is the last one.
    let shifted = if month > 2 { year } else { year - 1 };
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let seconds = (days - 719_468) * 86_400 + number(hour, 23)? * 3600 + number(minute, 59)? * 60 + number(second, 60)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Some(Duration::from_secs(seconds.saturating_sub(now)))
}

/// A document of a report says what became of it. What does not is never an acceptance.
fn is_document(document: &Value) -> bool {
    let has_text = |value: &Value, names: &[&str]| names.iter().all(|name| value[*name].is_string());
    matches!(document["verdict"].as_str(), Some("accepted" | "rejected" | "recorded"))
        && document["findings"].as_array().is_some_and(|findings| findings.iter().all(|finding| has_text(finding, &["code", "severity", "pointer", "message"])))
}

fn is_report(value: &Value) -> bool {
    value["documents"].as_array().is_some_and(|documents| !documents.is_empty() && documents.iter().all(is_document))
}

fn parse_json(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

fn problem_of(answer: &Answer) -> Option<Problem> {
    if answer.media != "application/problem+json" && answer.media != "application/json" {
        return None;
    }
    let value = parse_json(&answer.body)?;
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
    let code = value["code"].as_str()?.to_string();
    Some(Problem { code, status: answer.status, detail: text("detail"), findings: value["findings"].as_array().cloned().unwrap_or_default(), value })
}

/// The error for an answer that asks to come again.
fn later(answer: &Answer, problem: Option<Problem>, outcome: Outcome) -> Error {
    let reason = match &problem {
        Some(problem) => format!("{}: {}", problem.code, problem.detail),
        None => format!("the server answered with {}", answer.status),
    };
    Error::Unavailable { reason, outcome, problem: problem.map(Box::new) }
}

fn refusal(request: &Request, problem: Problem) -> Error {
    let record = problem.value["record"].clone();
    let count = |level: &str| problem.findings.iter().filter(|finding| finding["severity"] == level).count();
    let value = json!({"baton": 1,
        "documents": [{"path": request.shown_path, "dialect": request.dialect, "verdict": "rejected", "findings": problem.findings, "facts": {}, "record": record}],
        "summary": {"documents": 1, "accepted": 0, "rejected": 1, "hard": count("HARD"), "warn": count("WARN"), "info": count("INFO")}});
    Error::Rejected { report: Box::new(Report { value }), record }
}

pub(crate) fn doubt(operation: &Operation) -> Outcome {
    if operation.records {
        Outcome::Unknown
    } else {
        Outcome::None
    }
}

/// The error that an answer other than a success means.
pub(crate) fn check_status(request: &Request, answer: &Answer) -> Result<()> {
    match answer.status {
        200..=299 => return Ok(()),
        300..=399 => {
            let outcome = if answer.status == 303 { doubt(request.operation) } else { Outcome::None };
            let reason = format!("the server answered with {}, a redirect, which is never followed: give the URL of the server itself", answer.status);
            return Err(Error::unavailable(reason, outcome));
        }
        _ => {}
    }
    match problem_of(answer) {
        Some(problem) if request.operation.submits && problem.value["record"].is_object() => Err(refusal(request, problem)),
        Some(problem) if !LATER.contains(&answer.status) => Err(Error::Problem(Box::new(problem))),
        problem => {
            let outcome = match problem.as_ref().and_then(|problem| problem.value["outcome"].as_str()) {
                Some("none") => Outcome::None,
                Some("unknown") => Outcome::Unknown,
                _ if answer.status == 408 || answer.status == 429 => Outcome::None,
                _ => doubt(request.operation),
            };
            Err(later(answer, problem, outcome))
        }
    }
}

/// A server that does not tell this principal its version is taken at its word.
fn check_version(request: &Request, answer: &Answer) -> Result<()> {
    if answer.status == 403 {
        return Ok(());
    }
    if answer.status != 200 && (answer.status < 400 || LATER.contains(&answer.status) || problem_of(answer).is_some()) {
        check_status(request, answer)?;
    }
    let value = parse_json(&answer.body).filter(|value| answer.status == 200 && value["baton"] == 1);
    let Some(version) = value.as_ref().and_then(|value| value["version"].as_str()) else {
        return Err(Error::Incompatible("the server does not tell a version of Baton; is this its URL?".into()));
    };
    if version.split('.').next() != VERSION.split('.').next() {
        return Err(Error::Incompatible(format!("the server has version {version}, this client {VERSION}: the major versions differ")));
    }
    Ok(())
}

impl Client {
    /// A client of the server at a URL: `http:`, `https:`, or `unix:` and the path of a socket.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(url: &str) -> Builder {
        Builder { url: url.into(), token: None, timeout: Duration::from_secs(30), retries: 3, insecure: false }
    }

    /// Send a request once and read the head of its answer. Without `left` only silence ends the reading of the body.
    pub(crate) fn open(&self, request: &Request, left: Option<Duration>) -> std::result::Result<Opened, Lost> {
        if let Some(socket) = &self.target.socket {
            return crate::unix::open(socket, request, self.token.as_deref(), left);
        }
        let mut made = self.agent.request(request.operation.method, &format!("{}{}", self.target.base, request.path));
        if let Some(left) = left {
            made = made.timeout(left);
        }
        made = made.set("User-Agent", &format!("baton-rust/{VERSION}"));
        for (name, value) in &request.headers {
            made = made.set(name, value);
        }
        if let Some(token) = &self.token {
            made = made.set("Authorization", &format!("Bearer {token}"));
        }
        let answered = match &request.body {
            Some(body) => made.send_bytes(body),
            None => made.call(),
        };
        match answered {
            Ok(response) | Err(ureq::Error::Status(_, response)) => Ok(Opened {
                status: response.status(),
                media: response.content_type().to_ascii_lowercase(),
                retry_after: response.header("Retry-After").map(String::from),
                reader: Box::new(response.into_reader()),
            }),
            Err(ureq::Error::Transport(why)) => {
                let was_sent = !matches!(why.kind(), ureq::ErrorKind::Dns | ureq::ErrorKind::ConnectionFailed);
                Err(Lost { reason: why.to_string(), was_sent })
            }
        }
    }

    /// Send a request until there is an answer that decides, as often as the rules allow.
    fn exchange(&self, request: &Request, deadline: Instant) -> Result<Answer> {
        let mut in_doubt = false; // an earlier attempt may have been recorded
        let mut attempt = 0;
        loop {
            let mut pause = backoff(attempt);
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let found = self.open(request, Some(left)).and_then(|opened| opened.read(true));
            let failure = match found {
                Err(lost) => {
                    in_doubt = in_doubt || (lost.was_sent && request.operation.records);
                    Error::unavailable(format!("no answer of the server: {}", lost.reason), if in_doubt { Outcome::Unknown } else { Outcome::None })
                }
                Ok(answer) if answer.status != 429 && answer.status != 503 => return Ok(answer),
                Ok(answer) => {
                    let problem = problem_of(&answer);
                    let value = problem.as_ref().map_or(Value::Null, |problem| problem.value.clone());
                    in_doubt = in_doubt || value["outcome"] == "unknown";
                    if value["record"].is_object() && !in_doubt && attempt == self.retries {
                        return Ok(answer); // it was judged and refused, and that was recorded
                    }
                    pause = answer.retry_after.as_deref().and_then(read_retry_after).unwrap_or(pause);
                    later(&answer, problem, if in_doubt { Outcome::Unknown } else { Outcome::None })
                }
            };
            if !request.may_repeat() || attempt == self.retries || Instant::now() + pause >= deadline {
                return Err(failure);
            }
            std::thread::sleep(pause);
            attempt += 1;
        }
    }

    /// Ask for the server's version before the first request.
    pub(crate) fn check_server(&self, deadline: Instant) -> Result<()> {
        if !self.is_known.load(Ordering::Acquire) {
            let request = Call::new(&operations::VERSION_OPERATION, &Options::new()).prepare()?;
            check_version(&request, &self.exchange(&request, deadline)?)?;
            self.is_known.store(true, Ordering::Release);
        }
        Ok(())
    }

    pub(crate) fn run_for(&self, call: &Call, extra: Duration) -> Result<(Request, Answer)> {
        let deadline = Instant::now() + self.timeout + extra;
        let request = call.prepare()?;
        if !UNVERSIONED.contains(&request.operation.id) {
            self.check_server(deadline)?;
        }
        let answer = self.exchange(&request, deadline)?;
        check_status(&request, &answer)?;
        Ok((request, answer))
    }

    pub(crate) fn run_bytes(&self, call: Call) -> Result<Vec<u8>> {
        Ok(self.run_for(&call, Duration::ZERO)?.1.body)
    }

    pub(crate) fn value_of(request: &Request, answer: &Answer) -> Result<Value> {
        if answer.media != "application/json" && answer.media != "application/schema+json" {
            return Err(Error::unavailable(format!("the answer is {:?}, not JSON", answer.media), doubt(request.operation)));
        }
        parse_json(&answer.body).filter(Value::is_object).ok_or_else(|| Error::unavailable("the answer is not an object of JSON", doubt(request.operation)))
    }

    pub(crate) fn run_value(&self, call: Call) -> Result<Value> {
        let (request, answer) = self.run_for(&call, Duration::ZERO)?;
        Client::value_of(&request, &answer)
    }

    pub(crate) fn run_report(&self, call: Call) -> Result<Report> {
        let operation = call.operation;
        let value = self.run_value(call)?;
        if !is_report(&value) {
            return Err(Error::unavailable("the answer is not a report", doubt(operation)));
        }
        Ok(Report { value })
    }

    pub(crate) fn run_submission(&self, call: Call) -> Result<Submission> {
        let (request, answer) = self.run_for(&call, Duration::ZERO)?;
        let value = Client::value_of(&request, &answer)?;
        let has_report = is_report(&value);
        let record = value["documents"][0]["record"].clone();
        let report = Report { value: value.clone() };
        if has_report && !report.accepted() {
            return Err(Error::Rejected { report: Box::new(report), record });
        }
        // A handoff has a record (201); a message that was handed to the pump (202) has none yet.
        let is_handed_over = answer.status == 202 && !has_report && value["baton"] == 1;
        if !is_handed_over && !(has_report && record.is_object()) {
            return Err(Error::unavailable("the answer does not say what was recorded", Outcome::Unknown));
        }
        Ok(Submission { record, receipt: value["receipt"].clone(), delivery: value["delivery"].clone(), report })
    }
}
