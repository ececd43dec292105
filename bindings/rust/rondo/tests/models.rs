//! Model files: what is written is read; files of the Python package; what is refused.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use common::everywhere;
use rondo::{DType, Device, Engine, ErrorKind, ModelFile, Tensor};

const NONE: [(&str, &str); 0] = [];

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("rondo-rust-models-{}-{}", name, process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("round");
    let path = folder.path("m\u{f6}del.safetensors");
    everywhere(|engine, device| {
        let w = Tensor::from_slice(engine, device, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let turned = w.transpose().unwrap();
        let flags = Tensor::from_slice(engine, device, 2, &[true, false]).unwrap();
        let scalar = Tensor::full(engine, device, DType::I64, (), -3.0).unwrap();
        let named = [("w\u{f6}rter", &w), ("turned", &turned), ("flags", &flags), ("scalar", &scalar)];
        ModelFile::write(&path, named, [("format", "rondo"), ("\"", "\u{1f600}\n")]).unwrap();

        let file = ModelFile::open(&path).unwrap();
        assert_eq!(format!("{:?}", file), "ModelFile(4 tensors, 58 bytes)");
        let expected =
            [("format", "rondo"), ("\"", "\u{1f600}\n")].map(|(key, value)| (key.to_string(), value.to_string()));
        assert_eq!(file.metadata().unwrap(), expected);
        let names: Vec<_> = file.tensors().unwrap().into_iter().map(|tensor| tensor.name).collect();
        assert_eq!(names, ["scalar", "turned", "w\u{f6}rter", "flags"]);
        let entry = file.tensor("turned").unwrap();
        assert_eq!((entry.dtype, &*entry.format_dtype, entry.bytes), (Some(DType::F32), "F32", 24));
        assert_eq!((&*entry.shape, entry.dimensions), (&[3, 2][..], 2));

        let loaded = file.load("turned", engine, device).unwrap();
        assert_eq!(loaded.to_vec::<f32>().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(file.load("flags", engine, device).unwrap().to_vec::<bool>().unwrap(), [true, false]);
        assert_eq!(file.load("scalar", engine, device).unwrap().item::<i64>().unwrap(), -3);
        let rows = Tensor::zeros(engine, device, DType::F32, [4, 3]).unwrap();
        file.load_into("w\u{f6}rter", &rows.slice_axis(0, 1..3).unwrap()).unwrap();
        drop(file);
        assert_eq!(rows.to_vec::<f32>().unwrap(), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0]);
    });
}

#[test]
fn files_of_the_python_package() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/models/files");
    if !files.exists() {
        return; // a packed crate has the crate alone
    }
    let engine = Engine::new().unwrap();
    let file = ModelFile::open(files.join("rondo.safetensors")).unwrap();
    let tensors = file.tensors().unwrap();
    let loaded: Vec<_> = tensors.iter().map(|each| file.load(&each.name, &engine, Device::CPU).unwrap()).collect();
    let folder = Folder::new("python");
    let named = tensors.iter().zip(&loaded).map(|(each, tensor)| (&each.name, tensor));
    ModelFile::write(folder.path("again"), named, file.metadata().unwrap()).unwrap();
    assert_eq!(fs::read(folder.path("again")).unwrap(), fs::read(files.join("rondo.safetensors")).unwrap());

    let file = ModelFile::open(files.join("dtypes.safetensors")).unwrap();
    for each in file.tensors().unwrap() {
        match (each.dtype, file.load(&each.name, &engine, Device::CPU)) {
            (Some(dtype), loaded) => assert_eq!(loaded.unwrap().dtype().unwrap(), dtype),
            (None, loaded) => assert_eq!(loaded.unwrap_err().kind(), ErrorKind::Unsupported),
        }
    }
}

#[test]
fn what_is_wrong_is_refused() {
    let folder = Folder::new("wrong");
    let path = folder.path("model");
    let engine = Engine::new().unwrap();
    let w = Tensor::zeros(&engine, Device::CPU, DType::F32, 2).unwrap();
    let kind = |result: rondo::Result<()>| result.unwrap_err().kind();
    assert_eq!(kind(ModelFile::write(&path, [("a", &w), ("a", &w)], NONE)), ErrorKind::InvalidArgument);
    assert_eq!(kind(ModelFile::write(&path, [("a\0", &w)], NONE)), ErrorKind::InvalidArgument);
    assert_eq!(kind(ModelFile::write(&path, [("a", &w)], [("k\0", "")])), ErrorKind::InvalidArgument);
    assert_eq!(kind(ModelFile::write(folder.path("missing/model"), [("a", &w)], NONE)), ErrorKind::IoError);
    assert!(!path.exists());

    fs::write(&path, b"\xff\0\0\0\0\0\0\0{}").unwrap();
    assert_eq!(ModelFile::open(&path).unwrap_err().kind(), ErrorKind::IoError);
    assert_eq!(ModelFile::open(folder.path("missing")).unwrap_err().kind(), ErrorKind::NotFound);

    ModelFile::write(&path, [("a", &w)], NONE).unwrap();
    let file = ModelFile::open(&path).unwrap();
    assert_eq!(file.load("b", &engine, Device::CPU).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(file.tensor("b").unwrap_err().kind(), ErrorKind::NotFound);
    let other = Tensor::zeros(&engine, Device::CPU, DType::F32, 3).unwrap();
    assert_eq!(kind(file.load_into("a", &other)), ErrorKind::InvalidArgument);

    // Cut while it is open: an error of the tensor, no signal.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(10).unwrap();
    let cut = file.load("a", &engine, Device::CPU).unwrap();
    assert_eq!(cut.wait().unwrap_err().kind(), ErrorKind::IoError);
    assert!(engine.wait_all().is_err());
}
