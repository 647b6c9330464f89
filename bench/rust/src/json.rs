// SPDX-License-Identifier: Apache-2.0
//! JSON readers: nanoseconds per byte of a tree in memory, the fastest of several turns.
use crate::sets;
use std::hint::black_box;

const TURNS: u32 = 24;
type Reader = fn(&[u8], &mut Vec<u8>) -> bool;

fn read_sonic(text: &[u8], _: &mut Vec<u8>) -> bool {
    black_box(sonic_rs::from_slice::<sonic_rs::Value>(text)).is_ok()
}

/// It unescapes in place, so a copy belongs to it.
fn read_simd_json(text: &[u8], room: &mut Vec<u8>) -> bool {
    room.clear();
    room.extend_from_slice(text);
    black_box(simd_json::to_borrowed_value(room)).is_ok()
}

fn read_serde(text: &[u8], _: &mut Vec<u8>) -> bool {
    black_box(serde_json::from_slice::<serde_json::Value>(text)).is_ok()
}

const READERS: [(&str, Reader); 3] = [("sonic-rs", read_sonic), ("simd-json", read_simd_json), ("serde_json", read_serde)];

pub fn run(data: &str) {
    let mut room = Vec::new();
    for set in sets::load(data, &["schema-bench", "schema-bench-2", "handoffs", "real"]) {
        let bytes: usize = set.texts.iter().map(Vec::len).sum();
        let mut best = [f64::INFINITY; READERS.len()];
        let mut fits = [true; READERS.len()];
        for _ in 0..TURNS {
            for (at, (_, reader)) in READERS.iter().enumerate() {
                let ns = sets::time(|| set.texts.iter().for_each(|text| fits[at] &= reader(text, &mut room)));
                best[at] = best[at].min(ns / bytes as f64);
            }
        }
        for (at, (engine, _)) in READERS.iter().enumerate() {
            let row = if fits[at] {
                serde_json::json!({"set": set.name, "engine": engine, "ns_per_byte": best[at]})
            } else {
                serde_json::json!({"set": set.name, "engine": engine, "failed": "it refused a text"})
            };
            println!("{row}");
        }
    }
}
