//! `stationary view`: what it serves, and what it refuses, over a plain socket.

use super::{Folder, PATIENCE, command, send, stderr, wait_until};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

/// The program, serving a folder; ended with the test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(folder: &Folder, path: &str) -> Server {
        let mut program = command(&folder.0, &["view", path]);
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        Server::of(program)
    }

    fn of(mut program: Command) -> Server {
        let mut child = program.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address: SocketAddr =
            address.unwrap_or_else(|| panic!("no address in {line:?}")).parse().unwrap();
        assert!(address.ip().is_loopback(), "{line}");
        Server { child, address }
    }

    /// The whole answer to a request.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no status in {answer:?}"))
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no body in {answer:?}")).1
}

/// `results` with files to see, and a secret beside it.
fn results(test: &str) -> Folder {
    let folder = Folder::new(test);
    let results = folder.0.join("results");
    std::fs::create_dir_all(results.join("frames")).unwrap();
    std::fs::write(results.join("report.html"), "<p>report</p>").unwrap();
    std::fs::write(results.join("series.csv"), "t,x\n0,1\n".repeat(20_000)).unwrap();
    std::fs::write(results.join("summary.json"), "{}").unwrap();
    std::fs::write(results.join("frames/a b<.vtu"), "<VTKFile/>").unwrap();
    std::fs::write(folder.0.join("secret.txt"), "secret").unwrap();
    folder
}

#[test]
fn view_serves_files_with_their_types_and_lengths() {
    let folder = results("view-files");
    let server = Server::start(&folder, "results");
    for (path, kind, expected) in [
        ("/report.html", "text/html; charset=utf-8", "<p>report</p>"),
        ("/summary.json", "application/json", "{}"),
        ("/summary.json?again=1", "application/json", "{}"),
        ("/frames/a%20b%3C.vtu", "application/xml", "<VTKFile/>"),
    ] {
        let answer = server.get(path);
        assert_eq!((status(&answer), body(&answer)), (200, expected), "{path}");
        assert!(answer.contains(&format!("Content-Type: {kind}\r\n")), "{answer}");
        assert!(answer.contains("X-Content-Type-Options: nosniff\r\n"), "{answer}");
    }
    let series = server.get("/series.csv");
    assert!(series.contains("Content-Length: 160000\r\n"), "{}", &series[..400]);
    assert_eq!(body(&series).len(), 160_000);
    let head = server.ask("HEAD /series.csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!((status(&head), body(&head)), (200, ""));
    let index = server.get("/");
    assert_eq!(status(&index), 200);
    for link in ["<a href=\"/report.html\">", "<a href=\"/frames/a%20b%3C.vtu\">frames/a b&lt;.vtu</a>"] {
        assert!(body(&index).contains(link), "{link}: {index}");
    }
}

#[test]
fn view_serves_nothing_outside_of_its_folder() {
    let folder = results("view-outside");
    #[cfg(unix)]
    {
        let results = folder.0.join("results");
        std::os::unix::fs::symlink(folder.0.join("secret.txt"), results.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(&folder.0, results.join("up")).unwrap();
        std::os::unix::fs::symlink(results.join("summary.json"), results.join("inside.json")).unwrap();
    }
    let secret = folder.0.join("secret.txt");
    let absolute = secret.display().to_string();
    let server = Server::start(&folder, "results");
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2E./secret.txt",
        "/frames/../../secret.txt",
        "/..%2fsecret.txt",
        "/frames/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/etc/passwd",
        "/link.txt",
        "/up/secret.txt",
        "/up",
        "/frames",
        "/.",
        "/secret.txt",
        "/report.html%00.txt",
        "/%",
        "/%zz",
        &absolute,
        "../secret.txt",
        "*",
    ] {
        let answer = server.get(path);
        assert!(matches!(status(&answer), 400 | 403 | 404), "{path}: {answer}");
        assert!(
            !answer.contains("secret\n") && body(&answer) != "secret" && !answer.contains("root:"),
            "{path}: {answer}"
        );
    }
    #[cfg(unix)]
    assert_eq!(status(&server.get("/inside.json")), 200, "a link that stays inside is no harm");
    assert_eq!(status(&server.get("/summary.json")), 200, "and it still serves");
}

#[test]
fn view_refuses_other_methods_and_other_hosts() {
    let folder = results("view-refused");
    let server = Server::start(&folder, "results");
    let port = server.address.port();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO"] {
        let answer = server.ask(&format!(
            "{method} /summary.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ));
        assert_eq!(status(&answer), 405, "{method}: {answer}");
        assert!(answer.contains("Allow: GET, HEAD\r\n"), "{answer}");
    }
    // The name of another site that leads to this address.
    for host in ["example.org", "example.org:80", "127.0.0.1.example.org", "10.0.0.1", ""] {
        let request = format!("GET /summary.json HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = server.ask(&request);
        assert!(matches!(status(&answer), 400 | 403), "{host}: {answer}");
        assert!(!answer.contains("{}"), "{host}");
    }
    let bare = server.ask("GET /summary.json HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&bare), 400, "{bare}");
    for host in ["localhost", "LOCALHOST", "127.0.0.1", &format!("localhost:{port}"), "[::1]:80"] {
        let request = format!("GET /summary.json HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&server.ask(&request)), 200, "{host}");
    }
    // What is no request at all leaves it standing.
    for noise in ["", "\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let _ = stream.write_all(noise.as_bytes());
        drop(stream);
    }
    assert_eq!(status(&server.get("/summary.json")), 200);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_view_with_exit_code_0() {
    let folder = results("view-end");
    let mut server = Server::start(&folder, "results");
    // Also while a reader does not read.
    let mut idle = TcpStream::connect(server.address).unwrap();
    idle.write_all(b"GET /series.csv HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    send(&["INT"], &server.child);
    wait_until("it ends", || server.child.try_wait().unwrap().is_some());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn view_of_a_missing_folder_or_on_a_used_port_exits_with_2() {
    let folder = results("view-bad");
    for path in ["nowhere", "secret.txt"] {
        let out = folder.stationary(&["view", path]);
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(&format!("there is no folder `{path}`")), "{}", stderr(&out));
    }
    let server = Server::start(&folder, "results");
    let out = folder.stationary(&["view", "results", "--port", &server.address.port().to_string()]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("try another --port"), "{}", stderr(&out));
}

/// Resident memory of the server in kilobytes; `None` where the system does not tell.
fn memory(server: &Server) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn view_survives_requests_with_bodies_of_any_length() {
    let folder = results("view-body");
    let server = Server::start(&folder, "results");
    for length in ["1000000000000", "18446744073709551615", "999999999999999999999999"] {
        let answer =
            server.ask(&format!("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"));
        assert_eq!(status(&answer), 413, "{answer}");
    }
    assert_eq!(status(&server.get("/summary.json")), 200);
}

#[test]
fn view_uses_no_memory_for_endless_headers() {
    let folder = results("view-headers");
    let server = Server::start(&folder, "results");
    let before = memory(&server);
    let lines = "a: b\r\n".repeat(100_000);
    for _ in 0..4 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n").unwrap();
        // Sixty megabytes, or until the server has enough of them.
        let _ = (0..100).try_for_each(|_| stream.write_all(lines.as_bytes()));
        assert_eq!(status(&server.get("/summary.json")), 200);
    }
    if let (Some(before), Some(after)) = (before, memory(&server)) {
        assert!(after < before + 20_000, "{before} kB before, {after} kB after");
    }
}

#[test]
fn view_program_serves_others_while_clients_do_not_read() {
    let folder = results("view-readers");
    std::fs::write(folder.0.join("results/big.bin"), vec![0; 32 << 20]).unwrap();
    let server = Server::start(&folder, "results");
    let mut idle = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        idle.push(stream);
    }
    assert_eq!(status(&server.get("/summary.json")), 200);
}

#[cfg(target_os = "linux")]
#[test]
fn view_program_serves_without_threads() {
    let folder = results("view-threads");
    let mut limited = super::without_threads(&folder, &["view", "results"]);
    limited.stdout(Stdio::piped()).stderr(Stdio::piped());
    let server = Server::of(limited);
    for _ in 0..3 {
        assert_eq!(status(&server.get("/summary.json")), 200);
    }
    assert_eq!(body(&server.get("/series.csv")).len(), 160_000);
}
