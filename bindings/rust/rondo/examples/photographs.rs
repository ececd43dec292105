//! A pretrained network, EfficientNet-Lite0, says what is in photographs, as one recorded graph: what
//! examples/c/photographs.c does, without the picture.
//!
//!     cargo run --release --example photographs -- efficientnet-lite0.safetensors cpu|cuda:0 PICTURE.ppm ...
//!
//! examples/data/photographs.py fetches the network and two photographs.
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::error::Error;

use rondo::ops::{Convolution, Matmul};
use rondo::{DType, Device, Engine, ModelFile, Result, Tensor};

#[path = "common/picture.rs"]
mod picture;
use picture::Picture;

const SIZE: usize = 224; // the network sees so many rows of as many pixels

/// Blocks that follow each other: how many, the stride of the first, and whether they widen before the depthwise
/// convolution.
const STAGES: [(usize, usize, bool); 7] =
    [(1, 1, false), (2, 2, true), (2, 2, true), (3, 2, true), (3, 1, true), (4, 2, true), (1, 1, true)];

/// A weight and a bias of each layer, in the order in which they are needed, and what the classes are called.
struct Network {
    layers: Vec<(Tensor, Tensor)>,
    names: Vec<String>,
}

impl Network {
    fn load(file: &ModelFile, engine: &Engine, device: Device) -> Result<Self> {
        let mut names = vec!["stem".to_string()];
        let mut block = 0;
        for (blocks, _, expand) in STAGES {
            for _ in 0..blocks {
                let parts = ["expand", "depthwise", "project"];
                names.extend(parts.iter().skip(usize::from(!expand)).map(|part| format!("blocks.{block}.{part}")));
                block += 1;
            }
        }
        names.extend(["head".to_string(), "classes".to_string()]);
        let load = |name: &str, part| file.load(&format!("{name}.{part}"), engine, device);
        let layers =
            names.iter().map(|name| Ok((load(name, "weight")?, load(name, "bias")?))).collect::<Result<_>>()?;
        let classes =
            file.metadata()?.into_iter().find(|(key, _)| key == "classes").map_or(String::new(), |(_, text)| text);
        Ok(Network { layers, names: classes.lines().map(str::to_string).collect() })
    }

    /// Probabilities of the classes; pixels: u8 [n, SIZE, SIZE, 3].
    fn probabilities(&self, pixels: &Tensor) -> Result<Tensor> {
        let mut layers = self.layers.iter();
        let mut next = move || layers.next().expect("load() and this agree on the layers");
        let mut x = ((pixels.cast(DType::F32)? - 127.0)? * (1.0 / 128.0))?.permute([0, 3, 1, 2])?;
        x = convolution(next(), &x, 2, None)?.clip(0.0, 6.0)?;
        for (blocks, stride, expand) in STAGES {
            for block in 0..blocks {
                let stride = if block == 0 { stride } else { 1 };
                let wide = if expand { convolution(next(), &x, 1, None)?.clip(0.0, 6.0)? } else { x.share()? };
                let inner = convolution(next(), &wide, stride, None)?.clip(0.0, 6.0)?;
                x = convolution(next(), &inner, 1, Some(&x).filter(|_| stride == 1))?;
            }
        }
        let features = convolution(next(), &x, 1, None)?.clip(0.0, 6.0)?.mean([2, 3])?;
        let (weight, bias) = next();
        features.matmul_with(weight, Matmul::new().transpose_b().bias(bias))?.softmax(-1)
    }
}

/// Each side is padded so that the result has size / stride places, rounded up; of an odd number of zeros one more stands
/// behind. The residual is added where it fits.
fn convolution(layer: &(Tensor, Tensor), x: &Tensor, stride: usize, residual: Option<&Tensor>) -> Result<Tensor> {
    let (weight, bias) = layer;
    let (size, kernel) = (x.shape()?, weight.shape()?);
    let zeros = |axis: usize| ((size[axis] - 1) / stride * stride + kernel[axis]).saturating_sub(size[axis]) as i64;
    let before = [zeros(2) / 2, zeros(3) / 2];
    let behind = [zeros(2) - before[0], zeros(3) - before[1]];
    let how = Convolution::new().stride([stride as i64; 2]).padding(before).padding_end(behind);
    let how = how.groups((size[1] / kernel[1]) as i64).bias(bias);
    match residual {
        Some(residual) if residual.shape()?[1] == kernel[0] => x.convolution(weight, how.residual(residual)),
        _ => x.convolution(weight, how),
    }
}

/// The square in the middle with 7/8 of the shorter side, each of SIZE x SIZE pixels the mean of what it covers.
fn crop(Picture { width, height, rgb }: &Picture) -> Vec<u8> {
    let side = (*width.min(height) * 7 / 8).max(1);
    let (left, top) = ((width - side) / 2, (height - side) / 2);
    let span = |i: usize| ((i * side) as f64 / SIZE as f64, ((i + 1) * side) as f64 / SIZE as f64);
    let covered = |i: usize, (begin, end): (f64, f64)| (i as f64 + 1.0).min(end) - (i as f64).max(begin);
    let area = (side as f64 / SIZE as f64).powi(2);
    let mut out = Vec::with_capacity(3 * SIZE * SIZE);
    for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
        let (rows, columns) = (span(y), span(x));
        let mut sum = [0.0; 3];
        for v in rows.0 as usize..rows.1.ceil() as usize {
            for u in columns.0 as usize..columns.1.ceil() as usize {
                let pixel = 3 * ((top + v) * width + left + u);
                for (c, each) in sum.iter_mut().enumerate() {
                    *each += covered(v, rows) * covered(u, columns) * f64::from(rgb[pixel + c]);
                }
            }
        }
        out.extend(sum.iter().map(|each| (each / area + 0.5) as u8));
    }
    out
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, device, paths) = match &arguments[..] {
        [model, device, paths @ ..] if !paths.is_empty() => (model, device.parse::<Device>()?, paths),
        _ => return Err("usage: photographs MODEL.safetensors cpu|cuda:0 PICTURE.ppm ...".into()),
    };
    let mut pixels = Vec::new();
    for path in paths {
        pixels.extend(crop(&Picture::read(path)?));
    }
    let engine = Engine::new()?;
    let network = Network::load(&ModelFile::open(model)?, &engine, device)?;
    let input = Tensor::from_slice(&engine, device, [paths.len(), SIZE, SIZE, 3], &pixels)?;
    let (graph, output) = engine.recording().name("photographs").record(|| network.probabilities(&input))?;
    graph.launch()?;
    let probabilities = output.to_vec::<f32>()?;
    for (path, each) in paths.iter().zip(probabilities.chunks(network.names.len().max(1))) {
        let mut order: Vec<usize> = (0..each.len()).collect();
        order.sort_by(|&a, &b| each[b].total_cmp(&each[a]));
        println!("\n{path}");
        for &class in order.iter().take(5) {
            println!("  {:5.1} %  {}", 100.0 * each[class], network.names[class]);
        }
    }
    Ok(())
}
