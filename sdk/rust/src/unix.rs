// SPDX-License-Identifier: Apache-2.0
//! HTTP/1.1 over a Unix socket, one request for each connection; ureq has none.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::call::Request;
use crate::client::{Lost, Opened};
use crate::operations::VERSION;

const HEAD_BYTES_MAX: u64 = 1 << 16;

/// Reads of a socket that end at one deadline, however slowly the bytes come; without one, only silence ends them.
struct TimedReader {
    stream: UnixStream,
    deadline: Option<Instant>,
}

impl Read for TimedReader {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time"));
            }
            self.stream.set_read_timeout(Some(left))?;
        }
        self.stream.read(out)
    }
}

/// The body of an answer: so many bytes, chunks, or what comes until the end.
struct BodyReader {
    inner: BufReader<TimedReader>,
    left: Option<u64>,
    is_chunked: bool,
}

fn broken(reason: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, reason)
}

impl BodyReader {
    fn read_line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        (&mut self.inner).take(1024).read_line(&mut line)?;
        Ok(line.trim_end().to_string())
    }

    fn begin_chunk(&mut self) -> std::io::Result<bool> {
        let line = self.read_line()?;
        let size = u64::from_str_radix(line.split(';').next().unwrap_or(""), 16).map_err(|_| broken("a chunk without its size"))?;
        self.left = Some(size);
        if size == 0 {
            self.read_line()?;
        }
        Ok(size > 0)
    }
}

impl Read for BodyReader {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.is_chunked && self.left == Some(0) && !self.begin_chunk()? {
            self.is_chunked = false;
            return Ok(0);
        }
        let Some(left) = self.left else {
            return self.inner.read(out);
        };
        let wanted = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        let count = self.inner.read(&mut out[..wanted])?;
        if count == 0 {
            return Err(broken("the answer is cut"));
        }
        self.left = Some(left - count as u64);
        if self.is_chunked && self.left == Some(0) {
            self.read_line()?;
        }
        Ok(count)
    }
}

fn exchange(stream: UnixStream, request: &Request, token: Option<&str>, deadline: Option<Instant>) -> std::io::Result<Opened> {
    let mut text = format!("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser-Agent: baton-rust/{VERSION}\r\n", request.operation.method, request.path);
    for (name, value) in &request.headers {
        text += &format!("{name}: {value}\r\n");
    }
    if let Some(token) = token {
        text += &format!("Authorization: Bearer {token}\r\n");
    }
    if let Some(body) = &request.body {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    let mut bytes = (text + "\r\n").into_bytes();
    bytes.extend(request.body.iter().flatten());
    (&stream).write_all(&bytes)?;
    let mut inner = BufReader::new(TimedReader { stream, deadline });
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if (&mut inner).take(HEAD_BYTES_MAX).read_line(&mut head)? == 0 || head.len() as u64 > HEAD_BYTES_MAX {
            return Err(broken("the answer is not HTTP"));
        }
    }
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|text| text.parse().ok()).ok_or_else(|| broken("the answer is not HTTP"))?;
    let field = |wanted: &str| {
        head.lines().skip(1).filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim().to_string())
    };
    let is_chunked = field("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    let left = if is_chunked { Some(0) } else { field("content-length").and_then(|value| value.parse().ok()) };
    let media = field("content-type").unwrap_or_default().split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let retry_after = field("retry-after");
    Ok(Opened { status, media, retry_after, reader: Box::new(BodyReader { inner, left, is_chunked }) })
}

pub(crate) fn open(socket: &str, request: &Request, token: Option<&str>, left: Option<Duration>) -> Result<Opened, Lost> {
    let stream = UnixStream::connect(socket).map_err(|why| Lost { reason: why.to_string(), was_sent: false })?;
    let deadline = left.and_then(|left| Instant::now().checked_add(left));
    let limit = Some(left.unwrap_or(crate::flow::STREAM_SILENCE));
    let ready = stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit));
    ready.and_then(|()| exchange(stream, request, token, deadline)).map_err(|why| Lost { reason: why.to_string(), was_sent: true })
}
