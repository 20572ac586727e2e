//! The hosts that resolve a DOI.

/// The rest of `address` behind the host of a resolver and its slash: of
/// `https://dx.doi.org/10.1000/1`, with or without the scheme, `10.1000/1`.
pub(super) fn strip(address: &[u8]) -> Option<&[u8]> {
    let schemes: [&[u8]; 2] = [b"https://", b"http://"];
    let rest = schemes.iter().find_map(|scheme| strip_word(address, scheme)).unwrap_or(address);
    // No host is longer (RFC 1035, 2.3.4), and none is looked for behind that.
    let reach = rest.len().min(MAX_HOST);
    let slash = memchr::memchr(b'/', &rest[..reach])?;
    is_resolver(&rest[..slash]).then(|| &rest[slash + 1..])
}

/// The longest host, its port, and the slash.
const MAX_HOST: usize = 253 + 6 + 1;

/// Whether `host` resolves DOIs: `doi.org`, `dx.doi.org` and `www.doi.org`, with a port or
/// without; the same behind a library's proxy (`doi-org.proxy.example.edu`,
/// `doi.org.proxy.example.edu`); publishers' own (`doi.acm.org`); and the handle system's.
fn is_resolver(host: &[u8]) -> bool {
    let port = host.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let host = host[..host.len() - port].strip_suffix(b":").unwrap_or(host);
    let host = strip_word(host, b"www.").unwrap_or(host);
    let begins: [&[u8]; 4] = [b"doi.", b"dx.doi.", b"doi-org.", b"dx-doi-org."];
    begins.iter().any(|begin| strip_word(host, begin).is_some_and(|rest| !rest.is_empty()))
        || host.eq_ignore_ascii_case(b"hdl.handle.net")
}

/// `value` without `word` at its start, whatever the case of its letters.
pub(super) fn strip_word<'a>(value: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = value.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for (address, rest) in [
            ("https://doi.org/10.1/x", Some("10.1/x")),
            ("HTTP://DX.DOI.ORG/10.1/x", Some("10.1/x")),
            ("www.doi.org/10.1/x", Some("10.1/x")),
            ("https://doi.org:443/10.1/x", Some("10.1/x")),
            ("https://doi-org.lama.example.fr/10.1/x", Some("10.1/x")),
            ("https://dx.doi.org.proxy.example.edu/10.1/x", Some("10.1/x")),
            ("http://doi.acm.org/10.1/x", Some("10.1/x")),
            ("https://dx-doi-org.example.edu/10.1/x", Some("10.1/x")),
            ("https://hdl.handle.net/10.1/x", Some("10.1/x")),
            ("https://doi.org", None),
            ("https://mydoi.org/10.1/x", None),
            ("https://doi./10.1/x", None),
            ("https://example.org/doi.org/10.1/x", None),
            ("10.1/x", None),
        ] {
            assert_eq!(strip(address.as_bytes()), rest.map(str::as_bytes), "{address}");
        }
    }
}
