//! The data of the digits example: 8x8 images of handwritten digits, split once and for all into a part to train on and
//! a part to test on.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::{Path, PathBuf};

pub const PIXELS: usize = 64;
pub const CLASSES: usize = 10;
const HEADER: usize = 16;

#[derive(Default)]
pub struct Digits {
    pub train_images: Vec<f32>, // PIXELS each, 0 (paper) to 1 (ink)
    pub train_labels: Vec<i32>,
    pub test_images: Vec<f32>,
    pub test_labels: Vec<i32>,
}

/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A random order of 0 .. n.
fn shuffled(state: &mut u64, n: usize) -> Vec<i32> {
    let mut order: Vec<i32> = (0..n as i32).collect();
    for i in (1..n).rev() {
        order.swap(i, (next_random(state) % (i as u64 + 1)) as usize);
    }
    order
}

/// For each epoch a fresh order of the training images; what does not fill a batch at its end waits for the next epoch.
pub fn training_order(seed: u64, epochs: usize, batch: usize, images: usize) -> Vec<i32> {
    let (mut state, used) = (seed, images / batch * batch);
    (0..epochs).flat_map(|_| shuffled(&mut state, images).into_iter().take(used)).collect()
}

impl Digits {
    /// The file given, or digits.bin in $RONDO_EXAMPLE_DATA, or the one of the source tree.
    pub fn load(path: Option<PathBuf>) -> Result<Digits, String> {
        let path = path.unwrap_or_else(|| match std::env::var_os("RONDO_EXAMPLE_DATA") {
            Some(folder) if !folder.is_empty() => Path::new(&folder).join("digits.bin"),
            _ => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/data/digits.bin"),
        });
        let bytes = std::fs::read(&path).map_err(|problem| {
            let place = "--data FILE or RONDO_EXAMPLE_DATA=FOLDER say where digits.bin is";
            format!("cannot open {}: {} ({})", path.display(), problem, place)
        })?;
        let number = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
        let count = number(8).filter(|&n| n >= 10);
        let (n, records) = match (count, number(12), bytes.starts_with(b"RDIGITS1")) {
            (Some(n), Some(PIXELS), true) => (n, &bytes[HEADER..]),
            _ => return Err(format!("{} is not a file of digits", path.display())),
        };
        if records.len() < n * (PIXELS + 1) {
            return Err(format!("{} ends before its {} images do", path.display(), n));
        }
        let (mut digits, mut state) = (Digits::default(), 8020); // fixed: the split is the same whatever the seed is
        for (place, image) in shuffled(&mut state, n).into_iter().enumerate() {
            let record = &records[image as usize * (PIXELS + 1)..][..PIXELS + 1];
            let (images, labels) = if place < n * 8 / 10 {
                (&mut digits.train_images, &mut digits.train_labels)
            } else {
                (&mut digits.test_images, &mut digits.test_labels)
            };
            images.extend(record[..PIXELS].iter().map(|&pixel| f32::from(pixel) / 16.0));
            labels.push(i32::from(record[PIXELS]));
        }
        Ok(digits)
    }
}
