//! Names of which no two are equal, in an order that is none: for sets that
//! are larger than memory.

use super::names::decimal;

/// Journals, as a power of two. Crossref has registered some 100,000 titles.
const JOURNALS: u32 = 15;

/// Names of one round: a journal gets `2^(ROUND - JOURNALS)` articles in each.
const ROUND: u32 = 28;

/// Appends the `n`-th name: a journal's head, of which thousands share one, and
/// the number of an article in it. 30 bytes in the mean.
pub(super) fn write(n: u64, out: &mut Vec<u8>) {
    let place = scattered(n & ((1 << ROUND) - 1));
    let journal = place & ((1 << JOURNALS) - 1);
    let article = (place >> JOURNALS) | (n >> ROUND) << (ROUND - JOURNALS);
    match journal % 8 {
        0..=2 => {
            out.extend_from_slice(b"10.1016/j.");
            code(journal, out);
            year_and_number(article, out);
        }
        3 | 4 => {
            out.extend_from_slice(b"10.1007/s1");
            digits(journal, 5, out);
            out.push(b'-');
            digits(article % 24, 3, out);
            out.push(b'-');
            digits(article / 24, 4, out);
            out.push(b'-');
            digits(article % 10, 1, out);
        }
        5 => {
            out.extend_from_slice(b"10.1111/");
            code(journal, out);
            digits(10_000 + article, 5, out);
        }
        6 => {
            out.extend_from_slice(b"10.1093/");
            code(journal, out);
            out.extend_from_slice(b"/btaa");
            digits(article, 5, out);
        }
        _ => {
            out.extend_from_slice(b"10.");
            decimal(out, 20_000 + journal);
            out.push(b'/');
            code(journal, out);
            year_and_number(article, out);
        }
    }
}

/// One-to-one on numbers of [`ROUND`] bits: odd factors and shifted differences are.
fn scattered(n: u64) -> u64 {
    let mask = (1 << ROUND) - 1;
    let n = n.wrapping_mul(0x9E37_79B1) & mask;
    let n = n ^ (n >> 15);
    let n = n.wrapping_mul(0x85EB_CA77) & mask;
    n ^ (n >> 13)
}

/// Four letters, other ones for every journal: the factor has no divisor in common with 26.
fn code(journal: u64, out: &mut Vec<u8>) {
    let mut rest = journal * 123_457 % 26_u64.pow(4);
    for _ in 0..4 {
        out.push(b'a' + (rest % 26) as u8);
        rest /= 26;
    }
}

fn year_and_number(article: u64, out: &mut Vec<u8>) {
    out.push(b'.');
    digits(2000 + article % 25, 4, out);
    out.push(b'.');
    digits(article / 25, 6, out);
}

/// At least this many digits.
fn digits(number: u64, least: u32, out: &mut Vec<u8>) {
    let width = number.checked_ilog10().map_or(1, |log| log + 1);
    out.extend((width..least).map(|_| b'0'));
    decimal(out, number);
}
