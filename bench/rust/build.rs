// SPDX-License-Identifier: Apache-2.0
//! Writes OUT_DIR/compiled.rs: a validator for each schema of the sets that jsonschema-rs measures itself with, generated at compile time.
use std::{env, fs, path::Path};

// The folders of these sets in DATA/schema-bench-2. The names of the types are made from them.
const SETS: [&str; 7] = ["citm", "fast", "fast-invalid", "fhir", "geojson-canada", "recursive", "swagger"];

fn main() {
    let data = env::var("BATON_BENCH_DATA").expect("BATON_BENCH_DATA names the folder with the data sets");
    let data = fs::canonicalize(&data).unwrap_or_else(|why| panic!("{data}: {why}"));
    let mut types = String::new();
    let mut rows = String::new();
    for (at, set) in SETS.iter().enumerate() {
        let schema = data.join("schema-bench-2").join(set).join("schema.json");
        println!("cargo:rerun-if-changed={}", schema.display());
        types += &format!(
            "#[jsonschema::validator(path = {:?}, validate_formats = false)]\nstruct Set{at};\n",
            schema.display().to_string()
        );
        rows += &format!("    ({set:?}, Set{at}::is_valid as fn(&serde_json::Value) -> bool),\n");
    }
    println!("cargo:rerun-if-env-changed=BATON_BENCH_DATA");
    let text = format!("{types}pub const COMPILED: &[(&str, fn(&serde_json::Value) -> bool)] = &[\n{rows}];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("compiled.rs"), text).unwrap();
}
