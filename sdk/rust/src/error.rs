// SPDX-License-Identifier: Apache-2.0
//! What can go wrong. None of it is an acceptance.

use std::fmt;

use serde_json::Value;

use crate::client::Report;

pub type Result<T> = std::result::Result<T, Error>;

/// Whether something was recorded although there is no answer that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was recorded.
    None,
    /// That cannot be told. Repeat the call with its key to learn it.
    Unknown,
}

/// Why a request cannot be used (RFC 9457).
#[derive(Clone, Debug)]
pub struct Problem {
    pub code: String,
    pub status: u16,
    pub detail: String,
    pub findings: Vec<Value>,
    /// The whole problem.
    pub value: Value,
}

#[derive(Debug)]
pub enum Error {
    /// A request that cannot be used.
    Problem(Box<Problem>),
    /// A handoff that was judged and refused; the refusal is in the ledger, at `record`.
    Rejected { report: Box<Report>, record: Value },
    /// No server, no store, or no answer in time.
    Unavailable { reason: String, outcome: Outcome, problem: Option<Box<Problem>> },
    /// The server has another major version, or is not Baton.
    Incompatible(String),
    /// What was given to the client cannot be used: a URL, a token, a key.
    Invalid(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Problem(problem) => write!(out, "{} ({}): {}", problem.code, problem.status, problem.detail),
            Error::Rejected { report, .. } => write!(out, "the handoff was refused: {}", report.codes().join(", ")),
            Error::Unavailable { reason, outcome, .. } => write!(out, "unavailable (outcome: {outcome}): {reason}"),
            Error::Incompatible(reason) | Error::Invalid(reason) => out.write_str(reason),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Outcome::None => "none",
            Outcome::Unknown => "unknown",
        })
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn unavailable(reason: impl Into<String>, outcome: Outcome) -> Error {
        Error::Unavailable { reason: reason.into(), outcome, problem: None }
    }
}
