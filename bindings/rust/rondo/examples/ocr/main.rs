//! Reads the text in pictures by three ONNX models, which are converted when the program starts: one finds lines of text, one
//! says which of them stand on their head, one reads them. The letters come from the metadata of the last one.
//!
//!     cargo run --release --features onnx --example ocr -- DETECTOR.onnx DIRECTION.onnx READER.onnx PICTURE.ppm ...
//!         [--device DEVICE] [--places]
//!
//! The models are those of the Python package rapidocr 3.10: PP-OCRv6_det_small.onnx, ch_ppocr_mobile_v2.0_cls_mobile.onnx and
//! PP-OCRv6_rec_small.onnx. A device that is not there is an error. With --places it also says where lines are, by their four
//! corners, and how sure each model is.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::error::Error;

use rondo::onnx::Model;
use rondo::{Device, Engine, ProgramInstance, Result, Tensor};

mod lines;
#[path = "../common/picture.rs"]
mod picture;
use lines::Line;
use picture::Picture;

const SIDE: usize = 960; // the detector sees the picture in a square of so many pixels; the model takes multiples of 32
const HEIGHT: usize = 48; // of a line, for the other models
const DIRECTION_WIDTH: usize = 192;
const LEAST_WIDTH: usize = 48;
const MOST_WIDTH: usize = 1600;
const MOST_LINES: usize = 8; // that are read at a time
const TURNED: f32 = 0.9; // the probability from which on a line is turned
const READ: f32 = 0.5; // the mean of letters' probabilities below which a line is no text

struct Networks {
    engine: Engine,
    device: Device,
    detector: ProgramInstance,
    direction: ProgramInstance,
    reader: ProgramInstance,
    letters: Vec<String>,
}

/// A line that was read, how probably it stood on its head, and the mean of its letters' probabilities.
struct Text {
    line: Line,
    turned: f32,
    text: String,
    sure: f32,
}

impl Networks {
    /// The files are those of the three models, in the order above.
    fn open(paths: &[String], device: Device) -> std::result::Result<Networks, Box<dyn Error>> {
        let (detector, direction, reader) = (Model::new(&paths[0]), Model::new(&paths[1]), Model::new(&paths[2]));
        let detector =
            detector.size("DynamicDimension.0", 1).size("DynamicDimension.1", SIDE).size("DynamicDimension.2", SIDE);
        let direction = direction.dim("x:0", 1, MOST_LINES).size("x:2", HEIGHT).size("x:3", DIRECTION_WIDTH);
        let reader = reader
            .dim("DynamicDimension.0", 1, MOST_LINES)
            .dim("DynamicDimension.1", LEAST_WIDTH, MOST_WIDTH)
            .open()?;
        let metadata = reader.metadata()?;
        let (_, letters) = metadata
            .iter()
            .find(|(key, _)| key == "character")
            .ok_or_else(|| format!("{} has no text 'character', a line for each letter", paths[2]))?;
        let engine = Engine::new()?;
        Ok(Networks {
            device,
            detector: detector.open()?.instance(&engine, device)?,
            direction: direction.open()?.instance(&engine, device)?,
            reader: reader.instance(&engine, device)?,
            letters: letters.split('\n').map(str::to_string).chain([" ".to_string()]).collect(),
            engine,
        })
    }

    /// What one of the models gives for numbers of this shape.
    fn call(&self, model: &ProgramInstance, shape: [usize; 4], numbers: &[f32]) -> Result<Tensor> {
        let input = Tensor::from_slice(&self.engine, self.device, shape, numbers)?;
        Ok(model.call("main", &[&input])?.remove(0))
    }

    fn find(&self, picture: &Picture) -> Result<Vec<Line>> {
        let scale = SIDE as f64 / picture.width.max(picture.height) as f64;
        let scaled = |size: usize| ((size as f64 * scale).round() as usize).clamp(1, SIDE);
        let mut planes = vec![0.0; 3 * SIDE * SIDE];
        Line::whole(picture).draw(picture, false, (scaled(picture.width), scaled(picture.height)), SIDE, &mut planes);
        let map = self.call(&self.detector, [1, 3, SIDE, SIDE], &planes)?;
        Ok(lines::find(&map.to_vec::<f32>()?, SIDE, 1.0 / scale))
    }

    /// What one of the models gives for some lines of a picture, some of them turned; the longest one decides how wide all are.
    fn call_with(
        &self,
        model: &ProgramInstance,
        picture: &Picture,
        lines: &[(Line, bool)],
        widths: (usize, usize),
    ) -> Result<Tensor> {
        let width = |line: &Line| ((HEIGHT as f64 * line.ratio()).ceil() as usize).clamp(1, widths.1);
        let row = lines.iter().map(|(line, _)| width(line)).max().unwrap_or(0).max(widths.0);
        let mut planes = vec![0.0; lines.len() * 3 * HEIGHT * row];
        for ((line, turned), planes) in lines.iter().zip(planes.chunks_mut(3 * HEIGHT * row)) {
            line.draw(picture, *turned, (width(line), HEIGHT), row, planes);
        }
        self.call(model, [lines.len(), 3, HEIGHT, row], &planes)
    }

    /// Reads some lines of a picture.
    fn read(&self, picture: &Picture, lines: &[Line]) -> std::result::Result<Vec<Text>, Box<dyn Error>> {
        let upright: Vec<_> = lines.iter().map(|&line| (line, false)).collect();
        let directions = self.call_with(&self.direction, picture, &upright, (DIRECTION_WIDTH, DIRECTION_WIDTH))?;
        let directions: Vec<f32> = directions.to_vec::<f32>()?.chunks(2).map(|each| each[1]).collect();
        let right: Vec<_> = lines.iter().zip(&directions).map(|(&line, &turned)| (line, turned > TURNED)).collect();
        let steps = self.call_with(&self.reader, picture, &right, (LEAST_WIDTH, MOST_WIDTH))?;
        // For each step across the line the probability of each letter, after that of none: the device looks for the largest.
        let shape = steps.shape()?;
        if shape[2] != self.letters.len() + 1 {
            return Err(format!("the reader gives {} numbers for {} letters", shape[2], self.letters.len()).into());
        }
        let (letters, probabilities) = (steps.argmax(2)?.to_vec::<i64>()?, steps.max(2)?.to_vec::<f32>()?);
        let rows = letters.chunks(shape[1]).zip(probabilities.chunks(shape[1]));
        let texts = lines.iter().zip(&directions).zip(rows).map(|((&line, &turned), (letters, probabilities))| {
            let (mut text, mut all, mut before) = (String::new(), Vec::new(), 0);
            for (&letter, &probability) in letters.iter().zip(probabilities) {
                if letter != before && letter != 0 {
                    text += &self.letters[letter as usize - 1];
                    all.push(probability);
                }
                before = letter;
            }
            Text { line, turned, text, sure: all.iter().sum::<f32>() / all.len().max(1) as f32 }
        });
        Ok(texts.collect())
    }

    /// All that is written in a picture, from top to bottom. Lines of about the same length are read together.
    fn texts(&self, picture: &Picture) -> std::result::Result<Vec<Text>, Box<dyn Error>> {
        let lines = self.find(picture)?;
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by(|&a, &b| lines[a].ratio().total_cmp(&lines[b].ratio()));
        let mut texts = Vec::new();
        for places in order.chunks(MOST_LINES) {
            let some: Vec<Line> = places.iter().map(|&place| lines[place]).collect();
            texts.extend(places.iter().zip(self.read(picture, &some)?));
        }
        texts.sort_by_key(|(&place, _)| place);
        Ok(texts.into_iter().map(|(_, text)| text).filter(|each| each.sure >= READ).collect())
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let usage = "usage: ocr DETECTOR.onnx DIRECTION.onnx READER.onnx PICTURE.ppm ... [--device DEVICE] [--places]";
    let (mut files, mut device, mut places) = (Vec::new(), Device::CPU, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--places" => places = true,
            "--device" => device = words.next().ok_or(usage)?.parse()?,
            _ if word.starts_with('-') => return Err(usage.into()),
            _ => files.push(word),
        }
    }
    if files.len() < 4 {
        return Err(usage.into());
    }
    let paths = files.split_off(3);
    let pictures = paths.iter().map(|path| Picture::read(path)).collect::<std::result::Result<Vec<_>, _>>()?;
    let networks = Networks::open(&files, device)?;
    for (path, picture) in paths.iter().zip(&pictures) {
        println!("{path}");
        for Text { line, turned, text, sure } in networks.texts(picture)? {
            println!("  {sure:.3}  {text}");
            if places {
                let corners = line.corners().map(|(x, y)| format!("{x:.2},{y:.2}")).join(" ");
                println!("         {corners}  line {:.4}, on its head {turned:.4}", line.score);
            }
        }
    }
    Ok(())
}
