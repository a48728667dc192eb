//! `stationary view`: a folder of results in the browser, served on the loopback address only.

mod path;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use stationary::error::{Diagnostic, Error};
use stationary::report::escape;
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

use crate::output::say;
use crate::progress::{catch_interrupts, interrupted};
use crate::{Verdict, arguments};

/// Requests that are answered at a time.
const WORKERS: usize = 8;
/// Files that the first page lists.
const LISTED: usize = 2_000;

/// Serves a folder until Ctrl-C.
pub fn view(arguments: &arguments::View) -> Result<Verdict, Error> {
    let folder = &arguments.folder;
    let root = std::fs::canonicalize(folder).ok().filter(|path| path.is_dir()).ok_or_else(|| {
        Diagnostic::new(format!("there is no folder `{}`", folder.display()))
            .help("expected a folder of results, as in: stationary view results/kepler")
    })?;
    let address = format!("127.0.0.1:{}", arguments.port);
    let server = Server::http(&address).map_err(|error| {
        Diagnostic::new(format!("{address}: {error}"))
            .help("try another --port, or none for any that is free")
    })?;
    let port = server.server_addr().to_ip().map_or(arguments.port, |address| address.port());
    catch_interrupts();
    say(&format!("{} is at http://127.0.0.1:{port}/ (Ctrl-C ends this)", folder.display()));
    let site = Arc::new(Site { server, root, title: folder.display().to_string() });
    for _ in 0..WORKERS {
        let site = Arc::clone(&site);
        std::thread::spawn(move || {
            while let Ok(request) = site.server.recv() {
                site.answer(request);
            }
        });
    }
    // A slow reader holds a worker, not the end of the program.
    while !interrupted() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Verdict::Done)
}

struct Site {
    server: Server,
    /// Canonical: no link leads out of it unseen.
    root: PathBuf,
    title: String,
}

impl Site {
    fn answer(&self, request: Request) {
        // A reader that goes away is no error.
        let _ = match self.find(&request) {
            Ok(Found::File(file, length, kind)) => {
                // No more than the length told: a series may be growing.
                let body = file.take(length);
                let length = usize::try_from(length).ok();
                let response = Response::new(StatusCode(200), headers(kind), body, length, None);
                request.respond(response.with_chunked_threshold(usize::MAX))
            }
            Ok(Found::Index(page)) => request.respond(text(200, "text/html; charset=utf-8", page)),
            Err(refusal) => {
                let words = format!("{}\n", refusal.1);
                let mut response = text(refusal.0, "text/plain; charset=utf-8", words);
                if refusal.0 == 405 {
                    response.add_header(header("Allow", "GET, HEAD"));
                }
                request.respond(response)
            }
        };
    }

    fn find(&self, request: &Request) -> Result<Found, Refusal> {
        let mut hosts = request.headers().iter().filter(|h| h.field.equiv("Host"));
        let host = hosts.next().ok_or(Refusal(400, "a request needs its Host"))?;
        // Another name for this address is a page elsewhere that asks in the reader's stead.
        if hosts.next().is_some() || !path::is_loopback(host.value.as_str()) {
            return Err(Refusal(403, "this is served for the loopback address only"));
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Err(Refusal(405, "only GET and HEAD are answered"));
        }
        let names = path::parts(request.url()).ok_or(Refusal(403, "no such path is served"))?;
        if names.is_empty() {
            return Ok(Found::Index(index(&self.title, &self.root)));
        }
        let wanted: PathBuf = names.iter().fold(self.root.clone(), |path, name| path.join(name));
        let there = std::fs::canonicalize(&wanted).map_err(|_| Refusal(404, "no such file"))?;
        if !there.starts_with(&self.root) {
            return Err(Refusal(403, "this leads out of the folder"));
        }
        if !there.is_file() {
            return Err(Refusal(404, "no such file"));
        }
        let file = File::open(&there).map_err(|_| Refusal(404, "the file cannot be read"))?;
        let length = file.metadata().map_err(|_| Refusal(404, "the file cannot be read"))?.len();
        Ok(Found::File(file, length, path::content_type(&there)))
    }
}

enum Found {
    File(File, u64, &'static str),
    Index(String),
}

/// A status and why.
struct Refusal(u16, &'static str);

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("headers of our own are well formed")
}

/// Pages may use what is in the folder and nothing else, and no page elsewhere may use them.
fn headers(kind: &str) -> Vec<Header> {
    vec![
        header("Content-Type", kind),
        header("X-Content-Type-Options", "nosniff"),
        header("Cache-Control", "no-store"),
        header(
            "Content-Security-Policy",
            "default-src 'self' 'unsafe-inline' data: blob:; frame-ancestors 'none'",
        ),
        header("Cross-Origin-Resource-Policy", "same-origin"),
        header("Referrer-Policy", "no-referrer"),
    ]
}

fn text(status: u16, kind: &str, body: String) -> Response<Cursor<Vec<u8>>> {
    let bytes = body.into_bytes();
    let length = Some(bytes.len());
    Response::new(StatusCode(status), headers(kind), Cursor::new(bytes), length, None)
        .with_chunked_threshold(usize::MAX)
}

/// The first page: the report, and every file.
fn index(title: &str, root: &Path) -> String {
    let mut files = Vec::new();
    list(root, "", &mut files);
    files.sort();
    let more = files.len() > LISTED;
    files.truncate(LISTED);
    let row = |(name, length): &(String, u64)| {
        format!(
            "<tr><td><a href=\"/{}\">{}</a></td><td>{}</td></tr>\n",
            path::encode(name),
            escape(name),
            size(*length)
        )
    };
    let rows: String = files.iter().map(row).collect();
    let report = match files.iter().any(|(name, _)| name == "report.html") {
        true => "<p><a href=\"/report.html\"><b>Open the report</b></a></p>\n",
        false => "<p>There is no report.html here yet: it is written at the end of a run.</p>\n",
    };
    let rest = if more { "<p>There are more files than are listed here.</p>\n" } else { "" };
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <style>:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }} body {{ margin: 2em auto; max-width: 50em; \
         padding: 0 1em }} td {{ padding: 0 2em 0 0 }} td + td {{ text-align: right }}</style></head>\n\
         <body><h1>{title}</h1>\n{report}<table>\n{rows}</table>\n{rest}</body></html>\n"
    )
}

/// Files below a folder, in folders too; links that lead out are left out.
fn list(folder: &Path, prefix: &str, into: &mut Vec<(String, u64)>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if into.len() > LISTED {
            return;
        }
        // Of the entry itself, not of what a link leads to: links are not listed, so that no circle of them is followed.
        let Ok(data) = entry.metadata() else { continue };
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if data.is_dir() {
            list(&entry.path(), &format!("{name}/"), into);
        } else if data.is_file() {
            into.push((name, data.len()));
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
