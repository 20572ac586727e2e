//! Follows a text along the automaton of an index. Pure.
//!
//! `fst` reads a node as forty bytes, whose outputs no set has, and takes 150 instructions a byte; this takes a tenth.
//! The form of a node is that of `fst` 0.4 (`raw/node.rs`, versions 2 and 3): a node is read downwards from its address, and its
//! last byte is its state.
//!
//! | state | node, downwards |
//! |---|---|
//! | `11` and the input | the next node follows |
//! | `10` and the input | sizes, distance |
//! | `0`, whether a name ends here, number of inputs | sizes, index if there are more than 32, inputs, distances |
//!
//! An input or a number of zero is a byte of its own after the state. Sizes are those of a distance and of an output. A distance
//! counts from the end of the node; zero is the node without inputs at which a name ends.

/// The inputs that a state has, from 1.
const INPUTS: &[u8; 63] = b"te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG";

/// The node without inputs.
const END: usize = 0;

/// The bits of a number of so many bytes.
const MASKS: [u64; 9] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    u32::MAX as u64,
    0xff << 32 | u32::MAX as u64,
    0xffff << 32 | u32::MAX as u64,
    0xff_ffff << 32 | u32::MAX as u64,
    u64::MAX,
];

/// Number of inputs above which a node has an index of them.
const INDEXED: usize = 32;

/// Digits of a registrant whose nodes are known.
const DIGITS: usize = 4;

/// Length of a prefix up to these digits.
const PREFIX: usize = b"10.".len() + DIGITS;

/// The nodes after `10.` and four digits, with which nearly all texts begin. Following them takes a third of the
/// instructions of a lookup.
pub(crate) struct Starts {
    root: usize,
    /// By the number of the four digits. [`END`] if there is none, or if a name ends before it.
    nodes: Vec<usize>,
}

impl Starts {
    /// Finds the nodes. If the automaton is damaged, some are missing.
    pub(crate) fn new(nodes: &[u8], root: usize) -> Starts {
        let mut starts = Starts { root, nodes: vec![END; 10_usize.pow(DIGITS as u32)] };
        let open =
            |node, byte| step(nodes, node, byte).flatten().filter(|next| is_open(nodes, *next));
        let after = b"10.".iter().try_fold(root, |node, byte| open(node, *byte));
        let mut found: Vec<_> =
            after.filter(|_| is_open(nodes, root)).map(|node| (node, 0)).into_iter().collect();
        for _ in 0..DIGITS {
            let digits = |(node, number)| {
                (0..10).filter_map(move |digit| {
                    Some((open(node, b'0' + digit)?, 10 * number + usize::from(digit)))
                })
            };
            found = found.into_iter().flat_map(digits).collect();
        }
        for (node, number) in found {
            starts.nodes[number] = node;
        }
        starts
    }

    /// The node to start at for `text`, and the number of bytes that lead to it.
    #[inline]
    fn of(&self, text: &[u8]) -> (usize, usize) {
        if let Some(&[b'1', b'0', b'.', ref digits @ ..]) = text.first_chunk::<PREFIX>() {
            let number = digits
                .iter()
                .fold(0, |number, digit| 10 * number + usize::from(digit.wrapping_sub(b'0')));
            let is_number = digits.iter().fold(true, |is, digit| is & digit.is_ascii_digit());
            if let Some(&node) = self.nodes.get(number).filter(|node| is_number && **node != END) {
                return (node, PREFIX);
            }
        }
        (self.root, 0)
    }
}

/// Number of bytes of `text` with which a name of the automaton begins, and of those that are a name. `None` if the
/// automaton is damaged.
#[inline]
pub(crate) fn follow(nodes: &[u8], starts: &Starts, text: &[u8]) -> Option<(usize, Option<usize>)> {
    let ((mut node, mut at), mut longest) = (starts.of(text), None);
    loop {
        if is_final(nodes, node)? {
            longest = Some(at);
        }
        let Some(&byte) = text.get(at) else { return Some((at, longest)) };
        let Some(next) = step(nodes, node, byte)? else { return Some((at, longest)) };
        (node, at) = (next, at + 1);
    }
}

/// Whether a name ends at a node.
#[inline]
fn is_final(nodes: &[u8], node: usize) -> Option<bool> {
    Some(node == END || nodes.get(node)? & 0xc0 == 0x40)
}

/// Whether no name ends at a node.
fn is_open(nodes: &[u8], node: usize) -> bool {
    is_final(nodes, node) == Some(false)
}

/// The node after a node, if that has the input `byte`.
#[inline]
fn step(nodes: &[u8], node: usize, byte: u8) -> Option<Option<usize>> {
    if node == END {
        return Some(None);
    }
    let state = *nodes.get(node)?;
    // The input, or the number of inputs.
    let (number, below) = match usize::from(state & 0x3f) {
        0 => (usize::from(*nodes.get(node.checked_sub(1)?)?), node - 1),
        number if state & 0x80 != 0 => (usize::from(INPUTS[number - 1]), node),
        number => (number, node),
    };
    let sizes = below.checked_sub(1)?;
    if state & 0x80 == 0 {
        // One input would be in the state.
        let count = if number == 1 && below < node { 256 } else { number };
        return any(nodes, (sizes, count), state & 0x40 != 0, byte);
    }
    match (number == usize::from(byte), state & 0x40 != 0) {
        (false, _) => Some(None),
        (true, true) => Some(Some(sizes)),
        (true, false) => {
            let (distance, output) = split(*nodes.get(sizes)?);
            let end = sizes.checked_sub(distance + output)?;
            address(nodes, sizes - distance, distance, end).map(Some)
        }
    }
}

/// The node after a node of any other number of inputs, whose sizes are at `sizes`, if it has the input `byte`.
#[inline]
fn any(
    nodes: &[u8],
    (sizes, count): (usize, usize),
    is_final: bool,
    byte: u8,
) -> Option<Option<usize>> {
    let (distance, output) = split(*nodes.get(sizes)?);
    let index = if count > INDEXED { 256 } else { 0 };
    let inputs = sizes.checked_sub(index + count)?;
    let number = match index {
        0 => nodes.get(inputs..sizes)?.iter().rev().position(|input| *input == byte),
        _ => Some(usize::from(nodes[inputs + count + usize::from(byte)])).filter(|at| *at < count),
    };
    let Some(number) = number else { return Some(None) };
    let end = inputs.checked_sub(count * distance + output * (count + usize::from(is_final)))?;
    address(nodes, inputs - (number + 1) * distance, distance, end).map(Some)
}

/// The sizes of a distance and of an output.
fn split(sizes: u8) -> (usize, usize) {
    (usize::from(sizes >> 4), usize::from(sizes & 0xf))
}

/// The address at a distance of `size` bytes, which is at `at`, from `end`.
fn address(nodes: &[u8], at: usize, size: usize, end: usize) -> Option<usize> {
    // The foot of the automaton follows all nodes.
    let bytes = u64::from_le_bytes(*nodes.get(at..)?.first_chunk()?);
    let distance = bytes & MASKS.get(size)?;
    match usize::try_from(distance).ok()? {
        0 => Some(END),
        distance => end.checked_sub(distance),
    }
}
