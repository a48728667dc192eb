//! What a browser sends, read strictly: a request line and headers of bounded size, and no body.

/// Bytes that a request line and its headers may have together.
pub const MOST_BYTES: usize = 8 << 10;
/// Headers that a request may have.
const MOST_HEADERS: usize = 100;

/// A request that was understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// GET, HEAD or something that is refused.
    pub method: String,
    /// What is asked for, as it was sent.
    pub target: String,
    /// The one Host header.
    pub host: String,
}

/// A status, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal(pub u16, pub &'static str);

/// Where the headers end: the number of bytes up to and with the empty line. Lines may end without a carriage return
/// [RFC 9112, 2.2].
pub fn end_of_headers(bytes: &[u8]) -> Option<usize> {
    let mut line = 0;
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| **b == b'\n') {
        let content = bytes[line..at].strip_suffix(b"\r").unwrap_or(&bytes[line..at]);
        if content.is_empty() && line > 0 {
            return Some(at + 1);
        }
        line = at + 1;
    }
    None
}

/// Understands the bytes up to the end of the headers.
pub fn parse(bytes: &[u8]) -> Result<Request, Refusal> {
    // Of all control characters only the tab may stand in a header; NUL, a bare carriage return and the like are how requests
    // are smuggled past those who read them differently.
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal(400, "a request is ASCII text"))?;
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    let (method, target) = request_line(first).ok_or(Refusal(400, "this is not an HTTP request"))?;
    let mut hosts = Vec::new();
    for (count, line) in lines.take_while(|line| !line.is_empty()).enumerate() {
        if count >= MOST_HEADERS {
            return Err(Refusal(431, "the request has too many headers"));
        }
        let (name, value) = header(line).ok_or(Refusal(400, "a header of the request is malformed"))?;
        match name.to_ascii_lowercase().as_str() {
            "host" => hosts.push(value),
            "content-length" if value == "0" => {}
            "content-length" | "transfer-encoding" if matches!(method, "GET" | "HEAD") => {
                return Err(Refusal(413, "a request with a body is not read"));
            }
            _ => {}
        }
    }
    match hosts[..] {
        [host] => Ok(Request { method: method.into(), target: target.into(), host: host.into() }),
        [] => Err(Refusal(400, "a request needs its Host")),
        _ => Err(Refusal(400, "a request has one Host")),
    }
}

fn request_line(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let printable = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_graphic());
    let known = matches!(version, "HTTP/1.1" | "HTTP/1.0");
    (words.next().is_none() && is_token(method) && printable(target) && known).then_some((method, target))
}

fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let plain = value.chars().all(|c| c == '\t' || !c.is_control());
    (is_token(name) && plain).then_some((name, value.trim_matches([' ', '\t'])))
}

/// A token of RFC 9110, 5.6.2.
fn is_token(word: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !word.is_empty() && word.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(request: &[u8]) -> u16 {
        parse(request).map_or_else(|refusal| refusal.0, |_| 200)
    }

    #[test]
    fn view_parses_requests_of_browsers() {
        let text = "GET /a?b HTTP/1.1\r\nhost:  localhost:80 \r\nAccept: */*\r\nX: \u{e4}\r\n\r\n";
        let request = parse(text.as_bytes()).unwrap();
        let expected = ["GET", "/a?b", "localhost:80"];
        assert_eq!([request.method, request.target, request.host], expected);
        assert_eq!(status(b"HEAD / HTTP/1.0\nHost: a\n\n"), 200);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), 200);
    }

    #[test]
    fn view_request_headers_end_at_the_first_empty_line() {
        assert_eq!(end_of_headers(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET"), Some(27));
        assert_eq!(end_of_headers(b"GET / HTTP/1.1\nHost: a\n\n"), Some(24));
        for open in [&b""[..], b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n", b"\r\n", b"\r\n\r"] {
            assert_eq!(end_of_headers(open), None, "{open:?}");
        }
        assert_eq!(end_of_headers(b"\r\n\r\n"), Some(4));
    }

    #[test]
    fn view_refuses_malformed_requests() {
        for bad in [
            &b"\r\n\r\n"[..],
            b"GET\r\n\r\n",
            b"GET /\r\nHost: a\r\n\r\n",
            b"GET / HTTP/2\r\nHost: a\r\n\r\n",
            b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            b"GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
            b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
            b"GET /\x1b[31m HTTP/1.1\r\nHost: a\r\n\r\n",
            b"G\xffT / HTTP/1.1\r\nHost: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\0\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        ] {
            assert_eq!(status(bad), 400, "{}", String::from_utf8_lossy(bad));
        }
        for body in ["Content-Length: 1000000000000", "Content-Length: -1", "Transfer-Encoding: chunked"] {
            let request = format!("GET / HTTP/1.1\r\nHost: a\r\n{body}\r\n\r\n");
            assert_eq!(status(request.as_bytes()), 413, "{body}");
        }
        let many = "a: b\r\n".repeat(MOST_HEADERS + 1);
        assert_eq!(status(format!("GET / HTTP/1.1\r\nHost: a\r\n{many}\r\n").as_bytes()), 431);
    }
}
