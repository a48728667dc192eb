//! Senders and readers that mean no good, against a server with small limits. No test needs a pace: waiting only ends a test that
//! has failed.

use super::*;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Long enough on any machine: a test that waits so long has failed.
const SAFETY: Duration = Duration::from_secs(60);
/// What is never reached in a test.
const NEVER: Duration = Duration::from_secs(3600);

const PATIENT: Limits = Limits { connections: 64, request: NEVER, stall: NEVER, life: NEVER, threads: true };

struct Running {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    folder: PathBuf,
}

impl Running {
    fn start(test: &str, limits: Limits) -> Self {
        let folder = std::env::temp_dir().join(format!("stationary-serve-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.txt"), "hello").unwrap();
        // More than the buffers of both ends of a connection take.
        std::fs::write(folder.join("big.bin"), vec![b'x'; 32 << 20]).unwrap();
        let root = folder.canonicalize().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            let over: Over = Arc::new(move || asked.load(Ordering::Relaxed));
            let site = Arc::new(Site { root, title: "results".into() });
            serve(&listener, &site, limits, &over).unwrap();
        });
        Running { address, over, thread: Some(thread), folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(SAFETY)).unwrap();
        stream
    }

    /// All that comes back for some bytes. A connection that is broken on the way still tells what came before.
    fn ask(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        rest(&mut stream)
    }

    fn serves(&self, after: &str) {
        let answer = self.ask(b"GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\nhello"),
            "{after}: {answer:?}"
        );
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        let _ = std::fs::remove_dir_all(&self.folder);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the server panicked");
    }
}

fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn view_refuses_request_bodies_without_allocating_their_length() {
    let server = Running::start("body", PATIENT);
    for length in ["1000000000000", "18446744073709551616", "-1", "0x10", "1, 1"] {
        let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n");
        assert_eq!(status(&server.ask(request.as_bytes())), "413", "{length}");
    }
    let chunked =
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n";
    assert_eq!(status(&server.ask(chunked)), "413");
    let post = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000000\r\n\r\n";
    assert_eq!(status(&server.ask(post)), "405");
    server.serves("bodies");
}

#[test]
fn view_cuts_off_endless_headers_and_request_lines() {
    let server = Running::start("endless", PATIENT);
    for (start, more) in [
        ("GET / HTTP/1.1\r\nHost: localhost\r\n", "a: b\r\n"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "a"),
        ("GET /", "a"),
        ("", "\0"),
    ] {
        let mut stream = server.connect();
        stream.write_all(start.as_bytes()).unwrap();
        let piece = more.repeat(100_000);
        // It must stop taking bytes: it cannot take them all into memory.
        let cut = (0..2_000).any(|_| stream.write_all(piece.as_bytes()).is_err());
        assert!(cut, "{start:?} {more:?}");
        drop(stream);
        server.serves("an endless request");
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(9_000));
    assert_eq!(status(&server.ask(long.as_bytes())), "431");
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "a: b\r\n".repeat(1_300));
    assert_eq!(status(&server.ask(many.as_bytes())), "431");
}

#[test]
fn view_serves_others_while_clients_do_not_read() {
    let server = Running::start("readers", Limits { connections: 4, ..PATIENT });
    let mut idle = Vec::new();
    for k in 0..20 {
        let mut stream = server.connect();
        stream.write_all(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        // Its answer has begun: it has its place.
        let mut first = [0; 8];
        stream.read_exact(&mut first).unwrap();
        idle.push(stream);
        server.serves(&format!("{} readers that do not read", k + 1));
    }
    // The oldest were ended for the others.
    assert!(rest(&mut idle[0]).len() < 32 << 20);
}

#[test]
fn view_serves_others_while_clients_send_nothing() {
    let server = Running::start("senders", Limits { connections: 4, ..PATIENT });
    let idle: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    server.serves("fifty connections without a request");
    drop(idle);
    let half: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            let _ = stream.write_all(b"GET / HT");
            stream
        })
        .collect();
    server.serves("fifty halves of a request");
    drop(half);
    server.serves("connections that were closed");
}

#[test]
fn view_ends_requests_that_arrive_too_slowly() {
    let limits = Limits { request: Duration::from_millis(200), ..PATIENT };
    let server = Running::start("trickle", limits);
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    // Each byte comes well within any time between bytes; all of them together never come.
    let endless = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".iter().chain(std::iter::repeat(&b'a'));
    let ended = endless.take(6_000).any(|byte| {
        let _ = stream.write_all(&[*byte]);
        match stream.peek(&mut [0]) {
            Ok(_) => true,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    });
    assert!(ended, "it reads on");
    server.serves("a request that trickled in");
}

#[test]
fn view_ends_connections_whose_reader_stalls() {
    let server = Running::start("stall", Limits { stall: Duration::from_millis(200), ..PATIENT });
    let mut stream = server.connect();
    stream.write_all(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // Nothing is read before the server has given it up, which shows in what is sent to it: then the rest is short.
    let given_up = (0..6_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        stream.write_all(b"x").is_err()
    });
    assert!(given_up, "it waits on");
    assert!(rest(&mut stream).len() < 32 << 20);
    let patient = server.ask(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(patient.len() > 32 << 20, "{}", patient.len());
}

#[test]
fn view_answers_pipelined_requests_one_per_connection() {
    let server = Running::start("pipeline", PATIENT);
    let one = "GET /a.txt HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answer = server.ask(one.repeat(50).as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 1, "{answer}");
    assert!(answer.contains("Connection: close\r\n") && answer.ends_with("hello"), "{answer}");
    server.serves("a pipeline");
}

#[test]
fn view_refuses_random_bytes() {
    let server = Running::start("noise", PATIENT);
    for noise in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n\r\n",
    ] {
        assert_eq!(status(&server.ask(noise)), "400", "{noise:?}");
    }
    for half in [&b""[..], b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut stream = server.connect();
        stream.write_all(half).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&mut stream), "", "{half:?}");
    }
    server.serves("noise");
}

#[test]
fn view_without_threads_answers_connections_in_turn() {
    let server = Running::start("alone", Limits { threads: false, ..PATIENT });
    for _ in 0..5 {
        server.serves("no threads");
    }
    let answer = server.ask(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(answer.len() > 32 << 20, "{}", answer.len());
    server.serves("a large file");
}

#[test]
fn view_breaks_the_connection_of_a_file_that_shrinks_and_goes_on() {
    struct Short;
    impl Answers for Short {
        fn answer(&self, _: Result<Request, Refusal>) -> Answer {
            Answer { length: 100, ..text(200, "text/plain", "short".into()) }
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&done);
    let thread = std::thread::spawn(move || {
        let over: Over = Arc::new(move || asked.load(Ordering::Relaxed));
        serve(&listener, &Arc::new(Short), PATIENT, &over).unwrap();
    });
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(SAFETY)).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let answer = rest(&mut stream);
        assert!(answer.contains("Content-Length: 100\r\n") && answer.ends_with("short"), "{answer}");
    }
    done.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}
