//! Made-up clicks for the recommender example: who is shown what, and whether a click follows. A hidden model decides by
//! chance, so that there is something to learn and an end to what can be learnt. They are those of the C example.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

pub const DENSE: usize = 13;
pub const TABLES: usize = 8;
pub const BAG: usize = 2;
/// How many categories each table has.
pub const ROWS: [usize; TABLES] = [2000, 1000, 500, 300, 100, 50, 20, 8];

const HIDDEN: usize = 3; // numbers that the hidden model has of each category

pub struct Clicks {
    pub dense: Vec<f32>,   // DENSE each: numbers that are known
    pub indices: Vec<i32>, // TABLES * BAG each: categories, the first ones more often than the last
    pub labels: Vec<f32>,  // 1 where a click followed
    pub best: f64,         // mean loss of the hidden model itself: nobody can do better
    pub blind: f64,        // that of a model which knows the share of clicks and nothing else
}

/// A linear congruential generator.
struct Chance(u64);

impl Chance {
    /// From 0 to 1: the upper bits.
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 9007199254740992.0
    }

    /// About normal: a sum of twelve.
    fn draw_normal(&mut self) -> f64 {
        (0..12).fold(-6.0, |sum, _| sum + self.draw())
    }
}

struct HiddenModel {
    slopes: Vec<f64>,
    categories: Vec<Vec<f64>>, // of each table, HIDDEN of each row
}

impl HiddenModel {
    fn new() -> Self {
        let mut chance = Chance(12345);
        let slopes = (0..DENSE).map(|_| 0.4 * chance.draw_normal()).collect();
        let mut table = |rows: usize| (0..rows * HIDDEN).map(|_| 0.25 * chance.draw_normal()).collect();
        HiddenModel { slopes, categories: ROWS.iter().map(|&rows| table(rows)).collect() }
    }

    /// What it thinks of one: a line through the numbers, and how its categories go together.
    fn logit(&self, dense: &[f32], indices: &[i32]) -> f64 {
        let line = self.slopes.iter().zip(dense);
        let mut logit = line.fold(-0.7, |sum, (slope, &number)| sum + slope * f64::from(number));
        let mut of = [[0.0; HIDDEN]; TABLES];
        for ((of, table), bag) in of.iter_mut().zip(&self.categories).zip(indices.chunks(BAG)) {
            for (k, of) in of.iter_mut().enumerate() {
                *of = bag.iter().fold(0.0, |sum, &index| sum + table[index as usize * HIDDEN + k]);
            }
        }
        for (i, first) in of.iter().enumerate() {
            for second in &of[..i] {
                for (a, b) in first.iter().zip(second) {
                    logit += a * b;
                }
            }
        }
        logit
    }
}

fn loss_of(logit: f64, label: f64) -> f64 {
    logit.max(0.0) - logit * label + (-logit.abs()).exp().ln_1p()
}

impl Clicks {
    /// `n` of them; the same seed makes the same ones on every machine.
    pub fn new(n: usize, seed: u64) -> Self {
        let (model, mut chance, mut share) = (HiddenModel::new(), Chance(seed), 0.0);
        let mut clicks = Clicks { dense: vec![], indices: vec![], labels: vec![], best: 0.0, blind: 0.0 };
        for _ in 0..n {
            let (begin, first) = (clicks.dense.len(), clicks.indices.len());
            clicks.dense.extend((0..DENSE).map(|_| chance.draw_normal() as f32));
            for rows in ROWS {
                for _ in 0..BAG {
                    let chance = chance.draw();
                    clicks.indices.push((chance * chance * chance * rows as f64) as i32);
                }
            }
            let logit = model.logit(&clicks.dense[begin..], &clicks.indices[first..]);
            let label = if chance.draw() < 1.0 / (1.0 + (-logit).exp()) { 1.0 } else { 0.0 };
            clicks.labels.push(label as f32);
            clicks.best += loss_of(logit, label) / n as f64;
            share += label / n as f64;
        }
        clicks.blind = -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
        clicks
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }
}
