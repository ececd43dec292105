//! SHA-256 (FIPS 180-4), for the build script: a crate for it would be one more that every program compiles.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

/// The sum as `sha256sum` prints it.
pub fn sha256(data: &[u8]) -> String {
    let factors = roots(64, 3);
    let mut state: Vec<u32> = roots(8, 2);
    let mut blocks = data.chunks_exact(64);
    blocks.by_ref().for_each(|block| mix(&mut state, &factors, block));
    // A one, zeros, and the number of bits in the last eight bytes of a block.
    let mut end = blocks.remainder().to_vec();
    end.push(0x80);
    end.resize(if end.len() > 56 { 120 } else { 56 }, 0);
    end.extend((data.len() as u64 * 8).to_be_bytes());
    end.chunks_exact(64).for_each(|block| mix(&mut state, &factors, block));
    state.iter().map(|word| format!("{:08x}", word)).collect()
}

/// The first 32 bits of the fractions of the square (2) or cube (3) roots of the first primes: the constants that the
/// standard lists.
fn roots(count: usize, power: u32) -> Vec<u32> {
    let primes = (2u128..).filter(|number| (2..*number).all(|divisor| number % divisor != 0));
    primes.take(count).map(|prime| root(prime << (32 * power), power) as u32).collect()
}

/// The largest whole number whose power is at most this.
fn root(number: u128, power: u32) -> u128 {
    (0..40).rev().fold(0, |found, bit| {
        let tried = found | 1 << bit;
        if u128::pow(tried, power) <= number {
            tried
        } else {
            found
        }
    })
}

/// Takes one block of 64 bytes into the state.
fn mix(state: &mut [u32], factors: &[u32], block: &[u8]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for i in 16..64 {
        let (near, far) = (words[i - 2], words[i - 15]);
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
        words[i] = near.wrapping_add(words[i - 7]).wrapping_add(far).wrapping_add(words[i - 16]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] =
        [state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]];
    for (word, factor) in words.iter().zip(factors) {
        let of_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let of_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let chosen = e & f ^ !e & g;
        let most = a & b ^ a & c ^ b & c;
        let first = h.wrapping_add(of_e).wrapping_add(chosen).wrapping_add(*factor).wrapping_add(*word);
        (h, g, f, e, d, c, b, a) =
            (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(of_a).wrapping_add(most));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}
