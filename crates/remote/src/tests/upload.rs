//! A store with faults: an object is replaced as a whole or not at all, and no parts are left.

use super::{bytes, runs, settings};
use crate::{Settings, Shared, origins};
use doiscan_input::{Content, Upload};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the store does with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Closes the connection before it does anything.
    Reset,
    /// Does what was asked, and closes the connection.
    Lost,
    /// Answers 503.
    Busy,
    /// Answers 403.
    Denied,
    /// Answers after a second.
    Slow,
}

/// What the store holds.
#[derive(Debug, Default)]
struct Held {
    object: Option<Vec<u8>>,
    /// The number of times that the object was put in place.
    version: usize,
    /// The parts of objects that are not completed, by the number of the upload and of the part.
    parts: BTreeMap<usize, BTreeMap<usize, Vec<u8>>>,
    uploads: usize,
    requests: usize,
}

type Faults = Box<dyn Fn(usize, &str) -> Fault + Send>;

struct Store {
    endpoint: String,
    held: Arc<Mutex<Held>>,
}

impl Store {
    fn start(old: Option<&[u8]>, faults: Faults) -> Store {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let object = old.map(<[u8]>::to_vec);
        let held = Arc::new(Mutex::new(Held { object, ..Held::default() }));
        let (shared, faults) = (Arc::clone(&held), Arc::new(Mutex::new(faults)));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (held, faults) = (shared.clone(), faults.clone());
                std::thread::spawn(move || {
                    let _ = serve(stream, &held, &faults);
                });
            }
        });
        Store { endpoint, held }
    }

    fn begin(&self, millis: u64, len: usize) -> io::Result<Box<dyn Upload>> {
        let endpoint = Some(self.endpoint.clone());
        let settings = Settings { endpoint, is_anonymous: true, ..settings(millis) };
        let all = origins::all(&Shared::new(settings));
        let origin = all.into_iter().find(|origin| origin.prefix() == "s3://").expect("an origin");
        origin.upload(Path::new("s3://bucket/list"), len as u64)
    }

    /// Writes the object. Returns the error as text.
    fn write(&self, millis: u64, bytes: &[u8]) -> Result<(), String> {
        let result = self.begin(millis, bytes.len()).and_then(|mut upload| {
            upload.send(&Bytes { bytes, checks: Cell::new(usize::MAX) })?;
            upload.complete()
        });
        result.map_err(|error| error.to_string())
    }

    fn object(&self) -> Option<Vec<u8>> {
        self.held.lock().expect("held").object.clone()
    }

    fn open_uploads(&self) -> usize {
        self.held.lock().expect("held").parts.len()
    }
}

/// Bytes that can be read until `checks` checks were made.
struct Bytes<'a> {
    bytes: &'a [u8],
    checks: Cell<usize>,
}

impl Content for Bytes<'_> {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        buffer.copy_from_slice(&self.bytes[at as usize..][..buffer.len()]);
        Ok(())
    }

    fn check(&self) -> io::Result<()> {
        self.checks.set(self.checks.get() - 1);
        if self.checks.get() == 0 { Err(io::Error::other("the run ends")) } else { Ok(()) }
    }
}

/// Reads a request: its method, its address and its body.
fn request(lines: &mut BufReader<TcpStream>) -> io::Result<Option<(String, String, Vec<u8>)>> {
    let (mut first, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if let Some(text) = line.to_lowercase().strip_prefix("content-length: ") {
            length = text.parse().map_err(io::Error::other)?;
        }
        match line {
            "" => break,
            _ if first.is_empty() => first = line.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body)?;
    let mut words = first.split(' ').map(str::to_owned);
    Ok(words.next().zip(words.next()).map(|(method, address)| (method, address, body)))
}

/// Does what a request asks. Returns the status, further headers, and the body of the reply.
fn act(
    held: &mut Held,
    method: &str,
    address: &str,
    body: Vec<u8>,
) -> (&'static str, String, String) {
    let value = |name: &str| {
        let (_, rest) = address.split_once(&format!("{name}="))?;
        rest.split('&').next()?.parse::<usize>().ok()
    };
    let gone = || ("404 Not Found", String::new(), "<Error><Code>NoSuch</Code></Error>".to_owned());
    let done = |headers: String, body: &str| ("200 OK", headers, body.to_owned());
    match (method, value("uploadId")) {
        ("POST", None) => {
            held.uploads += 1;
            held.parts.insert(held.uploads, BTreeMap::new());
            let id = held.uploads;
            let text = format!(
                "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
            );
            done(String::new(), &text)
        }
        ("HEAD", _) => match &held.object {
            Some(object) => {
                let tag = format!("ETag: \"{}\"\r\nLength: {}\r\n", held.version, object.len());
                done(tag + "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "")
            }
            None => ("404 Not Found", String::new(), String::new()),
        },
        ("PUT", Some(id)) => match held.parts.get_mut(&id).zip(value("partNumber")) {
            Some((parts, number)) => {
                parts.insert(number, body);
                done(format!("ETag: \"{number}\"\r\n"), "")
            }
            None => gone(),
        },
        ("POST", Some(id)) => match held.parts.remove(&id) {
            Some(parts) => {
                held.object = Some(parts.into_values().flatten().collect());
                held.version += 1;
                let text =
                    "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>";
                done(String::new(), text)
            }
            None => gone(),
        },
        ("DELETE", Some(id)) => match held.parts.remove(&id) {
            Some(_) => ("204 No Content", String::new(), String::new()),
            None => gone(),
        },
        _ => ("400 Bad Request", String::new(), String::new()),
    }
}

fn serve(stream: TcpStream, held: &Mutex<Held>, faults: &Mutex<Faults>) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    while let Some((method, address, body)) = request(&mut lines)? {
        let kind = format!("{method} {}", address.split_once('?').map_or("", |(_, query)| query));
        let number = {
            let mut held = held.lock().expect("held");
            held.requests += 1;
            held.requests
        };
        let fault = faults.lock().expect("faults")(number, &kind);
        let refused = |status| (status, String::new(), String::new());
        let (status, headers, body) = match fault {
            Fault::Reset => return Ok(()),
            Fault::Busy => refused("503 Slow Down"),
            Fault::Denied => refused("403 Forbidden"),
            Fault::None | Fault::Lost | Fault::Slow => {
                act(&mut held.lock().expect("held"), &method, &address, body)
            }
        };
        match fault {
            Fault::Lost => return Ok(()),
            Fault::Slow => std::thread::sleep(Duration::from_secs(1)),
            _ => {}
        }
        // The reply to HEAD has the length of the object, and no body.
        let headers = match headers.split_once("\r\nLength: ") {
            Some((before, after)) => format!("{before}\r\nContent-Length: {after}"),
            None => format!("Content-Length: {}\r\n{headers}", body.len()),
        };
        write!(stream, "HTTP/1.1 {status}\r\n{headers}\r\n{body}")?;
    }
    Ok(())
}

#[test]
fn faults_that_pass_lose_nothing() {
    let faults = [Fault::None, Fault::Reset, Fault::None, Fault::Lost, Fault::Busy, Fault::None];
    let all = bytes(20_000_000, 21);
    for run in 0..runs(20) as usize {
        let random = bytes(1_000, run as u64 * 2 + 1);
        let fault = move |number: usize, _: &str| faults[random[number] as usize % 6];
        let len = [0, 1, 5_000, 8 * 1024 * 1024, 20_000_000][run % 5];
        let store = Store::start((run % 2 == 0).then_some(b"old"), Box::new(fault));
        let result = store.write(10_000, &all[..len]);
        assert_eq!(result, Ok(()), "run {run}");
        assert!(store.object().is_some_and(|object| object == all[..len]), "run {run}");
    }
}

#[test]
fn faults_that_stay_leave_the_old_object_and_no_parts() {
    for (request, fault, expected) in [
        ("POST uploads", Fault::Denied, "the server answered 403, access is denied"),
        ("PUT", Fault::Denied, "the server answered 403, access is denied"),
        ("PUT", Fault::Busy, "the server answered 503, too many requests or too busy ("),
        ("PUT", Fault::Reset, "error sending request"),
        ("POST uploadId", Fault::Denied, "the server answered 403, access is denied"),
        ("POST uploadId", Fault::Busy, "the server answered 503, too many requests or too busy ("),
        ("POST uploadId", Fault::Reset, "error sending request"),
    ] {
        let faults = move |_: usize, kind: &str| match kind.starts_with(request) {
            true => fault,
            false => Fault::None,
        };
        let store = Store::start(Some(b"old"), Box::new(faults));
        let error = store.write(300, &bytes(9_000_000, 22)).expect_err("a fault");
        assert!(error.contains(expected), "{request} {fault:?}: {error}");
        assert!(!error.contains("127.0.0.1"), "{error}");
        assert_eq!(store.object().as_deref(), Some(&b"old"[..]), "{request} {fault:?}");
        assert_eq!(store.open_uploads(), 0, "{request} {fault:?}");
    }
}

#[test]
fn a_reply_that_is_lost_tells_nothing_false() {
    // Each time the object is completed, and no reply says so.
    for is_told in [true, false] {
        let faults = move |_: usize, kind: &str| match kind {
            kind if kind.starts_with("POST uploadId") => Fault::Lost,
            kind if kind.starts_with("HEAD") && !is_told => Fault::Denied,
            _ => Fault::None,
        };
        let store = Store::start(Some(b"old"), Box::new(faults));
        let result = store.write(300, b"new");
        assert_eq!(store.object().as_deref(), Some(&b"new"[..]));
        match is_told {
            true => assert_eq!(result, Ok(())),
            false => {
                let error = result.expect_err("unknown");
                assert!(
                    error.ends_with("it is not known whether the object was replaced"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_completed_is_aborted() {
    let all = bytes(9_000_000, 23);
    let slow = |_: usize, kind: &str| match kind.starts_with("PUT") {
        true => Fault::Slow,
        false => Fault::None,
    };
    let store = Store::start(Some(b"old"), Box::new(slow));
    let mut upload = store.begin(1_000, all.len()).expect("begun");
    assert_eq!(store.open_uploads(), 1);
    let content = Bytes { bytes: &all, checks: Cell::new(3) };
    let error = upload.send(&content).expect_err("ended").to_string();
    assert_eq!(error, "the run ends");
    drop(upload);
    assert_eq!((store.object().as_deref(), store.open_uploads()), (Some(&b"old"[..]), 0));
}

#[test]
fn a_name_without_a_key_is_refused() {
    let shared = Shared::new(settings(10));
    let all = origins::all(&shared);
    for (name, expected) in [
        ("s3://bucket", "expected s3://BUCKET/KEY"),
        ("s3://bucket/", "expected s3://BUCKET/KEY"),
        ("s3://bucket/folder/", "expected s3://BUCKET/KEY"),
        ("s3:///key", "expected s3://BUCKET/KEY"),
        (
            "https://host.example/x",
            "the address is read-only; write a file, or to s3://, gs:// or az://",
        ),
    ] {
        let origin = all.iter().find(|origin| name.starts_with(origin.prefix()));
        let error = origin.expect("an origin").upload(Path::new(name), 1).expect_err("refused");
        assert_eq!(error.to_string(), expected, "{name}");
    }
}
