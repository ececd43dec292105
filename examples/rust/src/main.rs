//! A pretrained network, MiniLM, finds the sentences that answer a question best: what examples/c/sentences.c does, with
//! the tokenizer of the model's authors and a graph for each of a few lengths.
//!
//!     cargo run --release -- [--vectors FILE] FOLDER cpu|cuda:0 SENTENCES QUESTION ...
//!
//! FOLDER has model.safetensors and tokenizer.json, as examples/data/sentences.py fetches them; SENTENCES is a file with
//! a sentence a line, such as examples/data/sentences.txt. --vectors writes what was computed.
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod encoder;

use std::error::Error;
use std::path::Path;

use encoder::Encoder;
use rondo::{Callable, Device, Engine, ModelFile, Tensor};
use tokenizers::Tokenizer;

const USAGE: &str = "usage: sentences [--vectors FILE] FOLDER cpu|cuda:0 SENTENCES QUESTION ...";
const PLACES: [i64; 5] = [16, 32, 64, 128, 256]; // graphs are for so many pieces of each sentence
const MOST_PIECES: usize = 256;
const NEAREST: usize = 3;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Model {
    tokenizer: Tokenizer,
    graphs: Callable,
    engine: Engine,
    device: Device,
}

impl Model {
    fn load(folder: &Path, engine: &Engine, device: Device) -> Outcome<Self> {
        let path = folder.join("tokenizer.json");
        let mut tokenizer = Tokenizer::from_file(&path).map_err(|problem| format!("{}: {problem}", path.display()))?;
        tokenizer.with_padding(None); // the graphs' sizes are this program's matter
        tokenizer.with_truncation(None).map_err(|problem| problem.to_string())?;
        let encoder = Encoder::load(&ModelFile::open(folder.join("model.safetensors"))?, engine, device)?;
        let graphs = engine
            .callable_builder()
            .name("minilm")
            .pad(1, &PLACES)
            .build(1, move |x| Ok(vec![encoder.vectors(x[0], x[1])?]))?;
        Ok(Model { tokenizer, graphs, engine: engine.clone(), device })
    }

    /// The vectors of sentences, [n, width].
    fn vectors(&self, texts: &[&str]) -> Outcome<Tensor> {
        let mut pieces = Vec::new();
        for text in texts {
            let encoding = self.tokenizer.encode(*text, true).map_err(|problem| problem.to_string())?;
            let ids: Vec<i32> = encoding.get_ids().iter().map(|&id| id as i32).collect();
            if ids.len() > MOST_PIECES {
                return Err(format!("{} pieces of words, and at most {MOST_PIECES} may be: '{text}'", ids.len()).into());
            }
            pieces.push(ids);
        }
        let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
        let lengths: Vec<i32> = pieces.iter().map(|ids| ids.len() as i32).collect();
        for ids in &mut pieces {
            ids.resize(longest, 0);
        }
        let ids = Tensor::from_slice(&self.engine, self.device, [texts.len(), longest], &pieces.concat())?;
        let lengths = Tensor::from_slice(&self.engine, self.device, texts.len(), &lengths)?;
        Ok(self.graphs.call(&[&ids, &lengths])?.remove(0))
    }
}

fn run(arguments: &[String]) -> Outcome<()> {
    let (written, arguments) = match arguments {
        [option, path, rest @ ..] if option == "--vectors" => (Some(path), rest),
        _ => (None, arguments),
    };
    let (folder, device, path, questions) = match arguments {
        [folder, device, path, questions @ ..] if !questions.is_empty() => {
            (folder, device.parse::<Device>()?, path, questions)
        }
        _ => return Err(USAGE.into()),
    };
    let text = std::fs::read_to_string(path).map_err(|problem| format!("{path}: {problem}"))?;
    let sentences: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if sentences.is_empty() {
        return Err(format!("{path} has no sentences").into());
    }
    let engine = Engine::new()?;
    let model = Model::load(Path::new(folder), &engine, device)?;
    let found = model.vectors(&sentences)?;
    let asked = questions.iter().map(|question| model.vectors(&[question])).collect::<Outcome<Vec<Tensor>>>()?;
    let asked = Tensor::concat(&asked.iter().collect::<Vec<_>>(), 0)?;
    let (cosines, nearest) =
        asked.matmul(&found.permute([1, 0])?)?.topk(NEAREST.min(sentences.len()) as i64, -1, true)?;
    let (cosines, nearest) = (cosines.to_vec::<f32>()?, nearest.to_vec::<i64>()?);
    let each = cosines.len() / questions.len();
    for (i, question) in questions.iter().enumerate() {
        println!("\n{question}");
        for k in i * each..(i + 1) * each {
            println!("  {:5.3}  {}", cosines[k], sentences[nearest[k] as usize]);
        }
    }
    if let Some(path) = written {
        ModelFile::write(path, [("sentences", &found), ("questions", &asked)], Vec::<(String, String)>::new())?;
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(problem) = run(&arguments) {
        eprintln!("sentences: {problem}");
        std::process::exit(1);
    }
}
