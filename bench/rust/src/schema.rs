// SPDX-License-Identifier: Apache-2.0
//! Schema engines: jsonschema with its engine at run time and with code generated at compile time, and boon.
use crate::sets::{self, Set};
use serde_json::Value;
use std::{fs, hint::black_box};

include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

const LOOPS: u32 = 100;
const TURNS: u32 = 2; // as many as bench_schema.c has
const SLOW_NS: f64 = 5e7; // of a document: more than a second for all loops

fn parse(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("the sets are JSON")
}

/// The mean of the documents' times in a row, of each the fastest turn.
fn mean(count: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut best = vec![f64::INFINITY; count];
    for _ in 0..TURNS {
        for (at, least) in best.iter_mut().enumerate() {
            let loops = if sets::time(|| work(at)) > SLOW_NS { 1 } else { LOOPS };
            let ns = sets::time(|| (0..loops).for_each(|_| work(at)));
            *least = least.min(ns / f64::from(loops));
        }
    }
    best.iter().sum::<f64>() / count as f64
}

fn measure(set: &Set, engine: &str, compile_ns: Option<f64>, judge: impl Fn(&Value) -> bool) {
    let values: Vec<Value> = set.texts.iter().map(|text| parse(text)).collect();
    let invalid = values.iter().filter(|value| !judge(value)).count();
    let mut row = serde_json::json!({
        "set": set.name, "engine": engine, "documents": values.len(), "invalid": invalid,
        "parse_ns": mean(values.len(), |at| { black_box(parse(black_box(&set.texts[at]))); }),
        "validate_ns": mean(values.len(), |at| { black_box(judge(black_box(&values[at]))); }),
        "verdict_ns": mean(values.len(), |at| { black_box(judge(&parse(black_box(&set.texts[at])))); }),
    });
    if let Some(ns) = compile_ns {
        row["compile_us"] = (ns / 1000.0).into();
    }
    println!("{row}");
}

fn fail(set: &Set, engine: &str, why: String) {
    println!("{}", serde_json::json!({"set": set.name, "engine": engine, "failed": why.chars().take(120).collect::<String>()}));
}

fn measure_jsonschema(set: &Set, schema: &Value) {
    let mut made = None;
    let ns = sets::time(|| made = Some(jsonschema::options().should_validate_formats(false).build(schema)));
    match made.expect("it was made") {
        Ok(validator) => measure(set, "jsonschema-rs", Some(ns), |value| validator.is_valid(value)),
        Err(why) => fail(set, "jsonschema-rs", why.to_string()),
    }
}

fn measure_boon(set: &Set, schema: &Value) {
    let mut schemas = boon::Schemas::new();
    let mut made = None;
    let ns = sets::time(|| {
        let mut compiler = boon::Compiler::new();
        compiler.set_default_draft(boon::Draft::V7);
        made = Some(
            compiler.add_resource("urn:set", schema.clone()).and_then(|()| compiler.compile("urn:set", &mut schemas)),
        );
    });
    match made.expect("it was made") {
        Ok(index) => measure(set, "boon", Some(ns), |value| schemas.validate(value, index).is_ok()),
        Err(why) => fail(set, "boon", why.to_string()),
    }
}

pub fn run(data: &str) {
    for set in sets::load(data, &["schema-bench", "schema-bench-2", "handoffs"]) {
        let Some(text) =
            ["schema.json", "schema-noformat.json"].iter().find_map(|name| fs::read(set.folder.join(name)).ok())
        else {
            continue;
        };
        let schema = parse(&text);
        measure_jsonschema(&set, &schema);
        measure_boon(&set, &schema);
        if let Some((_, judge)) = COMPILED.iter().find(|(name, _)| *name == set.name) {
            measure(&set, "jsonschema-rs compiled", None, judge);
        }
    }
}
