//! Notations around a name: labels such as `doi:` and the addresses of resolvers.
//!
//! Each has one table. A whole value is read forward, from its start to the name (`Presented`). A
//! name in text is read backward, from the name to its label or address ([`strip_resolver`],
//! [`strip_label`]). Both directions therefore accept the same notations.

use super::percent;
use super::syntax::registrant;
use crate::rule::table;

table! {
    /// Hosts whose address of a DOI is the host, a slash and the DOI, optionally with `www.`. The
    /// numbers count the addresses of each host among 146,000 in the collections on which the
    /// rules were tested.
    pub(crate) HOSTS, "addresses", "begins a DOI" {
        "doi.org": "\"http://doi.org/10.1000/182*\"" => "10.1000/182*" # "135,335; the proxy of the DOI system";
        "dx.doi.org": "\"http://dx.doi.org/10.1000/182*\"" => "10.1000/182*" # "6,295; its name until 2015";
        "link.springer.com": "\"http://link.springer.com/10.1000/182*\"" => "10.1000/182*" # "2,549";
        "doi.wiley.com": "\"http://doi.wiley.com/10.1000/182*\"" => "10.1000/182*" # "1,297";
        "dx.plos.org": "\"http://dx.plos.org/10.1000/182*\"" => "10.1000/182*" # "267";
        "handle.test.datacite.org": "\"http://handle.test.datacite.org/10.1000/182*\"" => "10.1000/182*" # "60";
        "emeraldinsight.com": "\"http://www.emeraldinsight.com/10.1000/182*\"" => "10.1000/182*" # "33";
        "doi.pangaea.de": "\"http://doi.pangaea.de/10.1000/182*\"" => "10.1000/182*" # "18";
        "doi.acm.org": "\"http://doi.acm.org/10.1000/182*\"" => "10.1000/182*" # "7";
        "doi.ieeecomputersociety.org": "\"http://doi.ieeecomputersociety.org/10.1000/182*\"" => "10.1000/182*" # "5";
        "doi.aida.medtech4health.se": "\"http://doi.aida.medtech4health.se/10.1000/182*\"" => "10.1000/182*" # "1";
        "hdl.handle.net": "\"http://hdl.handle.net/10.1000/182*\"" => "10.1000/182*" # "the Handle System, which resolves every DOI (Z39.84)";
    }
}

table! {
    /// Service paths that may come between a host and the DOI: the interface for handles, and "Which
    /// RA?" of the DOI proxy under its two addresses.
    pub(crate) SERVICES, "addresses", "begins a DOI" {
        "api/handles/": "\"https://doi.org/api/handles/10.1000/182*\"" => "10.1000/182*";
        "doiRA/": "\"https://doi.org/doiRA/10.1000/182*\"" => "10.1000/182*";
        "ra/": "\"https://doi.org/ra/10.1000/182*\"" => "10.1000/182*";
    }
}

table! {
    /// Labels before a DOI, besides `doi:`. A label that ends in another label comes before it. A colon
    /// may replace the first slash of a DOI after `urn:`.
    pub(crate) LABELS, "text, values", "begins a DOI" {
        "urn:doi:": "see urn:doi:10.1000:182 and" => "10.1000/182" # "DOI handbook";
        "urn:eidr:": "see urn:eidr:10.1000:182 and" => "10.1000/182" # "RFC 7972";
        "info:doi/": "\"info:doi/10.1000/182*\"" => "10.1000/182*" # "RFC 4452";
        "info:doi:": "\"info:doi:10.1000/182*\"" => "10.1000/182*" # "printed in EIDR's document on identifier formats";
        "info:hdl/": "\"info:hdl/10.1000/182*\"" => "10.1000/182*";
        "hdl:": "\"hdl:10.1000/182*\"" => "10.1000/182*" # "DOI handbook";
    }
}

/// Maximum number of labels and addresses before one name: `doi:https://doi.org/urn:doi:`.
pub const MAX_LABELS: usize = 3;

/// Maximum length of a host with its port (RFC 1035, 2.3.4).
const MAX_HOST: usize = 253 + 6;

/// How a host was recognised as a resolver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolver {
    /// It is listed in the table.
    Listed,
    /// It is a library's proxy for a host in the table: `doi-org.proxy.example.edu`.
    Proxy,
}

/// The position and notation of the name in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Presented {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a colon may replace its first slash.
    pub(super) is_urn: bool,
    /// Whether it is an `info:` URI.
    pub(super) is_info: bool,
    /// Whether it is in the path of an address.
    pub(super) is_address: bool,
    /// Offset of the host of a library's proxy.
    pub(super) proxy: Option<usize>,
    /// Offset of the blank or the full-width colon after `doi` that replaces the colon.
    pub(super) no_colon: Option<usize>,
}

impl Presented {
    pub(super) fn of(value: &[u8]) -> Presented {
        let mut found = Presented {
            start: 0,
            end: value.len(),
            is_urn: false,
            is_info: false,
            is_address: false,
            proxy: None,
            no_colon: None,
        };
        for _ in 0..MAX_LABELS {
            let rest = &value[found.start..];
            if rest.starts_with(b"10.") || !found.strip(rest) {
                break;
            }
        }
        if found.is_address {
            found.end = found.start + address_end(&value[found.start..]);
        }
        found
    }

    /// Skips one label or address at the start of `rest`. Returns false if there is none.
    fn strip(&mut self, rest: &[u8]) -> bool {
        let at = self.start;
        if let Some((len, is_urn)) = label(rest) {
            self.start += len;
            self.is_urn |= is_urn;
            self.is_info |= strip_word(rest, b"info:").is_some();
        } else if let Some(len) = word_and_blanks(rest) {
            self.start += len;
            self.no_colon.get_or_insert(at + b"doi".len());
        } else if let Some((len, resolver)) = address(rest) {
            self.start += len;
            self.is_address = true;
            if resolver == Resolver::Proxy {
                self.proxy.get_or_insert(at);
            }
        } else {
            return false;
        }
        true
    }
}

/// Returns the length of the label at the start of `value`, and whether it belongs to a URN. Blanks
/// may surround the colon after `doi`. `urn:` alone is a label if `10.` follows.
fn label(value: &[u8]) -> Option<(usize, bool)> {
    let table = LABELS.iter().find(|l| strip_word(value, l.text.as_bytes()).is_some());
    if let Some(label) = table {
        return Some((label.text.len(), label.text.starts_with("urn:")));
    }
    if let Some(rest) = strip_word(value, b"urn:") {
        return rest.starts_with(b"10.").then_some((b"urn:".len(), true));
    }
    let rest = strip_word(value, b"doi")?;
    let rest = rest[blanks(rest)..].strip_prefix(b":")?;
    Some((value.len() - rest.len() + blanks(rest), false))
}

/// The colon of Chinese and Japanese text.
const FULL_WIDTH: &[u8] = "\u{ff1a}".as_bytes();

/// Returns the length of `doi` and the blanks or the full-width colon after it.
fn word_and_blanks(value: &[u8]) -> Option<usize> {
    let word = strip_word(value, b"doi")?;
    let rest = &word[blanks(word)..];
    let rest = rest.strip_prefix(FULL_WIDTH).unwrap_or(rest);
    let rest = &rest[blanks(rest)..];
    (rest.len() < word.len()).then_some(value.len() - rest.len())
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Returns the length of the address at the start of `value`, up to the name: optional scheme,
/// host, slash and service path.
fn address(value: &[u8]) -> Option<(usize, Resolver)> {
    let schemes: [&[u8]; 2] = [b"https://", b"http://"];
    let rest = schemes.iter().find_map(|scheme| strip_word(value, scheme)).unwrap_or(value);
    let slash = memchr::memchr(b'/', &rest[..rest.len().min(MAX_HOST + 1)])?;
    let resolver = resolver(&rest[..slash])?;
    let path = &rest[slash + 1..];
    let name =
        SERVICES.iter().find_map(|row| strip_word(path, row.text.as_bytes())).unwrap_or(path);
    Some((value.len() - name.len(), resolver))
}

/// Returns the length of the resolver address at the start of `value`, up to the name.
pub(super) fn address_len(value: &[u8]) -> Option<usize> {
    address(value).map(|(len, _)| len)
}

/// Recognises a host that resolves DOIs. It is listed in the table, with an optional `www.`, port
/// or trailing full stop for the root, or it is a library's proxy for a listed host. A proxy
/// appends its own domain and may replace full stops by hyphens (`doi-org.proxy.example.edu`,
/// `doi.org.proxy.example.edu`).
fn resolver(host: &[u8]) -> Option<Resolver> {
    let digits = host.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let host = host[..host.len() - digits].strip_suffix(b":").unwrap_or(host);
    let bare = strip_word(host, b"www.").or_else(|| strip_word(host, b"www-")).unwrap_or(host);
    HOSTS.iter().find_map(|row| {
        let known = row.text;
        let (head, rest) = bare.split_at_checked(known.len())?;
        let is_plain = head.eq_ignore_ascii_case(known.as_bytes());
        let is_same = is_plain || is_hyphenated(head, known.as_bytes());
        match rest {
            _ if !is_same => None,
            b"" | b"." if is_plain => Some(Resolver::Listed),
            [b'.', domain @ ..] if !domain.is_empty() => Some(Resolver::Proxy),
            _ => None,
        }
    })
}

/// Whether `head` is `known` with hyphens instead of full stops.
fn is_hyphenated(head: &[u8], known: &[u8]) -> bool {
    head.iter().zip(known).all(|(&a, &b)| match b {
        b'.' => a == b'-',
        _ => a.eq_ignore_ascii_case(&b),
    })
}

/// Returns the end of the name in the path of an address: a raw `?` or `#`, except the `#` in the
/// check part `;2-#` of a SICI.
fn address_end(path: &[u8]) -> usize {
    let is_check_part = |at: usize| {
        let before = &path[..at];
        before.ends_with(b";2-") || before.ends_with(b"%3B2-") || before.ends_with(b"%3b2-")
    };
    memchr::memchr2_iter(b'?', b'#', path)
        .find(|&at| path[at] == b'?' || !is_check_part(at))
        .unwrap_or(path.len())
}

/// Returns `before` without a resolver address at its end: `https://doi.org/`, `dx.doi.org/`,
/// `http:\/\/www.doi.org\/`, `https://doi.org/api/handles/`.
pub fn strip_resolver(before: &[u8]) -> Option<&[u8]> {
    // Nine of ten addresses. Taking one apart costs 600 instructions.
    if let Some(rest) = before.strip_suffix(b"https://doi.org/") {
        return Some(rest);
    }
    let rest = strip_slash(before)?;
    if let Some(shorter) = strip_host(rest) {
        return Some(shorter);
    }
    SERVICES.iter().find_map(|row| {
        let mut rest = before;
        for segment in row.text.trim_end_matches('/').rsplit('/') {
            rest = strip_last(strip_slash(rest)?, segment.as_bytes())?;
        }
        strip_host(strip_slash(rest)?)
    })
}

/// Whether `before` ends in a complete resolver address, including its scheme.
pub fn is_whole_address(before: &[u8]) -> bool {
    let address = strip_resolver(before).map(|rest| &before[rest.len()..]);
    address.is_some_and(|address| strip_word(address, b"http").is_some())
}

/// Returns `before` without a resolver host at its end and without the scheme of that host.
fn strip_host(before: &[u8]) -> Option<&[u8]> {
    let is_host = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':');
    let window = &before[before.len().saturating_sub(MAX_HOST)..];
    let len = window.iter().rev().take_while(is_host).count();
    let host = &before[before.len() - len..];
    let rest = &before[..before.len() - len];
    // A label such as `doi:` may be joined to a host without a scheme.
    let word = host.iter().position(|&b| b == b':').map_or(0, |at| at + 1);
    let (rest, host) = match host[word..].iter().all(u8::is_ascii_digit) {
        false => (&before[..before.len() - len + word], &host[word..]),
        true => (rest, host),
    };
    resolver(host)?;
    let Some(scheme) = strip_slash(rest).and_then(strip_slash) else { return Some(rest) };
    let schemes: [&[u8]; 2] = [b"https:", b"http:"];
    Some(schemes.iter().find_map(|word| strip_last(scheme, word)).unwrap_or(scheme))
}

/// Returns `before` without a label at its end: `doi:`, `DOI `, `DOI：`, `Digital Object Identifier `, `info:doi/`, `urn:doi:`.
pub fn strip_label(before: &[u8]) -> Option<&[u8]> {
    if let Some(slash) = strip_slash(before) {
        let with_slash = LABELS.iter().filter_map(|row| row.text.strip_suffix('/'));
        return { with_slash }.find_map(|label| strip_last(slash, label.as_bytes()));
    }
    let rest = before.trim_ascii_end();
    // The label of Chinese journals: `【DOI】10.16670/…`.
    if let Some(label) = rest.strip_suffix("】".as_bytes()) {
        return strip_last(label, b"doi").filter(|rest| rest.ends_with("【".as_bytes()));
    }
    // Nearly every name follows a bracket, or a blank after some other word.
    if !matches!(rest, [.., b':' | b'i' | b'I' | b'r' | b'R'] | [.., 0xef, 0xbc, 0x9a]) {
        return None;
    }
    for label in LABELS.iter().filter(|label| label.text.len() > b"doi:".len()) {
        if let Some(rest) = strip_last(before, label.text.as_bytes()) {
            return Some(rest);
        }
    }
    let blanks = rest.len() < before.len();
    let colon = rest.strip_suffix(b":").or_else(|| rest.strip_suffix(FULL_WIDTH));
    let text = colon.unwrap_or(rest).trim_ascii_end();
    let doi = strip_last(text, b"doi");
    let hdl = || strip_last(text, b"hdl").filter(|_| colon.is_some() && LABELS.holds(b"hdl:"));
    // Journals of the IEEE print it: `Digital Object Identifier 10.1109/…`.
    let long = || strip_last(text, b"digital object identifier");
    let word = doi.or_else(hdl).or_else(long)?;
    if !blanks && colon.is_none() || word.last().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    Some(strip_last(word, b"urn:").unwrap_or(word))
}

/// Returns `before` without the slash at its end, written `/` or `\/`.
pub fn strip_slash(before: &[u8]) -> Option<&[u8]> {
    let mut rest = before.strip_suffix(b"/")?;
    while let [head @ .., b'\\'] = rest {
        rest = head;
    }
    Some(rest)
}

/// Returns `value` without `word` at its start, ignoring ASCII case.
pub(crate) fn strip_word<'a>(value: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = value.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns `before` without `word` at its end, ignoring ASCII case.
pub fn strip_last<'a>(before: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = before.len().checked_sub(word.len())?;
    before[at..].eq_ignore_ascii_case(word).then(|| &before[..at])
}

/// Whether `rest` begins with a label of names, or with an address.
pub(crate) fn begins_label(rest: &[u8]) -> bool {
    let labels: &[&str] = match rest.first() {
        Some(b'd' | b'D') => &["doi:", "doi.org/", "doi 10."],
        Some(b'h' | b'H') => &["http:", "https:"],
        _ => &[],
    };
    labels.iter().any(|label| strip_word(rest, label.as_bytes()).is_some())
}

/// Returns where the second entry begins if `name` is a list without spaces, which Z39.84 allows as one name:
/// `10.1000/a;10.1000/b`.
pub(super) fn next_entry(name: &[u8]) -> Option<usize> {
    let is_name = |rest: &[u8]| {
        let rest = rest.strip_prefix(b"10.").unwrap_or_default();
        let registrant = registrant(rest);
        registrant.is_plain() && rest.get(registrant.len) == Some(&b'/')
    };
    // A label or an address after which no name begins is no entry.
    let last = memchr::memmem::rfind(name, b"10.")?;
    let delimiters = (0..last).filter(|&at| b",;|&+=".contains(&name[at]));
    let mut entries = delimiters.map(|at| at + 1 + blanks(&name[at + 1..]));
    entries.find(|&at| is_name(&name[at..]) || begins_label(&name[at..]))
}

/// Offset in `name` of the first character that the notation requires to be encoded.
pub(super) fn unencoded(name: &[u8], presented: &Presented) -> Option<usize> {
    let is_wrong: fn(u8) -> bool = match presented {
        Presented { is_urn: true, .. } => |b| b == b'/' || !percent::is_uri(b),
        Presented { is_info: true, .. } => |b| !percent::is_uri(b),
        Presented { is_address: true, .. } => |b| !b.is_ascii_graphic() || b"\"\\".contains(&b),
        _ => return None,
    };
    let is_sign = |at: usize| percent::octet(&name[at..]).is_some();
    name.iter().enumerate().position(|(at, &b)| is_wrong(b) && !(b == b'%' && is_sign(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_forward_and_backward() {
        for address in [
            "https://doi.org/",
            "HTTP://DX.DOI.ORG/",
            "https://DOI.org/",
            "www.doi.org/",
            "doi.org/",
            "https://doi.org:443/",
            "http://dx.doi.org./",
            "https://doi.org/ra/",
            "https://doi.org/doiRA/",
            "https://doi.org/api/handles/",
            "https://hdl.handle.net/",
            "https://hdl.handle.net/api/handles/",
            "http://doi.wiley.com/",
            "http://link.springer.com/",
            "https://doi-org.lama.example.fr/",
            "https://dx.doi.org.proxy.example.edu/",
            "https://dx-doi-org.example.edu/",
            "http://doi.acm.org.www.library.example.edu:2048/",
        ] {
            let value = format!("{address}10.1000/1");
            let found = Presented::of(value.as_bytes());
            assert_eq!((found.start, found.is_address), (address.len(), true), "{address}");
            for escaped in [address.to_owned(), address.replace('/', "\\/")] {
                let before = format!("\"{escaped}");
                assert_eq!(strip_resolver(before.as_bytes()), Some(&b"\""[..]), "{escaped}");
            }
        }
    }

    #[test]
    fn other_addresses_are_none() {
        for address in [
            "https://doi.org",
            "https://mydoi.org/",
            "https://doi./",
            "https://doi.evil.example/",
            "https://doi-org/",
            "https://example.org/doi.org/",
            "https://example.org/",
            "https://example.org/ra/",
        ] {
            let value = format!("{address}10.1000/1");
            assert_eq!(Presented::of(value.as_bytes()).start, 0, "{address}");
            let whole = strip_resolver(address.as_bytes()).map(<[u8]>::len);
            assert!(whole.is_none() || whole == Some("https://example.org/".len()), "{address}");
        }
    }

    #[test]
    fn labels_are_read_forward_and_backward() {
        for (label, is_urn) in [
            ("doi:", false),
            ("DOI: ", false),
            ("doi : ", false),
            ("doi ", false),
            ("hdl:", false),
            ("info:doi/", false),
            ("info:doi:", false),
            ("info:hdl/", false),
            ("urn:doi:", true),
            ("URN:EIDR:", true),
        ] {
            let value = format!("{label}10.1000/1");
            let found = Presented::of(value.as_bytes());
            assert_eq!((found.start, found.is_urn), (label.len(), is_urn), "{label}");
            let before = format!("\"{label}");
            assert_eq!(strip_label(before.as_bytes()), Some(&b"\""[..]), "{label}");
        }
        for before in ["\"doi", "xdoi:", "\"", "hdl ", "see "] {
            assert_eq!(strip_label(before.as_bytes()), None, "{before}");
        }
    }

    #[test]
    fn labels_and_addresses_are_chained() {
        for (chain, proxy, no_colon) in [
            ("doi:https://doi.org/urn:doi:", None, None),
            ("doi https://doi.org/doi:", None, Some(3)),
            ("doi:http://doi-org.example.edu/", Some(4), None),
        ] {
            let value = format!("{chain}10.1000:1");
            let found = Presented::of(value.as_bytes());
            assert_eq!((found.start, found.proxy), (chain.len(), proxy), "{chain}");
            assert_eq!(found.no_colon, no_colon, "{chain}");
        }
    }
}
