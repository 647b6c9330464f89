// SPDX-License-Identifier: Apache-2.0
//! A client of `baton serve`, and receipts of its ledger verified offline. It judges nothing itself.
//!
//! ```no_run
//! use baton_handoff::{Client, Error, Options};
//!
//! let client = Client::new("http://127.0.0.1:8420").token("bt_...").build()?;
//! match client.submit(br#"{"handoff": {}}"#, &Options::new()) {
//!     Ok(done) => println!("recorded as {}", done.record["ref"]),
//!     Err(Error::Rejected { report, .. }) => println!("refused: {:?}", report.codes()),
//!     Err(other) => return Err(other),
//! }
//! # Ok::<(), baton_handoff::Error>(())
//! ```
//!
//! Every operation of the server is a method of [`Client`]. A method gives an error unless the server did
//! what was asked for; no error is ever an acceptance.

mod call;
mod client;
mod error;
mod flow;
mod json;
#[path = "../generated/operations.rs"]
mod operations;
pub mod receipt;
mod target;
mod unix;

pub use call::Options;
pub use client::{Builder, Client, Report, Submission};
pub use error::{Error, Outcome, Problem, Result};
pub use flow::{Delivery, Event, Events, Feed, Inbox, InboxOptions};
pub use operations::VERSION;
