//! A server for one user's browser on this machine, bounded in all that a sender or a reader can ask of it: bytes of a request, time of
//! a connection, and connections. Each connection has one request, one answer and a thread of its own; where the system gives
//! no more threads, connections are answered one after the other.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::request::{MOST_BYTES, Refusal, Request, end_of_headers, parse};

/// What a server allows.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time. One more ends the oldest: whoever does not read, or sends without end, keeps nobody out.
    pub connections: usize,
    /// Time for a whole request to arrive, however its bytes trickle in.
    pub request: Duration,
    /// Time in which a reader must take something of its answer.
    pub stall: Duration,
    /// Time for a whole connection.
    pub life: Duration,
    /// Whether connections get threads; where not, as where the system has none left, they are answered in turn.
    pub threads: bool,
}

impl Default for Limits {
    /// Browsers open six connections to a server; none of them needs seconds on one machine.
    fn default() -> Self {
        Limits {
            connections: 64,
            request: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            life: Duration::from_secs(600),
            threads: true,
        }
    }
}

/// Time between looks at whether the server should end, and for a new connection where there is none.
const LOOK: Duration = Duration::from_millis(10);
/// How long a read or a write may block before the clocks are looked at.
const TURN: Duration = Duration::from_millis(100);
/// Stack of a thread that answers: nothing deep is done there.
const STACK: usize = 256 << 10;
/// Bytes read and written at a time.
const PIECE: usize = 64 << 10;
/// What a sender may have sent beyond its request is read and dropped, up to so many bytes and for so long: closing with bytes unread would
/// take the answer away from a reader who has not read it yet.
const DROPPED: usize = 256 << 10;
const LINGER: Duration = Duration::from_millis(500);

/// An answer.
pub struct Answer {
    pub status: u16,
    /// Names and values; lengths and `Connection` are added.
    pub headers: Vec<(&'static str, &'static str)>,
    /// How many bytes the body has.
    pub length: u64,
    pub body: Box<dyn Read>,
}

/// What answers requests.
pub trait Answers: Send + Sync + 'static {
    /// Answers a request, or the refusal of something that is none.
    fn answer(&self, request: Result<Request, Refusal>) -> Answer;
}

/// Connections under way, the oldest first: a number and a handle to end it by.
type Open = Mutex<Vec<(u64, TcpStream)>>;

fn lock(open: &Open) -> MutexGuard<'_, Vec<(u64, TcpStream)>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a connection; the oldest ends where there are too many.
fn enter(open: &Open, connection: (u64, TcpStream), most: usize) {
    let mut open = lock(open);
    if open.len() >= most {
        let (_, oldest) = open.remove(0);
        let _ = oldest.shutdown(Shutdown::Both);
    }
    open.push(connection);
}

/// Whether the server should end; asked often, on every thread.
pub type Over = Arc<dyn Fn() -> bool + Send + Sync>;

/// Serves until `over` says so.
pub fn serve<S: Answers>(
    listener: &TcpListener,
    site: &Arc<S>,
    limits: Limits,
    over: &Over,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let open: Arc<Open> = Arc::default();
    let mut number = 0;
    while !over() {
        // Errors are those of a connection that is gone already, or of too many open files: others may come.
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(LOOK);
            continue;
        };
        let Ok(handle) = stream.try_clone() else { continue };
        number += 1;
        enter(&open, (number, handle), limits.connections);
        let connection = Connection {
            stream,
            number,
            site: Arc::clone(site),
            open: Arc::clone(&open),
            limits,
            over: Arc::clone(over),
            began: Instant::now(),
        };
        connection.start();
    }
    Ok(())
}

struct Connection<S> {
    stream: TcpStream,
    number: u64,
    site: Arc<S>,
    open: Arc<Open>,
    limits: Limits,
    over: Over,
    began: Instant,
}

impl<S: Answers> Connection<S> {
    /// Answers on a thread of its own, or, where there is none, here.
    fn start(self) {
        // Handed over once the thread is there: one that cannot be started would take the connection with it.
        let (give, take) = channel::<Self>();
        let follow = move || take.recv().map_or((), Self::go);
        let there = self.limits.threads && thread::Builder::new().stack_size(STACK).spawn(follow).is_ok();
        if there {
            let _ = give.send(self);
        } else {
            self.go();
        }
    }

    fn go(mut self) {
        // A reader or a sender that goes away, or is too slow, is no error of ours.
        let _ = self.answer();
        lock(&self.open).retain(|(other, _)| *other != self.number);
    }

    fn answer(&mut self) -> io::Result<()> {
        self.stream.set_nonblocking(false)?;
        self.stream.set_read_timeout(Some(TURN))?;
        self.stream.set_write_timeout(Some(TURN))?;
        let _ = self.stream.set_nodelay(true);
        let request = self.request()?;
        let bodiless = matches!(&request, Ok(request) if request.method == "HEAD");
        let mut answer = self.site.answer(request);
        let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", answer.length));
        self.send(head.as_bytes())?;
        if !bodiless {
            self.send_body(&mut *answer.body, answer.length)?;
        }
        self.part()
    }

    /// The request, or why it is none; an error where nobody waits for an answer.
    fn request(&mut self) -> io::Result<Result<Request, Refusal>> {
        let mut bytes = Vec::with_capacity(1 << 10);
        let mut piece = [0; 1 << 10];
        loop {
            if let Some(end) = end_of_headers(&bytes) {
                return Ok(parse(&bytes[..end]));
            }
            if bytes.len() >= MOST_BYTES {
                return Ok(Err(Refusal(431, "the request is too long")));
            }
            let room = piece.len().min(MOST_BYTES - bytes.len());
            match self.stream.read(&mut piece[..room]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => bytes.extend_from_slice(&piece[..count]),
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error),
            }
            if (self.over)() {
                return Err(ErrorKind::Interrupted.into());
            }
            if self.began.elapsed() > self.limits.request {
                return Ok(Err(Refusal(408, "the request took too long to arrive")));
            }
        }
    }

    /// As many bytes as were announced: a series may be growing, and another one may be shorter by now; then the connection breaks,
    /// so that the reader knows.
    fn send_body(&mut self, body: &mut dyn Read, length: u64) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        let mut left = length;
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let count = body.read(&mut piece[..room])?;
            if count == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            self.send(&piece[..count])?;
            left -= count as u64;
        }
        Ok(())
    }

    /// Writes all, as long as the reader takes something now and then.
    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut moved = Instant::now();
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    bytes = &bytes[count..];
                    moved = Instant::now();
                }
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error),
            }
            let late = moved.elapsed() > self.limits.stall || self.began.elapsed() > self.limits.life;
            if late || (self.over)() {
                return Err(ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Ends the connection so that the reader gets the whole answer.
    fn part(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        let began = Instant::now();
        let mut dropped = 0;
        let mut piece = vec![0; PIECE];
        while dropped < DROPPED && began.elapsed() < LINGER && !(self.over)() {
            match self.stream.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => dropped += count,
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether a read or a write has only used up its turn.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Error",
    }
}
