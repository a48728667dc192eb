//! `stationary view`: a folder of results in the browser, served on the loopback address only.

mod path;
mod request;
mod server;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Cursor, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use request::{Refusal, Request};
use server::{Answer, Answers, Limits, Over, serve};
use stationary::error::{Diagnostic, Error};
use stationary_report::escape;

use crate::output::say;
use crate::progress::{catch_interrupts, interrupted};
use crate::{Verdict, arguments};

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
    let refused = |error: std::io::Error| {
        Diagnostic::new(format!("{address}: {error}"))
            .help("try another --port, or none for any that is free")
    };
    let listener = TcpListener::bind(&address).map_err(refused)?;
    let port = listener.local_addr().map_or(arguments.port, |address| address.port());
    catch_interrupts();
    say(&format!("{} is at http://127.0.0.1:{port}/ (Ctrl-C ends this)", folder.display()));
    let site = Arc::new(Site { root, title: folder.display().to_string() });
    let over: Over = Arc::new(interrupted);
    serve(&listener, &site, Limits::default(), &over).map_err(refused)?;
    Ok(Verdict::Done)
}

struct Site {
    /// Canonical: no link leads out of it unseen.
    root: PathBuf,
    title: String,
}

impl Answers for Site {
    fn answer(&self, request: Result<Request, Refusal>) -> Answer {
        match request.and_then(|request| self.find(&request)) {
            Ok(Found::File(file, length, kind)) => {
                Answer { status: 200, headers: headers(kind), length, body: Box::new(file) }
            }
            Ok(Found::Index(page)) => text(200, "text/html; charset=utf-8", page),
            Err(Refusal(status, why)) => {
                let mut answer = text(status, "text/plain; charset=utf-8", format!("{why}\n"));
                if status == 405 {
                    answer.headers.push(("Allow", "GET, HEAD"));
                }
                answer
            }
        }
    }
}

impl Site {
    fn find(&self, request: &Request) -> Result<Found, Refusal> {
        // Another name for this address is a page elsewhere that asks in the reader's stead.
        if !path::is_loopback(&request.host) {
            return Err(Refusal(403, "this is served for the loopback address only"));
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Err(Refusal(405, "only GET and HEAD are answered"));
        }
        let names = path::parts(&request.target).ok_or(Refusal(403, "no such path is served"))?;
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

/// Pages may use what is in the folder and nothing else, and no page elsewhere may use them.
fn headers(kind: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("Content-Type", kind),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "default-src 'self' 'unsafe-inline' data: blob:; frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
    ]
}

fn text(status: u16, kind: &'static str, body: String) -> Answer {
    let length = body.len() as u64;
    let body: Box<dyn Read> = Box::new(Cursor::new(body.into_bytes()));
    Answer { status, headers: headers(kind), length, body }
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
