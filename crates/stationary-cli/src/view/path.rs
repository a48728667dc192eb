//! From what a browser asks for to the name of a file, and nothing else.

use std::path::Path;

/// Whether a Host is this machine's loopback address, with or without a port.
pub fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The names on the way from the folder to a file; none for what could lead anywhere else. The first page has no names.
pub fn parts(url: &str) -> Option<Vec<String>> {
    let path = url.strip_prefix('/')?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if path.is_empty() {
        return Some(Vec::new());
    }
    // Decoded before it is divided: %2f is a slash to the file system, so it must be one here.
    let path = decode(path)?;
    let plain = |name: &str| {
        !name.is_empty()
            && name != "."
            && name != ".."
            && !name.contains(['\\', ':'])
            && !name.contains(char::is_control)
    };
    path.split('/').map(|name| plain(name).then(|| name.to_string())).collect()
}

/// Text with %xx replaced; none where that is not well formed, or no UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push(u8::try_from(16 * high + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// A name as it stands in a link.
pub fn encode(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(byte.into())
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// What a file is, by its ending.
pub fn content_type(path: &Path) -> &'static str {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "html" => "text/html; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "toml" | "txt" | "log" | "journal" => "text/plain; charset=utf-8",
        "vtu" | "pvd" | "xdmf" | "xmf" | "xml" => "application/xml",
        "h5" | "hdf5" | "vtkhdf" => "application/x-hdf5",
        "parquet" => "application/vnd.apache.parquet",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn view_accepts_only_paths_below_its_folder() {
        assert_eq!(parts("/"), Some(vec![]));
        assert_eq!(parts("/?x=1"), Some(vec![]));
        assert_eq!(parts("/frames/a%20b.vtu?t=3"), Some(vec!["frames".into(), "a b.vtu".into()]));
        for bad in [
            "",
            "series.csv",
            "http://127.0.0.1/a",
            "//etc/passwd",
            "/../a",
            "/a/../b",
            "/%2e%2e/a",
            "/.%2E/a",
            "/a%2f..%2fb",
            "/%2fetc/passwd",
            "/a//b",
            "/./a",
            "/a/",
            "/..\\a",
            "/%5c..%5ca",
            "/c:/a",
            "/a%00b",
            "/a%",
            "/a%2",
            "/a%zz",
            "/%ff",
            "/%2",
        ] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }

    #[test]
    fn view_accepts_only_host_names_of_this_machine() {
        for good in ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            "example.org",
            "example.org:80",
            "127.0.0.1.example.org",
            "localhost.example.org:80",
            "127.0.0.1:x",
            "[::2]",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    #[test]
    fn view_links_decode_to_the_file_name() {
        let name = "frames/ä b%2f\"<.vtu";
        assert_eq!(parts(&format!("/{}", encode(name))).unwrap().join("/"), name);
    }
}
