//! Numbers and bytes as text.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// Bytes, compressed, in base64: what a page inflates without help.
pub fn packed(bytes: &[u8]) -> String {
    base64(&compress_to_vec_zlib(bytes, 6))
}

/// A number with so many digits.
pub fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

/// A number with at most so many digits, as text.
pub fn short(x: f64, digits: usize) -> String {
    format!("{:?}", rounded(x, digits)).trim_end_matches(".0").to_string()
}

/// Base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(super::base64(bytes.as_bytes()), text);
        }
        assert_eq!(super::base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
