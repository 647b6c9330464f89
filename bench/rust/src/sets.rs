// SPDX-License-Identifier: Apache-2.0
//! Data sets, and the clock.
use std::{fs, path::PathBuf, time::Instant};

pub struct Set {
    pub name: String,
    pub folder: PathBuf,
    pub texts: Vec<Vec<u8>>,
}

/// The sets of the groups, sorted by name within each group, as sets.c gives them.
pub fn load(data: &str, groups: &[&str]) -> Vec<Set> {
    let mut sets = Vec::new();
    for group in groups {
        let mut folders: Vec<PathBuf> = match fs::read_dir(format!("{data}/{group}")) {
            Ok(found) => found.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect(),
            Err(_) => continue,
        };
        folders.sort();
        for folder in folders {
            let Ok(lines) = fs::read(folder.join("instances.jsonl")) else { continue };
            let texts = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
            sets.push(Set { name: folder.file_name().unwrap().to_string_lossy().into_owned(), folder, texts });
        }
    }
    sets
}

/// Nanoseconds of one call.
pub fn time(mut work: impl FnMut()) -> f64 {
    let from = Instant::now();
    work();
    from.elapsed().as_nanos() as f64
}
