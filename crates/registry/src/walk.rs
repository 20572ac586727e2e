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

/// Number of inputs above which a node has an index of them.
const INDEXED: usize = 32;

/// Number of bytes of `text` with which a name of the automaton begins, and of those that are a name. `None` if the
/// automaton is damaged.
#[inline]
pub(crate) fn follow(nodes: &[u8], root: usize, text: &[u8]) -> Option<(usize, Option<usize>)> {
    let (mut node, mut longest) = (root, None);
    for (at, &byte) in text.iter().enumerate() {
        let next = match node {
            END => None,
            _ if nodes.get(node)? & 0x80 != 0 => one(nodes, node, byte)?,
            _ => any(nodes, node, byte)?,
        };
        if is_final(nodes, node)? {
            longest = Some(at);
        }
        let Some(next) = next else { return Some((at, longest)) };
        node = next;
    }
    if is_final(nodes, node)? {
        longest = Some(text.len());
    }
    Some((text.len(), longest))
}

/// Whether a name ends at a node.
fn is_final(nodes: &[u8], node: usize) -> Option<bool> {
    Some(node == END || nodes.get(node)? & 0xc0 == 0x40)
}

/// The node after a node with one input, if that is `byte`.
fn one(nodes: &[u8], node: usize, byte: u8) -> Option<Option<usize>> {
    let state = *nodes.get(node)?;
    let (input, below) = match usize::from(state & 0x3f) {
        0 => (*nodes.get(node.checked_sub(1)?)?, node - 1),
        number => (INPUTS[number - 1], node),
    };
    if input != byte {
        return Some(None);
    }
    let sizes = below.checked_sub(1)?;
    if state & 0x40 != 0 {
        return Some(Some(sizes));
    }
    let (distance, output) = split(*nodes.get(sizes)?);
    let end = sizes.checked_sub(distance + output)?;
    address(nodes, sizes - distance, distance, end).map(Some)
}

/// The node after any other node, if it has the input `byte`.
fn any(nodes: &[u8], node: usize, byte: u8) -> Option<Option<usize>> {
    let state = *nodes.get(node)?;
    let (count, below) = match usize::from(state & 0x3f) {
        // One input would be in the state.
        0 => match usize::from(*nodes.get(node.checked_sub(1)?)?) {
            1 => (256, node - 1),
            count => (count, node - 1),
        },
        count => (count, node),
    };
    let sizes = below.checked_sub(1)?;
    let (distance, output) = split(*nodes.get(sizes)?);
    let index = if count > INDEXED { 256 } else { 0 };
    let inputs = sizes.checked_sub(index + count)?;
    let number = match index {
        0 => nodes
            .get(inputs..sizes)?
            .iter()
            .rposition(|input| *input == byte)
            .map(|at| count - 1 - at),
        _ => Some(usize::from(nodes[inputs + count + usize::from(byte)])).filter(|at| *at < count),
    };
    let Some(number) = number else { return Some(None) };
    let outputs = output * (count + usize::from(state & 0x40 != 0));
    let end = inputs.checked_sub(count * distance + outputs)?;
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
    let distance = bytes & u64::MAX.checked_shr(64_u32.checked_sub(8 * size as u32)?).unwrap_or(0);
    match usize::try_from(distance).ok()? {
        0 => Some(END),
        distance => end.checked_sub(distance),
    }
}
