//! What the library says, in the names of this crate: its messages have those of the C interface.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::generated::{BY_OPERATOR, METHODS, NAMES};

/// The message with `Tensor::cast` for `rondo_cast`, `Tensor::add` for `rondo_binary(add)`, `DType::F32` for `RONDO_F32`;
/// `workers` for `options->workers`, which is a method of a builder here. Settings and what else has such a name keep it,
/// and so do paths of files.
#[cold]
pub(crate) fn in_rust(message: &str) -> String {
    let message = message.replace("options->", "");
    let mut text = String::with_capacity(message.len());
    let mut rest = &message[..];
    while let Some(start) = rest.find(is_part_of_word) {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let run = &rest[..rest.find(|c| !is_part_of_word(c)).unwrap_or(rest.len())];
        let word = run.trim_end_matches('.'); // of a sentence's end
        let behind = &rest[word.len()..];
        rest = behind;
        match (operator_of(word, behind), look_up(NAMES, word)) {
            (Some(operator), _) => {
                text.push_str("Tensor::");
                text.push_str(look_up(METHODS, operator).unwrap_or(operator));
                rest = &behind[operator.len() + "()".len()..];
            }
            (None, Some(name)) => text.push_str(name),
            (None, None) if word.is_empty() => {
                text.push_str(run);
                rest = &rest[run.len()..];
            }
            (None, None) => text.push_str(word),
        }
    }
    text.push_str(rest);
    text
}

/// Of a name, and of a path: a file may be called as a function is.
fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || "_/.~-".contains(c)
}

fn look_up(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.binary_search_by_key(&name, |row| row.0).ok().map(|row| table[row].1)
}

/// The operator in brackets behind the name of a function that is for many of them. A message may quote what a program has
/// written, such as an expression: all else in brackets is none.
fn operator_of<'a>(function: &str, behind: &'a str) -> Option<&'a str> {
    if !BY_OPERATOR.contains(&function) {
        return None;
    }
    let (operator, _) = behind.strip_prefix('(')?.split_once(')')?;
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    is_name(operator).then_some(operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(METHODS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn messages_have_the_names_of_this_crate() {
        for (said, told) in [
            ("rondo_tensor_reshape: no", "Tensor::reshape: no"),
            ("rondo_binary(add): cast one with rondo_cast", "Tensor::add: cast one with Tensor::cast"),
            ("rondo_scalar_binary_i64(mod): a", "Tensor::modulo: a"),
            ("rondo_reduce_with(sum): a", "Tensor::sum: a"),
            ("rondo_cumulative(sum): a", "ops::cumulative(sum): a"),
            ("needed (rondo_cast makes it).", "needed (Tensor::cast makes it)."),
            ("call rondo_record_begin.", "call Engine::record."),
            ("RONDO_F32 and RONDO_TAPE_KEEP", "DType::F32 and Engine::keeping_tape"),
            ("rondo_layer_norm, rondo_feature, rondo_cache_import", "ops::layer_norm, rondo::feature, cache::import"),
            ("rondo_tensor_destroy", "Tensor"),
            ("rondo_engine_create: options->workers is -1", "EngineBuilder::build: workers is -1"),
        ] {
            assert_eq!(in_rust(said), told);
        }
    }

    #[test]
    fn what_only_looks_like_a_name_stays() {
        for text in [
            "",
            "...",
            "a . b .. c.",
            "RONDO_CACHE names another folder",
            "/home/rondo_cast/model: not found",
            "rondo_cast.safetensors: not found",
            "my_rondo_cast and rondo_casts",
            "größer: rondo_größe",
            "call rondo_binary(",
            "call rondo_binary(ä",
            "rondo_binary()",
            "rondo_unary(a + b)",
            "rondo_reduce(größe)",
        ] {
            let kept = text.replace("rondo_binary", "ops::binary").replace("rondo_unary", "ops::unary");
            assert_eq!(in_rust(text), kept.replace("rondo_reduce", "ops::reduce"));
        }
    }

    #[test]
    fn any_text_is_told() {
        const PARTS: &[&str] = &[
            "rondo_binary",
            "rondo_reduce_with",
            "rondo_cast",
            "RONDO_F32",
            "options->",
            "(",
            ")",
            "()",
            "(add)",
            "((",
            "(mod",
            ".",
            "..",
            "/",
            "~",
            "-",
            "->",
            "_",
            " ",
            "\n",
            "\u{0}",
            "ä",
            "ß)",
            "(é",
            "東京",
            "\u{301}",
            "\u{1f600}",
            "\u{fffd}",
            "İ",
            "a",
        ];
        let mut state = 7u64; // of a generator of Lehmer's
        let mut random = |below: usize| {
            state = state * 48271 % 0x7fff_ffff;
            state as usize % below
        };
        for _ in 0..20_000 {
            let text: String = (0..random(12)).map(|_| PARTS[random(PARTS.len())]).collect();
            let told = in_rust(&format!("\u{b6}{} \u{b6}", text));
            assert!(told.starts_with('\u{b6}') && told.ends_with(" \u{b6}"), "{:?} became {:?}", text, told);
            let foreign = |text: &str| text.chars().filter(|c| !c.is_ascii()).collect::<String>();
            assert_eq!(foreign(&told), foreign(&format!("\u{b6}{}\u{b6}", text)), "{:?}", text);
        }
    }
}
