//! A load of everything whose memory or thread another part of a program may have by then: what tasks lend and give away, engines that end
//! while they work, callables, foreign memory, what closures throw. It is for a library under AddressSanitizer (`tests/run.py address`);
//! RONDO_TEST_LOAD_SECONDS says for how long, else it takes two seconds.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::cell::RefCell;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{block_on, eventually};
use rondo::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use rondo::{
    Callable, Completion, DType, Device, Engine, EngineMode, Error, ErrorKind, Graph, Result, Tensor, Variable,
};

const THREADS: usize = 8;
const COUNT: usize = 512; // elements of each tensor

/// What is held by something that Rondo holds: none is left in the end.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// Engines that were put in the place of others.
static REPLACED: AtomicUsize = AtomicUsize::new(0);

struct Held;

impl Held {
    fn new() -> Held {
        HELD.fetch_add(1, Ordering::SeqCst);
        Held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// An engine and what all threads use of it, until one of them puts another in its place.
struct World {
    engine: Engine,
    shared: Tensor,
    call: Callable,
    launched: Graph,
    arena: [Graph; 2],
}

impl World {
    fn new(random: &mut Random) -> Result<World> {
        let mode = [EngineMode::Async, EngineMode::Threaded][random.below(2)];
        let engine = Engine::builder().mode(mode).workers(2).build()?;
        let shared = Tensor::full(&engine, Device::CPU, DType::I32, COUNT, 1.0)?;
        let held = Held::new();
        let call = engine.callable(1, move |x| {
            let _ = &held;
            match x[0].dtype()? {
                DType::I32 => Ok(vec![x[0].mul(9)?.add(1)?]),
                DType::F64 => panic!("out of luck"),
                _ => Err(Error::new(ErrorKind::IoError, "disk gone")),
            }
        })?;
        let (launched, _) = engine.record(|| shared.add(1)?.sum(..))?;
        let held = Held::new();
        let (first, _) = engine.recording().arena("one").as_written().record(|| {
            let between = Tensor::empty(&engine, Device::CPU, DType::I32, COUNT)?;
            engine.task("between").writes(&between).submit(move |task| {
                let _ = &held;
                Ok(task.output_slice::<i32>(0)?.fill(3))
            })?;
            between.sum(..)
        })?;
        let (second, _) = engine.recording().arena("one").as_written().record(|| shared.add(2)?.sum(..))?;
        Ok(World { engine, shared, call, launched, arena: [first, second] })
    }
}

/// A task of somebody that is to be completed, in any thread.
type Open = (Completion, Arc<Held>);

/// An engine ends, by turns, while a task of it is open and others wait for that: nobody else writes what it lends.
fn lent(random: &mut Random) -> Result<()> {
    let engine = Engine::builder().workers(1 + random.below(2) as i32).build()?;
    let x = Tensor::zeros(&engine, Device::CPU, DType::I32, COUNT)?;
    let one = Tensor::ones(&engine, Device::CPU, DType::I32, COUNT)?;
    let (fill, ()) = engine.record(|| x.fill(7.0))?;
    let call = engine.callable(1, |x| Ok(vec![x[0].mul(9)?]))?;
    drop(call.call(&[&one])?);
    let to_write = random.below(2) == 0;
    let (send, receive) = channel();
    let held = Arc::new(Held::new());
    let task = engine.task("later");
    let task = if to_write { task.writes(&x) } else { task.reads(&x) };
    task.submit(move |task| Ok(send.send((task.defer()?, held.clone())).map_err(|_| "nobody listens")?))?;
    for _ in 0..1 + random.below(3) {
        match random.below(4) {
            0 => fill.launch()?, // each waits for the task
            1 => call.call_into(&[&one], &[&x])?,
            2 => x.fill(5.0)?,
            _ => engine.task("after").writes(&x).submit(|task| Ok(task.output_slice::<i32>(0)?.fill(4)))?,
        }
    }
    let (done, _held) = receive.recv().unwrap();
    let expected = if to_write {
        done.output_slice::<i32>(0)?.fill(1);
        1
    } else {
        0
    };
    let late = random.below(2) == 0;
    if late {
        drop((fill, call, one, x, engine)); // the engine ends
    }
    for _ in 0..random.below(4) {
        thread::yield_now();
    }
    thread::sleep(Duration::from_millis(random.below(3) as u64));
    if !to_write {
        let mine: &[i32] = done.input_slice(0)?;
        assert!(mine.iter().all(|&v| v == expected), "written behind a reader's back");
    }
    match random.below(3) {
        0 => assert_eq!(done.complete().is_err(), late),
        1 => drop(done.fail("disk gone")),
        _ => drop(done),
    }
    Ok(())
}

/// What was filled by us stays so, while a slice of ours is there.
fn kept(random: &mut Random) -> Result<()> {
    let engine = Engine::new()?;
    let x = Tensor::zeros(&engine, Device::CPU, DType::I32, COUNT)?;
    let (fill, ()) = engine.record(|| x.fill(7.0))?;
    let (send, receive) = channel();
    engine
        .task("later")
        .writes(&x)
        .submit(move |task| Ok(send.send(task.defer()?).map_err(|_| "nobody listens")?))?;
    fill.launch()?;
    let done = receive.recv().unwrap();
    let mine: &mut [i32] = done.output_slice(0)?;
    mine.fill(1);
    drop((fill, x, engine));
    thread::sleep(Duration::from_millis(random.below(5) as u64));
    assert!(mine.iter().all(|&v| v == 1), "written behind a writer's back");
    Ok(())
}

/// Tasks of the shared engine, whose ends go to whoever takes them.
fn given_away(world: &World, to: &Sender<Open>) -> Result<()> {
    let x = Tensor::empty(&world.engine, Device::CPU, DType::I32, COUNT)?;
    let (to, held) = (to.clone(), Arc::new(Held::new()));
    let task = world.engine.task("open").reads(&world.shared).writes(&x);
    task.submit(move |task| Ok(to.send((task.defer()?, held.clone())).map_err(|_| "nobody listens")?))?;
    drop(x.add(1)?); // behind it
    Ok(())
}

fn complete(open: &Mutex<Receiver<Open>>, random: &mut Random) {
    let taken = open.lock().unwrap().try_recv();
    if let Ok((done, _held)) = taken {
        let (from, to) = (done.input_slice::<i32>(0), done.output_slice::<i32>(0));
        if let (Ok(from), Ok(to)) = (from, to) {
            to.copy_from_slice(from);
        }
        match random.below(4) {
            0 => drop(done.fail("call rondo_binary(")), // a message may quote anything
            1 => drop(done),
            _ => drop(done.complete()),
        }
    }
}

fn call(world: &World, random: &mut Random) -> Result<()> {
    let engine = &world.engine;
    match random.below(6) {
        0 => {
            let wrong = Tensor::zeros(engine, Device::CPU, DType::F32, 3)?;
            assert_eq!(world.call.call(&[&wrong]).unwrap_err().kind(), ErrorKind::IoError);
        }
        1 => {
            let wrong = Tensor::zeros(engine, Device::CPU, DType::F64, 3)?;
            assert!(catch_unwind(AssertUnwindSafe(|| world.call.call(&[&wrong]))).is_err());
        }
        2 => world.call.clear()?,
        _ => {
            let x = Tensor::full(engine, Device::CPU, DType::I32, 1 + random.below(8), 2.0)?;
            let y = world.call.call(&[&x])?;
            assert!(y[0].to_vec::<i32>()?.iter().all(|&v| v == 19));
        }
    }
    Ok(())
}

fn gradient(engine: &Engine, random: &mut Random) -> Result<()> {
    let x = Tensor::full(engine, Device::CPU, DType::F32, (), 3.0)?;
    let tape = engine.tape(&[&x])?;
    let y = x.round()?;
    let (how, held) = (random.below(3), Held::new());
    rondo::custom_gradient("mine", &[&x], &[&y], move |g| {
        let _ = &held;
        match how {
            0 => Err(Error::new(ErrorKind::IoError, "disk gone")),
            1 => panic!("out of luck"),
            _ => Ok(vec![Some(g[0].mul(2.0)?)]),
        }
    })?;
    match catch_unwind(AssertUnwindSafe(|| tape.gradient(&y, &x))) {
        Ok(Ok(gradient)) => assert_eq!((how, gradient.item::<f32>()?), (2, 2.0)),
        Ok(Err(error)) => assert_eq!((how, error.message()), (0, "disk gone")),
        Err(_) => assert_eq!(how, 1),
    }
    Ok(())
}

/// Memory of somebody else.
struct Foreign {
    managed: DLManagedTensorVersioned,
    shape: [i64; 1],
    data: Vec<i32>,
    _held: Held,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: made by `foreign`, given back once.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Foreign>()) });
}

fn foreign() -> *mut DLManagedTensorVersioned {
    let mut foreign = Box::new(Foreign {
        managed: DLManagedTensorVersioned {
            version: DLPackVersion { major: 1, minor: 0 },
            manager_ctx: null_mut(),
            deleter: Some(delete),
            flags: 0,
            dl_tensor: DLTensor {
                data: null_mut(),
                device: DLDevice { device_type: 1, device_id: 0 },
                ndim: 1,
                dtype: DLDataType { code: 0, bits: 32, lanes: 1 },
                shape: null_mut(),
                strides: null_mut(),
                byte_offset: 0,
            },
        },
        shape: [COUNT as i64],
        data: vec![5; COUNT],
        _held: Held::new(),
    });
    foreign.managed.dl_tensor.data = foreign.data.as_mut_ptr().cast::<c_void>();
    foreign.managed.dl_tensor.shape = foreign.shape.as_mut_ptr();
    let foreign = Box::into_raw(foreign);
    // SAFETY: just made.
    unsafe {
        (*foreign).managed.manager_ctx = foreign.cast();
        &mut (*foreign).managed
    }
}

fn exchanged(engine: &Engine, random: &mut Random) -> Result<()> {
    if random.below(2) == 0 {
        // SAFETY: `foreign` keeps its memory until it is deleted, and nobody else uses it.
        let x = unsafe { Tensor::from_dlpack(engine, foreign())? };
        let y = x.add(1)?;
        drop(x); // the task of y holds it
        assert!(y.to_vec::<i32>()?.iter().all(|&v| v == 6));
    } else {
        let x = Tensor::full(engine, Device::CPU, DType::I32, COUNT, 4.0)?;
        let given = x.to_dlpack()?;
        drop(x);
        assert_eq!(given.shape(), [COUNT as i64]);
        let other = Engine::new()?;
        // SAFETY: made by Rondo, and the only one on its memory now.
        let x = unsafe { Tensor::from_dlpack(&other, given.into_raw())? };
        assert!(x.to_vec::<i32>()?.iter().all(|&v| v == 4));
    }
    Ok(())
}

fn awaited(engine: &Engine, random: &mut Random) -> Result<()> {
    let v = Variable::new(engine)?;
    let held = Held::new();
    let fails = random.below(2) == 0;
    engine.task("awaited").writes(&v).submit(move |_| {
        let _ = &held;
        if fails {
            return Err("told".into());
        }
        Ok(())
    })?;
    let future = v.wait_async()?;
    drop(v);
    if random.below(3) > 0 {
        assert_eq!(block_on(future).is_err(), fails);
    }
    Ok(())
}

fn unwritten(engine: &Engine) -> Result<()> {
    let x = Tensor::empty(engine, Device::CPU, DType::U8, COUNT)?;
    engine.task("look").writes(&x).submit(|task| {
        let zeros = task.output_slice::<u8>(0)?.iter().all(|&v| v == 0);
        zeros.then_some(()).ok_or_else(|| "stale".into())
    })?;
    x.wait()
}

/// Calls Rondo when its thread ends.
struct Late(Tensor);

impl Drop for Late {
    fn drop(&mut self) {
        assert!(self.0.add(1).and_then(|y| y.to_vec::<i32>()).is_ok());
    }
}

fn thread_end(world: &World) {
    thread_local! {
        static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
    }
    let shared = world.shared.clone();
    let end = thread::spawn(move || {
        LATE.with(|late| assert!(late.borrow().is_none()));
        drop(shared.reshape(COUNT + 1).unwrap_err());
        LATE.with(|late| *late.borrow_mut() = Some(Late(shared)));
    });
    end.join().unwrap();
}

fn piece(
    worlds: &Mutex<Arc<World>>,
    send: &Sender<Open>,
    open: &Mutex<Receiver<Open>>,
    random: &mut Random,
) -> Result<()> {
    let world = worlds.lock().unwrap().clone();
    let engine = &world.engine;
    match random.below(16) {
        0 => lent(random),
        1 => kept(random),
        2 | 3 => given_away(&world, send),
        4 | 5 => Ok(complete(open, random)),
        6 | 7 => call(&world, random),
        8 => gradient(engine, random),
        9 | 10 => exchanged(engine, random),
        11 => awaited(engine, random),
        12 => unwritten(engine),
        13 => world.launched.launch().and_then(|()| world.arena[random.below(2)].launch()),
        14 => Ok(thread_end(&world)),
        _ => {
            let other = Arc::new(World::new(random)?);
            *worlds.lock().unwrap() = other; // the old one ends when the last piece lets go of it
            REPLACED.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }
}

#[test]
fn what_others_hold_stays_whole_under_load() {
    let seconds = std::env::var("RONDO_TEST_LOAD_SECONDS").map_or(2, |text| text.parse().unwrap());
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&"out of luck") {
            told(info);
        }
    }));
    let end = Instant::now() + Duration::from_secs(seconds);
    let worlds = Mutex::new(Arc::new(World::new(&mut Random(88_172_645_463_325_252)).unwrap()));
    let (send, receive) = channel();
    let open = Mutex::new(receive);
    let pieces = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (worlds, send, open, pieces) = (&worlds, send.clone(), &open, &pieces);
            scope.spawn(move || {
                let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1));
                while Instant::now() < end {
                    piece(worlds, &send, open, &mut random).unwrap();
                    pieces.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    drop((worlds, send, open));
    let done = pieces.into_inner();
    let replaced = REPLACED.load(Ordering::Relaxed);
    println!("{} seconds, {} threads: {} pieces, {} engines replaced under them", seconds, THREADS, done, replaced);
    assert!(done > THREADS && replaced > 0, "{} pieces, {} engines replaced", done, replaced);
    assert!(eventually(|| HELD.load(Ordering::SeqCst) == 0), "{} are held by nobody", HELD.load(Ordering::SeqCst));
}
