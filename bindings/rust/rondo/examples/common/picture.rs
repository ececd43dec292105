//! Pictures of the plain format PPM (P6), which most tools write.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::error::Error;

/// Rows of pixels of red, green and blue.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

impl Picture {
    pub fn read(path: &str) -> Result<Picture, Box<dyn Error>> {
        let bytes = std::fs::read(path).map_err(|problem| format!("{path}: {problem}"))?;
        let mut at = 2;
        let mut number = || next_number(&bytes, &mut at);
        let header = (number(), number(), number());
        let space = |at: usize| bytes.get(at).map_or(false, u8::is_ascii_whitespace);
        let begins = bytes.starts_with(b"P6") && (space(2) || bytes.get(2) == Some(&b'#'));
        let pixels = at + 1; // behind the one whitespace byte that ends the header
        match header {
            (Some(width @ 1..=32768), Some(height @ 1..=32768), Some(255))
                if begins && space(at) && bytes.len() - pixels >= 3 * width * height =>
            {
                Ok(Picture { width, height, rgb: bytes[pixels..pixels + 3 * width * height].to_vec() })
            }
            _ => Err(format!("{path} is no PPM picture (P6) with the maximum 255").into()),
        }
    }
}

/// The next number of the header, behind whitespace and comments. Whitespace or a comment ends it, which stands at `at` then.
fn next_number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    while let Some(&byte) = bytes.get(*at) {
        match byte {
            b'#' => *at += bytes[*at..].iter().position(|&each| each == b'\n')?,
            _ if byte.is_ascii_whitespace() => *at += 1,
            _ => break,
        }
    }
    let end = *at + bytes.get(*at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&bytes[*at..end]).ok()?.parse().ok();
    *at = end;
    number.filter(|_| bytes.get(end).map_or(false, |&byte| byte == b'#' || byte.is_ascii_whitespace()))
}
