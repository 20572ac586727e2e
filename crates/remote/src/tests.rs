//! A server with faults: an input is read whole, or has a named problem.
#![expect(
    clippy::disallowed_methods,
    reason = "the server has threads, and the number of runs is set"
)]

mod upload;

use crate::origins;
use crate::{Settings, Shared};
use doiscan_input::problem::Problem;
use doiscan_input::{Origin, Source, Unit};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// What the server does with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Closes the connection before it answers.
    Reset,
    /// Closes it within the head of the reply.
    CutHead(usize),
    /// Closes it within the body.
    CutBody(usize),
    /// Sends other bytes than were asked for, and says so.
    OtherRange,
    /// Sends fewer bytes than were asked for, and says so.
    ShortRange,
    /// Ignores the range.
    Whole,
    /// Says that it is busy, and when to return.
    Busy,
    /// Answers 500.
    Broken,
    /// Sends the client elsewhere, where the file is.
    Moved,
    /// Waits before it answers.
    Slow,
}

const FAULTS: [Fault; 13] = [
    Fault::None,
    Fault::Reset,
    Fault::CutHead(5),
    Fault::CutHead(40),
    Fault::CutBody(0),
    Fault::CutBody(1),
    Fault::CutBody(70_000),
    Fault::OtherRange,
    Fault::ShortRange,
    Fault::Whole,
    Fault::Busy,
    Fault::Moved,
    Fault::Slow,
];

/// How a server answers.
#[derive(Clone, Copy, Debug)]
struct Manner {
    has_ranges: bool,
    has_length: bool,
    has_tag: bool,
    /// After this number of requests it has another file of the same size.
    changes_after: usize,
}

const PLAIN: Manner =
    Manner { has_ranges: true, has_length: true, has_tag: true, changes_after: usize::MAX };

/// A server that answers as long as it is held. Its threads do not end before their clients, and do not hold the files.
struct Server {
    address: String,
    requests: Arc<AtomicUsize>,
    files: Arc<[Vec<u8>; 2]>,
}

type Faults = Box<dyn Fn(usize) -> Fault + Send>;

impl Server {
    fn start(files: [Vec<u8>; 2], manner: Manner, faults: Faults) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address =
            format!("http://{}/data/file.txt", listener.local_addr().expect("an address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let (count, files) = (Arc::clone(&requests), Arc::new(files));
        let held = Arc::downgrade(&files);
        let faults = Arc::new(Mutex::new(faults));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (count, files, faults) = (count.clone(), held.clone(), faults.clone());
                std::thread::spawn(move || {
                    let _ = serve(stream, &files, manner, &count, &faults);
                });
            }
        });
        Server { address, requests, files }
    }

    /// Ends the server. Returns whether its files are freed, once the threads have ended their replies.
    fn frees_its_files(self) -> bool {
        let files = Arc::downgrade(&self.files);
        drop(self);
        (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            files.strong_count() == 0
        })
    }
}

/// The range of a request, and whether it follows a redirection.
type Request = (Option<(usize, usize)>, bool);

/// Reads the head of a request. Returns the range, and whether it follows a redirection.
fn request(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> std::io::Result<Option<Request>> {
    let (mut range, mut is_moved) = (None, false);
    for line in lines {
        let line = line?.to_lowercase();
        if line.is_empty() {
            return Ok(Some((range, is_moved)));
        }
        is_moved |= line.contains("/elsewhere ");
        if let Some((from, to)) = line.strip_prefix("range: bytes=").and_then(|r| r.split_once('-'))
        {
            range = from.parse().ok().zip(to.parse().ok());
        }
    }
    Ok(None)
}

/// The whole reply of a fault that has no bytes of the file.
fn bare(fault: Fault) -> Option<&'static [u8]> {
    match fault {
        Fault::Busy => {
            Some(b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 4\r\n\r\nbusy")
        }
        Fault::Broken => {
            Some(b"HTTP/1.1 500 Oh\r\nx-request-id: R-17\r\nContent-Length: 0\r\n\r\n")
        }
        Fault::Moved => {
            Some(b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
        }
        Fault::Slow => {
            std::thread::sleep(Duration::from_millis(30));
            None
        }
        _ => None,
    }
}

fn serve(
    stream: TcpStream,
    files: &Weak<[Vec<u8>; 2]>,
    manner: Manner,
    count: &AtomicUsize,
    faults: &Mutex<Faults>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let mut stream = stream;
    loop {
        let Some((range, is_moved)) = request(&mut lines)? else { return Ok(()) };
        let Some(files) = files.upgrade() else { return Ok(()) };
        let number = count.fetch_add(1, Relaxed);
        let fault = faults.lock().expect("faults")(number);
        let fault = if is_moved && fault == Fault::Moved { Fault::None } else { fault };
        let is_changed = number >= manner.changes_after;
        let file = &files[usize::from(is_changed)];
        if fault == Fault::Reset {
            return Ok(());
        }
        if let Some(reply) = bare(fault) {
            stream.write_all(reply)?;
            continue;
        }
        let asked = range.filter(|_| manner.has_ranges && fault != Fault::Whole);
        let (mut head, body) = match asked {
            Some((from, to)) => {
                let end = (to + 1).min(file.len());
                let (from, end) = match fault {
                    Fault::OtherRange => (from + 1, end),
                    Fault::ShortRange => (from, end - (end - from) / 2),
                    _ => (from, end),
                };
                let sizes = format!("Content-Range: bytes {from}-{}/{}\r\n", end - 1, file.len());
                (format!("HTTP/1.1 206 Part\r\n{sizes}"), &file[from..end])
            }
            None => ("HTTP/1.1 200 OK\r\n".to_owned(), &file[..]),
        };
        if manner.has_tag {
            head += &format!("ETag: \"v{}\"\r\n", u8::from(is_changed));
        }
        if manner.has_length || asked.is_some() {
            head += &format!("Content-Length: {}\r\n\r\n", body.len());
        } else {
            head += "Transfer-Encoding: chunked\r\n\r\n";
        }
        if let Fault::CutHead(len) = fault {
            stream.write_all(&head.as_bytes()[..len.min(head.len() - 1)])?;
            return Ok(());
        }
        stream.write_all(head.as_bytes())?;
        let cut =
            if let Fault::CutBody(len) = fault { Some(len.min(body.len() / 2)) } else { None };
        let sent = &body[..cut.unwrap_or(body.len())];
        if manner.has_length || asked.is_some() {
            stream.write_all(sent)?;
        } else {
            for part in sent.chunks(10_000) {
                write!(stream, "{:x}\r\n", part.len())?;
                stream.write_all(part)?;
                stream.write_all(b"\r\n")?;
            }
            if cut.is_none() {
                stream.write_all(b"0\r\n\r\n")?;
            }
        }
        if cut.is_some() {
            return Ok(());
        }
    }
}

/// Bytes that are not the same anywhere.
fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn open(address: &str, settings: Settings) -> Result<(Unit, Arc<dyn Source>), Problem> {
    let shared = Shared::new(settings);
    let web = origins::all(&shared).into_iter().find(|origin| origin.prefix() == "http://");
    let web: Box<dyn Origin> = web.expect("an origin");
    let mut unit = None;
    web.list(Path::new(address), &mut |found| unit = Some(found))?;
    let unit = unit.expect("an input");
    let source = web.open(&unit)?;
    Ok((unit, source))
}

/// Reads from start to end, `step` bytes at a time.
fn read(source: &dyn Source, step: usize) -> std::io::Result<Vec<u8>> {
    let (mut all, mut buffer) = (Vec::new(), vec![0; step]);
    loop {
        match source.read_at(&mut buffer, all.len() as u64)? {
            0 => return Ok(all),
            len => all.extend_from_slice(&buffer[..len]),
        }
    }
}

fn settings(millis: u64) -> Settings {
    Settings { retry_for: Duration::from_millis(millis), ..Settings::default() }
}

fn runs(default: u64) -> u64 {
    std::env::var("DOISCAN_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(default)
}

#[test]
fn faults_that_pass_lose_nothing() {
    let file = bytes(3_000_000, 1);
    let seeds = AtomicU64::new(0);
    for run in 0..runs(40) {
        let seed = seeds.fetch_add(1, Relaxed);
        // The first reply tells whether the server knows ranges, so it is not without them.
        let faults = move |number: usize| {
            let fault = FAULTS[(number * 7 + seed as usize * 3 + number / 5) % FAULTS.len()];
            if number < 2 && fault == Fault::Whole { Fault::None } else { fault }
        };
        let manner = Manner { has_ranges: run % 4 != 3, has_length: run % 8 < 4, ..PLAIN };
        let server = Server::start([file.clone(), file.clone()], manner, Box::new(faults));
        let step = [1_000_000, 65_536, 300_000, 131_073][run as usize % 4];
        let (_, source) = open(&server.address, settings(20_000)).expect("an input");
        let found = read(&*source, step).unwrap_or_else(|e| panic!("run {run}: {e}"));
        assert!(found == file, "run {run}: {} bytes", found.len());
        assert!(server.requests.load(Relaxed) > 1);
        assert!(server.frees_its_files(), "run {run}");
    }
}

#[test]
fn faults_that_stay_are_told() {
    let file = bytes(2_000_000, 2);
    for (fault, expected) in [
        (Fault::Broken, "the server answered 500 (request R-17) ("),
        (Fault::Busy, "the server answered 503, too many requests or too busy ("),
        (Fault::CutBody(9), "error decoding response body"),
        (Fault::OtherRange, "the server answered with other bytes than were asked for ("),
        (Fault::ShortRange, "the server answered with other bytes than were asked for ("),
        (Fault::Reset, "error sending request"),
    ] {
        let faults = move |number| if number < 1 { Fault::None } else { fault };
        let server = Server::start([file.clone(), vec![]], PLAIN, Box::new(faults));
        let (_, source) = open(&server.address, settings(200)).expect("an input");
        let error = read(&*source, 200_000).map(|all| all.len());
        let error = error.map_err(|error| error.to_string());
        assert!(
            error.as_ref().is_err_and(|error| error.contains(expected)),
            "{fault:?}: {error:?}"
        );
        let error = error.expect_err("a fault");
        assert!(!error.contains("http://"), "{error}");
    }
}

#[test]
fn two_versions_are_never_mixed() {
    let files = [bytes(20_000_000, 3), bytes(20_000_000, 4)];
    for changes_after in 1..4 {
        let manner = Manner { changes_after, ..PLAIN };
        let server = Server::start(files.clone(), manner, Box::new(|_| Fault::None));
        let (_, source) = open(&server.address, settings(1_000)).expect("an input");
        let error = read(&*source, 1_000_000).map(|all| all.len()).expect_err("changed");
        assert_eq!(error.to_string(), "changed while it was read");
    }
}

#[test]
fn a_stream_without_a_version_is_not_resumed() {
    let file = bytes(500_000, 5);
    let manner = Manner { has_ranges: false, has_tag: false, ..PLAIN };
    let cut = |number| if number == 1 { Fault::CutBody(100_000) } else { Fault::None };
    let server = Server::start([file, vec![]], manner, Box::new(cut));
    let (unit, source) = open(&server.address, settings(1_000)).expect("an input");
    assert!(unit.identity.is_none() && source.size().is_none());
    let error = read(&*source, 10_000).map(|all| all.len()).expect_err("cut").to_string();
    assert!(
        error.starts_with("the reply broke off after ") || error.contains("decoding"),
        "{error}"
    );
}

/// Whether nothing is kept. The last request may hold its input a little longer than the reader.
fn is_released(shared: &Shared) -> bool {
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        (shared.used.load(Relaxed), shared.open.load(Relaxed)) == (0, 0)
    })
}

#[test]
fn memory_is_bounded() {
    let file = bytes(60_000_000, 6);
    let server = Server::start([file.clone(), vec![]], PLAIN, Box::new(|_| Fault::None));
    let memory = 20_000_000;
    let shared = Shared::new(Settings { memory, ..settings(5_000) });
    let web = origins::all(&shared).into_iter().find(|origin| origin.prefix() == "http://");
    let web = web.expect("an origin");
    let mut unit = None;
    web.list(Path::new(&server.address), &mut |found| unit = Some(found)).expect("an input");
    let source = web.open(&unit.expect("an input")).expect("a source");
    let (mut all, mut buffer) = (0, vec![0; 1_000_000]);
    while let len @ 1.. = source.read_at(&mut buffer, all as u64).expect("bytes") {
        assert!(buffer[..len] == file[all..all + len], "{all}");
        all += len;
        // One range that is read, besides the bound.
        assert!(shared.used.load(Relaxed) <= memory + 9_000_000, "{all}");
    }
    assert_eq!(all, file.len());
    drop(source);
    assert!(is_released(&shared));
}

#[test]
fn memory_is_bounded_over_many_inputs() {
    let file = bytes(6_000_000, 8);
    let server = Server::start([file.clone(), vec![]], PLAIN, Box::new(|_| Fault::None));
    let memory = 16_000_000;
    let shared = Shared::new(Settings { memory, ..settings(5_000) });
    let web = origins::all(&shared).into_iter().find(|origin| origin.prefix() == "http://");
    let web = web.expect("an origin");
    let mut unit = None;
    web.list(Path::new(&server.address), &mut |found| unit = Some(found)).expect("an input");
    let unit = unit.expect("an input");
    let all: Vec<_> = (0..30).map(|_| web.open(&unit).expect("a source")).collect();
    let (mut at, mut buffer) = (0, vec![0; 200_000]);
    while at < file.len() {
        let mut len = 0;
        for source in &all {
            len = source.read_at(&mut buffer, at as u64).expect("bytes");
            assert!(buffer[..len] == file[at..at + len], "{at}");
            // The least range of each, besides the bound.
            assert!(shared.used.load(Relaxed) <= memory + 30 * 300_000, "{at}");
        }
        at += len;
    }
    drop(all);
    assert!(is_released(&shared));
}

#[test]
fn readers_that_jump_ask_for_little() {
    let file = bytes(60_000_000, 7);
    let server = Server::start([file.clone(), vec![]], PLAIN, Box::new(|_| Fault::None));
    let (_, source) = open(&server.address, settings(5_000)).expect("an input");
    let mut buffer = [0; 22];
    for at in [0, 59_999_978, 30_000_000, 59_000_000, 31_000_000] {
        assert_eq!(source.read_at(&mut buffer, at as u64).expect("bytes"), 22);
        assert!(buffer == file[at..at + 22]);
    }
    // The listing, and one small range for each.
    assert_eq!(server.requests.load(Relaxed), 6);
}

#[test]
fn secrets_in_addresses_are_refused() {
    for address in ["http://u:secret@127.0.0.1/x", "http://127.0.0.1/x?X-Amz-Signature=secret"] {
        let problem = open(address, settings(10)).expect_err("refused");
        assert!(problem.message.starts_with("holds a password or a signature"), "{problem}");
    }
}

#[test]
fn an_empty_file_has_no_bytes() {
    for has_ranges in [false, true] {
        let manner = Manner { has_ranges: false, has_length: has_ranges, ..PLAIN };
        let server = Server::start([vec![], vec![]], manner, Box::new(|_| Fault::None));
        let (_, source) = open(&server.address, settings(1_000)).expect("an input");
        assert_eq!(read(&*source, 100).expect("bytes"), b"");
    }
}
