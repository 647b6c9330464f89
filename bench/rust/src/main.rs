// SPDX-License-Identifier: Apache-2.0
//! Libraries of others in Rust, measured over the sets of script/bench. A JSON line per set and engine, in the forms of bench_schema.c and bench_tokens.c.
//!
//!     baton-bench-peers schema DATA | json DATA | tokens FOLDER
mod json;
mod schema;
mod sets;
mod tokens;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["schema", data] => schema::run(data),
        ["json", data] => json::run(data),
        ["tokens", folder] => tokens::run(folder),
        _ => {
            eprintln!("usage: baton-bench-peers schema DATA | json DATA | tokens FOLDER");
            std::process::exit(2);
        }
    }
}
