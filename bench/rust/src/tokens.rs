// SPDX-License-Identifier: Apache-2.0
//! Token counters: MB/s over the sets that token_corpora.py wrote, as bench_tokens.c prints them.
use crate::sets;
use std::fs;

const TURNS: u32 = 7;
const SLOW_NS: f64 = 4e9; // a turn that takes seconds is not noise

fn measure(set: &str, engine: &str, encoding: &str, texts: &[String], count: impl Fn(&str) -> usize) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut best = vec![f64::INFINITY; texts.len()];
    let mut tokens = 0;
    for _ in 0..TURNS {
        tokens = 0;
        let mut turn = 0.0;
        for (at, text) in texts.iter().enumerate() {
            let ns = sets::time(|| tokens += count(text));
            best[at] = best[at].min(ns);
            turn += ns;
        }
        if turn > SLOW_NS {
            break;
        }
    }
    let mbps = bytes as f64 / best.iter().sum::<f64>() * 1e3;
    println!(
        "{}",
        serde_json::json!({"set": set, "engine": engine, "encoding": encoding, "bytes": bytes, "tokens": tokens, "mbps": mbps})
    );
}

pub fn run(folder: &str) {
    for set in ["prose", "json", "code", "cjk", "emoji", "letters"] {
        let Ok(lines) = fs::read_to_string(format!("{folder}/{set}.jsonl")) else { continue };
        let texts: Vec<String> =
            lines.lines().map(|line| serde_json::from_str(line).expect("a string on each line")).collect();
        let o200k = tiktoken_rs::o200k_base_singleton();
        let cl100k = tiktoken_rs::cl100k_base_singleton();
        measure(set, "tiktoken-rs", "o200k_base", &texts, |text| o200k.encode_ordinary(text).len());
        measure(set, "tiktoken-rs", "cl100k_base", &texts, |text| cl100k.encode_ordinary(text).len());
        measure(set, "bpe-openai", "o200k_base", &texts, |text| bpe_openai::o200k_base().count(text));
        measure(set, "bpe-openai", "cl100k_base", &texts, |text| bpe_openai::cl100k_base().count(text));
    }
}
