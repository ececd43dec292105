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
        rest = &rest[word.len().max(1)..];
        match (operator_of(word, rest), look_up(NAMES, word)) {
            (Some(operator), _) => {
                text.push_str("Tensor::");
                text.push_str(look_up(METHODS, operator).unwrap_or(operator));
                rest = &rest[operator.len() + 2..];
            }
            (None, Some(name)) => text.push_str(name),
            (None, None) if word.is_empty() => text.push('.'),
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

/// The operator behind the name of a function that is for many of them.
fn operator_of<'a>(function: &str, behind: &'a str) -> Option<&'a str> {
    let operator = behind.strip_prefix('(')?.split(')').next()?;
    BY_OPERATOR.contains(&function).then_some(operator)
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
        ] {
            assert_eq!(in_rust(text), text);
        }
    }
}
