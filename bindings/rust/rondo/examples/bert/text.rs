//! What the encoder learns from: stretches of a text, of each of which some bytes are hidden. They are those of the C example.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ops::Range;

pub const PLACES: usize = 16; // bytes of a stretch
pub const HIDDEN: usize = 2; // of them, hidden ones
pub const BATCH: usize = 64; // stretches of a step
pub const WORDS: usize = 128; // ASCII; 0 stands for a hidden byte
const LEAST: usize = 20 * PLACES;

/// The bytes of a file, of which each is 1 to 127 and there are enough.
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    let text = std::fs::read(path).map_err(|problem| format!("--text: cannot open '{}': {}", path, problem))?;
    if let Some(place) = text.iter().position(|&byte| byte == 0 || usize::from(byte) >= WORDS) {
        return Err(format!("--text: '{}' is not ASCII: byte {} is none of it", path, place));
    }
    if text.len() < LEAST {
        return Err(format!("--text: '{}' has {} bytes, too few to learn from", path, text.len()));
    }
    Ok(text)
}

/// A number less than n, by a generator of 64 bits (Steele et al., SplitMix, 2014).
fn below(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) % n as u64) as usize
}

/// Batches, one behind the other.
pub struct Batches {
    pub n: usize,
    pub bytes: Vec<i32>,  // [n, BATCH * PLACES]: of stretches, with the hidden ones 0
    pub places: Vec<i32>, // [n, BATCH * HIDDEN]: where those are, counted through the batch
    pub labels: Vec<i32>, // [n, BATCH * HIDDEN]: what they were
}

impl Batches {
    /// n batches of stretches of a part of the text.
    pub fn choose(text: &[u8], part: Range<usize>, n: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut made = Batches { n, bytes: vec![], places: vec![], labels: vec![] };
        for i in 0..n * BATCH {
            let begin = part.start + below(&mut state, part.len() - PLACES + 1);
            let stretch = &text[begin..begin + PLACES];
            made.bytes.extend(stretch.iter().map(|&byte| i32::from(byte)));
            let bytes = &mut made.bytes[i * PLACES..];
            for _ in 0..HIDDEN {
                let place = loop {
                    let place = below(&mut state, PLACES);
                    if bytes[place] != 0 {
                        break place;
                    }
                };
                bytes[place] = 0;
                made.places.push((i % BATCH * PLACES + place) as i32);
                made.labels.push(stretch[place].into());
            }
        }
        made
    }
}
