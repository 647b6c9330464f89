// SPDX-License-Identifier: Apache-2.0
//! What is more than one request: inboxes and streams.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use sha2::{Digest, Sha256};

use crate::call::{Call, Options, Request};
use crate::client::{backoff, check_status, Client, Lost, Submission};
use crate::error::{Error, Outcome, Result};
use crate::operations;

/// A server sends a comment every 15 s.
pub(crate) const STREAM_SILENCE: Duration = Duration::from_secs(60);
const EVENT_BYTES_MAX: usize = 4 << 20;
const EMPTY_PAUSE: Duration = Duration::from_secs(1);

/// A handoff that was taken from an inbox, under a lease. What is neither acknowledged nor refused is
/// delivered again.
pub struct Delivery<'a> {
    client: &'a Client,
    agent: String,
    item: Value,
    pub document: Vec<u8>,
}

impl Delivery<'_> {
    pub fn seq(&self) -> u64 {
        self.item["seq"].as_u64().unwrap_or_default()
    }

    pub fn attempt(&self) -> u64 {
        self.item["attempt"].as_u64().unwrap_or_default()
    }

    /// `ref`, `source`, `trace_id` or `lease_until`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.item[name].as_str()
    }

    fn finish(&self, outcome: &str) -> Result<String> {
        let items = json!([{"message": self.item["message"], "lease": self.item["lease"], "outcome": outcome}]);
        let answer = self.client.finish_handoffs(&self.agent, &items, &Options::new())?;
        let result = answer["items"][0]["result"].as_str();
        result.map(String::from).ok_or_else(|| Error::unavailable("the answer does not say what became of the item", Outcome::Unknown))
    }

    /// Say that it was handled. `ok`, or `lease_lost` when it was delivered to somebody else meanwhile, or `unknown`.
    pub fn ack(&self) -> Result<String> {
        self.finish("delivered")
    }

    /// Say that it was not handled; it is delivered again.
    pub fn nack(&self) -> Result<String> {
        self.finish("failed")
    }

    /// Run a function and acknowledge the delivery, or refuse it when the function gives an error.
    pub fn handle<T, E>(&self, work: impl FnOnce(&Self) -> std::result::Result<T, E>) -> Result<std::result::Result<T, E>> {
        let done = work(self);
        match done {
            Ok(_) => self.ack()?,
            Err(_) => self.nack().unwrap_or_default(), // if that fails, the lease runs out
        };
        Ok(done)
    }
}

/// How much is taken at once, for how long, and how long a take waits.
#[derive(Clone, Copy, Debug)]
pub struct InboxOptions {
    pub max: u64,
    pub lease_s: u64,
    pub wait_s: u64,
}

impl Default for InboxOptions {
    fn default() -> InboxOptions {
        InboxOptions { max: 10, lease_s: 60, wait_s: 30 }
    }
}

/// What is for an agent, without end.
pub struct Inbox<'a> {
    client: &'a Client,
    agent: String,
    options: InboxOptions,
    taken: VecDeque<Value>,
    begun: Instant,
    is_over: bool,
}

fn document_of(item: &Value) -> Result<Vec<u8>> {
    let document = match (item["text"].as_str(), item["base64"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (_, Some(text)) => crate::receipt::decode_base64(text).unwrap_or_default(),
        _ => Vec::new(),
    };
    let digest: String = Sha256::digest(&document).iter().map(|byte| format!("{byte:02x}")).collect();
    if item["sha256"] != digest {
        return Err(Error::unavailable(format!("the bytes of {} are not those that were recorded", item["ref"]), Outcome::None));
    }
    Ok(document)
}

impl<'a> Inbox<'a> {
    fn take(&mut self) -> Result<()> {
        let options = Options::new().member("max", self.options.max).member("lease_s", self.options.lease_s).member("wait_s", self.options.wait_s);
        let mut call = Call::new(&operations::TAKE_HANDOFFS, &options);
        call.set_path("agent", &self.agent);
        self.begun = Instant::now();
        let (request, answer) = self.client.run_for(&call, Duration::from_secs(self.options.wait_s))?;
        let value = Client::value_of(&request, &answer)?;
        self.taken = value["items"].as_array().cloned().ok_or_else(|| Error::unavailable("the answer has no items", Outcome::None))?.into();
        if self.taken.is_empty() {
            std::thread::sleep(EMPTY_PAUSE.saturating_sub(self.begun.elapsed()));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Delivery<'a>>> {
        let Some(item) = self.taken.pop_front() else {
            self.take()?;
            return Ok(None);
        };
        if self.begun.elapsed() >= Duration::from_secs(self.options.lease_s) {
            return Ok(None); // another one may have it by now
        }
        let document = document_of(&item)?;
        Ok(Some(Delivery { client: self.client, agent: self.agent.clone(), item, document }))
    }
}

impl<'a> Iterator for Inbox<'a> {
    type Item = Result<Delivery<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match self.step() {
                Ok(None) => {}
                Ok(Some(delivery)) => return Some(Ok(delivery)),
                Err(why) => {
                    self.is_over = true;
                    return Some(Err(why));
                }
            }
        }
        None
    }
}

/// One event of a stream.
#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: Value,
}

/// The events of a stream. After a lost connection it goes on where it was.
pub struct Events<'a> {
    client: &'a Client,
    call: Call,
    last: Option<u64>,
    failures: u32,
    reader: Option<BufReader<Box<dyn Read + Send + Sync>>>,
    is_over: bool,
}

impl<'a> Events<'a> {
    pub(crate) fn new(client: &'a Client, mut call: Call, after: Option<u64>) -> Result<Events<'a>> {
        let named = call.options.query.iter().position(|(name, _)| name == "after");
        let given = named.map(|place| call.options.query.remove(place).1);
        client.check_server(Instant::now() + client.timeout)?;
        let last = after.or_else(|| given.and_then(|text| text.parse().ok()));
        Ok(Events { client, call, last, failures: 0, reader: None, is_over: false })
    }

    fn open(&mut self) -> Result<std::result::Result<(), Lost>> {
        let mut request: Request = self.call.prepare()?;
        if let Some(last) = self.last {
            request.headers.push(("Last-Event-ID", last.to_string()));
        }
        let opened = match self.client.open(&request, None) {
            Ok(opened) => opened,
            Err(lost) => return Ok(Err(lost)),
        };
        match opened.status {
            200 => {
                self.failures = 0;
                self.reader = Some(BufReader::new(opened.reader));
                Ok(Ok(()))
            }
            429 | 503 => Ok(Err(Lost { reason: format!("the server answered with {}", opened.status), was_sent: false })),
            _ => match opened.read(false) {
                Ok(answer) => check_status(&request, &answer).map(|()| Err(Lost { reason: "there is no stream".into(), was_sent: false })),
                Err(lost) => Ok(Err(lost)),
            },
        }
    }

    /// Read one event with data.
    fn read_event(&mut self) -> std::result::Result<Event, Lost> {
        let lost = |reason: &str| Lost { reason: reason.into(), was_sent: false };
        let (mut name, mut id, mut data, mut size) = (String::from("message"), None, Vec::new(), 0);
        loop {
            let reader = self.reader.as_mut().ok_or_else(|| lost("there is no stream"))?;
            let mut line = String::new();
            let count = reader.take(EVENT_BYTES_MAX as u64).read_line(&mut line).map_err(|why| lost(&why.to_string()))?;
            size += count;
            if count == 0 || !line.ends_with('\n') || size > EVENT_BYTES_MAX {
                return Err(lost("the stream ended"));
            }
            let line = line.trim_end_matches(['\r', '\n']);
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() && !data.is_empty() => {
                    // Null stands for what cannot be read, and is not passed over.
                    let data = serde_json::from_str(&data.join("\n")).unwrap_or_default();
                    return Ok(Event { name, id, data });
                }
                "" if line.is_empty() => size = 0,
                "event" => name = value.into(),
                "id" => id = Some(value.to_string()),
                "data" => data.push(value.to_string()),
                _ => {}
            }
        }
    }

    /// True when an event was not given yet; then it is remembered.
    fn is_new(&mut self, event: &Event) -> bool {
        match event.id.as_ref().and_then(|id| id.parse::<u64>().ok()) {
            Some(number) if self.last.is_some_and(|last| number <= last) => false,
            Some(number) => {
                self.last = Some(number);
                true
            }
            None => true,
        }
    }

    fn step(&mut self) -> Result<Option<Event>> {
        let found = match self.reader {
            Some(_) => self.read_event().map(Some),
            None => self.open()?.map(|()| None),
        };
        match found {
            Ok(Some(event)) if event.name == "lagged" => Ok(None),
            Ok(Some(event)) if !event.data.is_object() => Err(Error::unavailable("an event of the stream is not an object of JSON", Outcome::None)),
            Ok(Some(event)) if self.is_new(&event) => Ok(Some(event)),
            Ok(_) => Ok(None),
            Err(lost) => {
                self.reader = None;
                self.failures += 1;
                if self.failures > self.client.retries + 1 {
                    return Err(Error::unavailable(format!("the stream cannot be taken up again: {}", lost.reason), Outcome::None));
                }
                std::thread::sleep(backoff(self.failures - 1));
                Ok(None)
            }
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match self.step() {
                Ok(None) => {}
                Ok(Some(event)) => return Some(Ok(event)),
                Err(why) => {
                    self.is_over = true;
                    return Some(Err(why));
                }
            }
        }
        None
    }
}

/// Entries of the ledger as they are committed.
pub struct Feed<'a> {
    client: &'a Client,
    filters: Options,
    last: Option<u64>,
    is_ready: bool,
    first: VecDeque<Value>,
    events: Option<Events<'a>>,
    is_over: bool,
}

impl<'a> Feed<'a> {
    /// The first entries of a ledger that was empty at the beginning, which has no entry to go on after.
    fn read_first(&mut self) -> Result<()> {
        let page = self.client.list_handoffs(&self.filters.clone().set("order", "asc").set("limit", 500))?;
        self.first = page["entries"].as_array().cloned().unwrap_or_default().into();
        let size = page["size"].as_u64().unwrap_or_default();
        self.last = self.first.back().and_then(|entry| entry["seq"].as_u64()).or(size.checked_sub(1));
        if self.last.is_none() {
            std::thread::sleep(EMPTY_PAUSE);
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Value>> {
        if !self.is_ready {
            let page = self.client.list_handoffs(&Options::new().set("limit", 1))?;
            self.last = page["size"].as_u64().unwrap_or_default().checked_sub(1);
            self.is_ready = true;
        }
        if let Some(entry) = self.first.pop_front() {
            return Ok(Some(entry));
        }
        if self.last.is_none() {
            self.read_first()?;
            return Ok(None);
        }
        if self.events.is_none() {
            self.events = Some(Events::new(self.client, Call::new(&operations::STREAM_HANDOFFS, &self.filters), self.last)?);
        }
        match self.events.as_mut().and_then(Iterator::next) {
            Some(Ok(event)) => Ok(Some(event.data)),
            Some(Err(why)) => Err(why),
            None => Err(Error::unavailable("the stream is over", Outcome::None)),
        }
    }
}

impl Iterator for Feed<'_> {
    type Item = Result<Value>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            match self.step() {
                Ok(None) => {}
                Ok(Some(entry)) => return Some(Ok(entry)),
                Err(why) => {
                    self.is_over = true;
                    return Some(Err(why));
                }
            }
        }
        None
    }
}

impl Client {
    pub(crate) fn run_events(&self, call: Call) -> Result<Events<'_>> {
        Events::new(self, call, None)
    }

    /// Judge, record and deliver a handoff. `Rejected`: it was refused, which is recorded, too.
    pub fn submit(&self, document: &[u8], options: &Options) -> Result<Submission> {
        self.submit_handoff(document, options)
    }

    /// Take what is for an agent, without end.
    pub fn inbox(&self, agent: &str, options: InboxOptions) -> Inbox<'_> {
        Inbox { client: self, agent: agent.into(), options, taken: VecDeque::new(), begun: Instant::now(), is_over: false }
    }

    /// Entries of the ledger after the one with the number `after`, or from now on. A lost connection is
    /// made again, without a gap and without a repeat.
    pub fn feed(&self, after: Option<u64>, filters: &Options) -> Feed<'_> {
        Feed { client: self, filters: filters.clone(), last: after, is_ready: after.is_some(), first: VecDeque::new(), events: None, is_over: false }
    }

    /// The requests for consent, all or those of one status.
    pub fn approvals(&self, status: Option<&str>) -> Result<Vec<Value>> {
        let options = status.map_or_else(Options::new, |status| Options::new().set("status", status));
        Ok(self.list_approvals(&options)?["approvals"].as_array().cloned().unwrap_or_default())
    }
}
