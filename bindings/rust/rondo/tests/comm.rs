//! Communicators and buckets: ranks that one thread drives, ranks that are threads, failures.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::collections::HashMap;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rondo::ops::ReduceOp;
use rondo::{
    BoxError, Buckets, Comm, CommState, DType, Device, DeviceKind, Engine, EngineMode, ErrorKind, Result, Step, Tensor,
};

fn engine() -> Engine {
    Engine::builder().mode(EngineMode::Async).build().unwrap()
}

/// The devices of two ranks: the cpu for both, and the first two CUDA devices where there are two.
fn pairs() -> Vec<[Device; 2]> {
    let two = Device::count(DeviceKind::Cuda).unwrap() > 1;
    assert!(two || std::env::var_os("RONDO_TEST_NEEDS_CUDA").is_none(), "two CUDA devices are needed");
    let cuda = if two { Some([Device::cuda(0), Device::cuda(1)]) } else { None };
    std::iter::once([Device::CPU; 2]).chain(cuda).collect()
}

/// Two ends, each with a tensor: 1, 2, 3, 4 and ten times that.
fn group(engine: &Engine, devices: [Device; 2]) -> (Vec<Comm>, Vec<Tensor>) {
    let ends = Comm::builder(engine).name("pair").build_all(&devices).unwrap();
    let up = |rank: usize, values: &[f32]| Tensor::from_slice(engine, devices[rank], 4, values).unwrap();
    (ends, vec![up(0, &[1.0, 2.0, 3.0, 4.0]), up(1, &[10.0, 20.0, 30.0, 40.0])])
}

/// What both ranks get.
fn both(ends: &[Comm], mine: &[Tensor], body: impl Fn(&Comm, &Tensor) -> Result<Tensor>) -> [Vec<f32>; 2] {
    let results: Vec<_> = ends.iter().zip(mine).map(|(end, mine)| body(end, mine).unwrap()).collect();
    [results[0].to_vec().unwrap(), results[1].to_vec().unwrap()]
}

fn zeros_like(of: &Tensor, elements: usize) -> Result<Tensor> {
    Tensor::zeros(of.engine(), of.device()?, DType::F32, elements)
}

#[test]
fn every_collective_gives_what_it_says() {
    for devices in pairs() {
        let engine = engine();
        let (ends, mine) = group(&engine, devices);
        let sum = vec![11.0, 22.0, 33.0, 44.0];
        let all = vec![1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0];
        assert_eq!(both(&ends, &mine, |end, mine| end.all_reduce(mine, ReduceOp::Sum)), [sum.clone(), sum.clone()]);
        assert_eq!(both(&ends, &mine, |end, mine| end.all_gather(mine)), [all.clone(), all.clone()]);
        let into = |end: &Comm, mine: &Tensor| {
            let out = zeros_like(mine, 8)?;
            end.all_gather_into(mine, &out).map(|()| out)
        };
        assert_eq!(both(&ends, &mine, into), [all.clone(), all]);
        assert_eq!(
            both(&ends, &mine, |end, mine| end.reduce_scatter(mine, ReduceOp::Max)),
            [vec![10.0, 20.0], vec![30.0, 40.0]]
        );
        let into = |end: &Comm, mine: &Tensor| {
            let out = zeros_like(mine, 2)?;
            end.reduce_scatter_into(mine, ReduceOp::Sum, &out).map(|()| out)
        };
        assert_eq!(both(&ends, &mine, into), [vec![11.0, 22.0], vec![33.0, 44.0]]);
        let swapped = [vec![1.0, 2.0, 10.0, 20.0], vec![3.0, 4.0, 30.0, 40.0]];
        assert_eq!(both(&ends, &mine, |end, mine| end.all_to_all(mine)), swapped);
        let into = |end: &Comm, mine: &Tensor| {
            let out = zeros_like(mine, 4)?;
            end.all_to_all_into(mine, &out).map(|()| out)
        };
        assert_eq!(both(&ends, &mine, into), swapped);
        let reduced: Vec<_> =
            ends.iter().zip(&mine).map(|(end, mine)| end.reduce(mine, ReduceOp::Sum, 1).unwrap()).collect();
        assert!(reduced[0].is_none());
        assert_eq!(reduced[1].as_ref().unwrap().to_vec::<f32>().unwrap(), sum);
        let crossed = both(&ends, &mine, |end, mine| {
            let (peer, theirs) = (1 - end.info()?.rank, zeros_like(mine, 4)?);
            end.group(|| {
                end.send(mine, peer)?;
                end.receive(&theirs, peer)
            })?;
            Ok(theirs)
        });
        assert_eq!(crossed, [vec![10.0, 20.0, 30.0, 40.0], vec![1.0, 2.0, 3.0, 4.0]]);
        let in_place = both(&ends, &mine, |end, mine| {
            end.all_reduce_into(mine, ReduceOp::Mean, mine)?;
            end.reduce_into(mine, ReduceOp::Sum, 0, mine)?;
            end.broadcast(mine, 0)?;
            mine.share()
        });
        assert_eq!(in_place, [sum.clone(), sum]);
        for (rank, end) in ends.iter().enumerate() {
            end.barrier().unwrap();
            let info = end.info().unwrap();
            assert_eq!(
                (info.rank, info.ranks, info.device, info.state),
                (rank as i32, 2, devices[rank], CommState::Working)
            );
        }
        ends[0].wait().unwrap();
    }
}

#[test]
fn recorded_they_are_part_of_the_graph() {
    for devices in pairs() {
        let engine = engine();
        let (ends, mine) = group(&engine, devices);
        let record = |rank: usize| {
            engine.record(|| ends[rank].all_reduce(&mine[rank].mul(2.0)?, ReduceOp::Sum)?.add(1.0)).unwrap()
        };
        let (first, second) = (record(0), record(1));
        for _ in 0..2 {
            first.0.launch().unwrap();
            second.0.launch().unwrap();
            assert_eq!(first.1.to_vec::<f32>().unwrap(), [23.0, 45.0, 67.0, 89.0]);
            assert_eq!(second.1.to_vec::<f32>().unwrap(), [23.0, 45.0, 67.0, 89.0]);
        }
    }
}

#[test]
fn a_group_that_fails_submits_nothing() {
    let engine = engine();
    let (ends, mine) = group(&engine, [Device::CPU; 2]);
    let failed = ends[0].group(|| {
        ends[0].send(&mine[0], 1)?;
        Err::<(), _>(rondo::Error::new(ErrorKind::UserError, "a change of mind"))
    });
    assert_eq!(failed.unwrap_err().message(), "a change of mind");
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        ends[0].group(|| -> Result<()> {
            ends[0].send(&mine[0], 1)?;
            panic!("no more")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(ends[0].info().unwrap().submitted, 0);
    assert_eq!(both(&ends, &mine, |end, mine| end.all_reduce(mine, ReduceOp::Sum))[1][0], 11.0);
}

#[test]
fn an_abort_ends_what_is_under_way_and_a_group_is_made_again() {
    let engine = engine();
    let (ends, mine) = group(&engine, [Device::CPU; 2]);
    let sum = ends[0].all_reduce(&mine[0], ReduceOp::Sum).unwrap(); // to which rank 1 does not come
    assert_eq!(Comm::reform(&[&ends[0], &ends[1]]).unwrap_err().kind(), ErrorKind::InvalidState);
    ends[1].abort("enough of it").unwrap();
    let error = sum.wait().unwrap_err();
    assert!(error.kind() == ErrorKind::RankLost && error.message().contains("enough of it"), "{}", error);
    assert!(ends.iter().all(|end| common::eventually(|| end.check().is_err())));
    assert_eq!(ends[0].info().unwrap().state, CommState::Failed);
    let again = Comm::reform(&[&ends[0], &ends[1]]).unwrap();
    assert_eq!(both(&again, &mine, |end, mine| end.all_reduce(mine, ReduceOp::Sum))[0][3], 44.0);
    let _ = engine.wait_all(); // the failure was meant
}

#[test]
fn ranks_that_are_threads_meet() {
    let folder = tempfile("threads");
    let address = format!("file:{}", folder);
    let rank = |rank: i32| {
        let address = address.clone();
        thread::spawn(move || -> Result<Vec<f32>> {
            let engine = engine();
            let limit = Duration::from_secs(60);
            let builder = Comm::builder(&engine).rank(rank, 2).address(&address).secret("tacit").name("threads");
            let world = builder.time_limit(limit).max_blocks(4).build(Device::CPU)?;
            let turned = Comm::split(&[&world], &[0], &[-rank])?.remove(0).unwrap();
            assert_eq!(turned.info()?.rank, 1 - rank);
            assert!(Comm::split(&[&world], &[-1], &[0])?[0].is_none());
            let mine = Tensor::from_slice(&engine, Device::CPU, 1, &[rank as f32])?;
            turned.all_gather(&mine)?.to_vec()
        })
    };
    let (first, second) = (rank(0), rank(1));
    assert_eq!(first.join().unwrap().unwrap(), [1.0, 0.0]);
    assert_eq!(second.join().unwrap().unwrap(), [1.0, 0.0]);
}

fn tempfile(name: &str) -> String {
    std::env::temp_dir().join(format!("rondo-comm-{}-{}", name, std::process::id())).display().to_string()
}

#[test]
fn misuse_is_refused() {
    let engine = engine();
    let (ends, mine) = group(&engine, [Device::CPU; 2]);
    let kind = |result: Result<Comm>| result.unwrap_err().kind();
    assert_eq!(kind(Comm::builder(&engine).rank(2, 2).build(Device::CPU)), ErrorKind::InvalidArgument);
    assert_eq!(kind(Comm::builder(&engine).name("a\0b").build(Device::CPU)), ErrorKind::InvalidArgument);
    assert_eq!(
        kind(Comm::builder(&engine).time_limit(None).max_blocks(99).build(Device::CPU)),
        ErrorKind::InvalidArgument
    );
    assert!(Comm::all(&engine, &[]).is_err());
    assert!(Comm::builder(&engine).rank(0, 2).build_all(&[Device::CPU; 2]).is_err());
    assert!(Comm::split(&[&ends[0], &ends[1]], &[0], &[0, 0]).is_err());
    assert!(Comm::split(&[&ends[0], &ends[1]], &[0, 0], &[0]).is_err());
    assert_eq!(ends[0].all_reduce(&mine[0], ReduceOp::Argmax).unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(Buckets::new(&ends[0], &[&mine[0], &mine[0]]).is_err());
    let buckets = Buckets::new(&ends[0], &[&mine[0]]).unwrap();
    assert!(buckets.gradient(usize::MAX).is_err());
    assert!(buckets.reduce(&engine.tape(&[]).unwrap(), &mine[0].sum(..).unwrap()).is_err());
    drop(ends); // the buckets keep theirs
    assert_eq!(buckets.info().unwrap().parameters, 1);
}

#[test]
fn buckets_give_every_rank_the_gradients_of_all() {
    for devices in pairs() {
        let engine = engine();
        let (ends, mine) = group(&engine, devices);
        for (sum, expected) in [(false, [5.5f32, 11.0, 16.5, 22.0]), (true, [11.0, 22.0, 33.0, 44.0])] {
            let parameter = |rank: usize| Tensor::full(&engine, devices[rank], DType::F32, 4, 3.0).unwrap();
            let parameters = [parameter(0), parameter(1)];
            let buckets = |rank: usize| {
                let builder = Buckets::builder(&ends[rank]).bucket_bytes(1024).edge_bytes(256);
                (if sum { builder.sum() } else { builder }).build(&[&parameters[rank]]).unwrap()
            };
            let all = [buckets(0), buckets(1)];
            let step = |rank: usize| {
                let tape = engine.tape(&[&parameters[rank]])?;
                all[rank].reduce(&tape, &parameters[rank].mul(&mine[rank])?.sum(..)?)
            };
            let check = || {
                for each in &all {
                    assert_eq!(each.gradients().unwrap()[0].to_vec::<f32>().unwrap(), expected);
                }
            };
            (0..2).try_for_each(step).unwrap();
            check();
            let graphs: Vec<_> = (0..2).map(|rank| engine.record(|| step(rank)).unwrap().0).collect();
            all.iter().for_each(|each| each.gradient(0).unwrap().fill(0.0).unwrap());
            graphs.iter().for_each(|graph| graph.launch().unwrap());
            check();
        }
    }
}

#[test]
fn buckets_leave_gradients_of_others_to_their_rank() {
    for devices in pairs() {
        let engine = engine();
        let (ends, mine) = group(&engine, devices);
        let parameter = |rank: usize| Tensor::full(&engine, devices[rank], DType::F32, 4, 3.0).unwrap();
        let parameters = [parameter(0), parameter(1)];
        let all: Vec<_> = (0..2).map(|rank| Buckets::new(&ends[rank], &[&parameters[rank]]).unwrap()).collect();
        let step = |rank: usize, factor: f64| {
            let tape = engine.tape(&[&parameters[rank], &mine[rank]])?;
            let loss = parameters[rank].mul(&mine[rank])?.mul(factor)?.sum(..)?;
            all[rank].reduce_with(&tape, &loss, &[&mine[rank]])
        };
        let own: Vec<_> = (0..2).map(|rank| step(rank, 1.0 + rank as f64).unwrap()).collect();
        for rank in 0..2 {
            assert_eq!(own[rank].len(), 1);
            assert_eq!(own[rank][0].to_vec::<f32>().unwrap(), [3.0 + 3.0 * rank as f32; 4]);
            let mean: Vec<f32> = (1..=4).map(|k| k as f32 * (1.0 + 2.0 * 10.0) / 2.0).collect();
            assert_eq!(all[rank].gradient(0).unwrap().to_vec::<f32>().unwrap(), mean);
        }
        let tape = engine.tape(&[&parameters[0], &mine[0]]).unwrap();
        let loss = parameters[0].mul(&mine[0]).unwrap().sum(..).unwrap();
        let none = all[0].reduce_with(&tape, &loss, &[]).unwrap_err();
        assert_eq!(none.kind(), ErrorKind::InvalidArgument);
        assert!(none.to_string().contains("Buckets::reduce_with"), "{none}");
        let other = all[0].reduce_with(&tape, &loss, &[&mine[1]]).unwrap_err();
        assert!(other.to_string().contains("sources[0]"), "{other}");
    }
}

/// Messages between two threads, by channel and direction.
#[derive(Default)]
struct Post {
    ways: Mutex<HashMap<(i32, i32, i32), Arc<Way>>>,
}

struct Way(Mutex<Sender<Vec<u8>>>, Mutex<Receiver<Vec<u8>>>);

impl Post {
    fn way(&self, channel_number: i32, from: i32, to: i32) -> Arc<Way> {
        let mut ways = self.ways.lock().unwrap();
        let way = ways.entry((channel_number, from, to)).or_insert_with(|| {
            let (sender, receiver) = channel();
            Arc::new(Way(Mutex::new(sender), Mutex::new(receiver)))
        });
        Arc::clone(way)
    }

    fn step(&self, rank: i32, step: &mut Step<'_>) -> Result<(), BoxError> {
        for each in &step.sends {
            self.way(step.channel, rank, each.rank).0.lock().unwrap().send(each.data.to_vec())?;
        }
        let (channel, mut receives) = (step.channel, std::mem::take(&mut step.receives));
        for each in &mut receives {
            let way = self.way(channel, each.rank, rank);
            loop {
                if step.stopped() {
                    return Err("stopped".into());
                }
                if let Ok(data) = way.1.lock().unwrap().recv_timeout(Duration::from_millis(20)) {
                    each.data.copy_from_slice(&data);
                    break;
                }
            }
        }
        Ok(())
    }
}

#[test]
fn ranks_reach_each_other_by_a_closure() {
    let post = Arc::new(Post::default());
    let rank = |rank: i32| {
        let post = Arc::clone(&post);
        thread::spawn(move || -> Result<Vec<f32>> {
            let engine = engine();
            let end =
                Comm::builder(&engine).rank(rank, 2).build_with(Device::CPU, move |step| post.step(rank, step))?;
            let mine = Tensor::full(&engine, Device::CPU, DType::F32, 3, f64::from(rank + 1))?;
            end.all_reduce(&mine, ReduceOp::Sum)?.to_vec()
        })
    };
    let (first, second) = (rank(0), rank(1));
    assert_eq!(first.join().unwrap().unwrap(), [3.0; 3]);
    assert_eq!(second.join().unwrap().unwrap(), [3.0; 3]);
}

#[test]
fn what_a_closure_returns_fails_the_call() {
    let engine = engine();
    let build = |exchange: fn(&mut Step<'_>) -> Result<(), BoxError>| {
        Comm::builder(&engine).rank(0, 2).build_with(Device::CPU, exchange).unwrap_err()
    };
    let error = build(|_| Err("the net is down".into()));
    assert!(error.kind() == ErrorKind::UserError && error.message().contains("the net is down"), "{}", error);
    let error = build(|_| Err(rondo::Error::new(ErrorKind::NotFound, "no such host").into()));
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = build(|_| panic!("out of luck"));
    assert!(error.message().contains("panicked: out of luck"), "{}", error);
}
