//! Distinct names in no particular order, for sets that are larger than memory.

use super::names::decimal;

/// Number of journals, as a power of two. Crossref has registered about 100,000 titles.
const JOURNALS: u32 = 15;

/// Number of names in one round, as a power of two. A journal gets `2^(ROUND - JOURNALS)` articles
/// in each round.
const ROUND: u32 = 28;

/// Appends the `n`-th name: the prefix of a journal, shared by thousands of names, and the number
/// of an article. The mean length is 30 bytes.
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

/// A bijection on numbers of [`ROUND`] bits, because multiplying by odd factors and XOR with shifts
/// are bijections.
fn scattered(n: u64) -> u64 {
    let mask = (1 << ROUND) - 1;
    let n = n.wrapping_mul(0x9E37_79B1) & mask;
    let n = n ^ (n >> 15);
    let n = n.wrapping_mul(0x85EB_CA77) & mask;
    n ^ (n >> 13)
}

/// Appends four letters that differ for every journal, because the factor has no divisor in common
/// with 26.
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

/// Appends a number with at least this many digits.
fn digits(number: u64, least: u32, out: &mut Vec<u8>) {
    let width = number.checked_ilog10().map_or(1, |log| log + 1);
    out.extend((width..least).map(|_| b'0'));
    decimal(out, number);
}
