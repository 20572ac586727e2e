//! Memory for bzip2 tables: zeroed by the system page by page, on first use.
//!
//! libbz2-rs-sys allocates a zeroed table of 4 bytes for each byte of a block at the start of each
//! stream: 3.6 MB, of which a short stream uses one page. mimalloc clears reused memory, which
//! takes 0.16 ms. 20,000 streams of 16 bytes took 3.3 s, and 0.3 s with fresh pages (bzcat: 0.06
//! s).
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout};

/// Allocates bzip2 tables from the system and everything else from `A`.
#[derive(Debug)]
pub struct Bzip2Tables<A>(pub A);

/// Bytes of the table for blocks of 100,000 bytes. There are levels up to 9.
const LEVEL: usize = 400_000;

/// Whether `layout` is that of a table. Other allocations of the same size are treated like one.
#[inline]
fn is_table(layout: Layout) -> bool {
    layout.size() >= LEVEL
        && layout.size() <= 9 * LEVEL
        && layout.size().is_multiple_of(LEVEL)
        && layout.align() <= 16
}

// SAFETY: whether a block is a table depends only on its layout, so each block is returned to its
// allocator. Pages from the system are zeroed, and aligned to more than 16 bytes.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Bzip2Tables<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_table(layout) {
            true => map(layout.size()),
            // SAFETY: as the caller promises.
            false => unsafe { self.0.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match is_table(layout) {
            true => map(layout.size()),
            // SAFETY: as the caller promises.
            false => unsafe { self.0.alloc_zeroed(layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size` fits a layout.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if !is_table(layout) && !is_table(new) {
            // SAFETY: as the caller promises.
            return unsafe { self.0.realloc(block, layout, size) };
        }
        // SAFETY: as the caller promises.
        let moved = unsafe { self.alloc(new) };
        if !moved.is_null() {
            // SAFETY: both blocks have these bytes and do not overlap; the old one came from
            // this allocator with `layout`.
            unsafe {
                std::ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match is_table(layout) {
            true => unmap(block, layout.size()),
            // SAFETY: as the caller promises.
            false => unsafe { self.0.dealloc(block, layout) },
        }
    }
}

#[cfg(unix)]
/// Returns fresh pages, or null if there are none.
fn map(len: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: a new private mapping does not affect existing memory.
    let block = unsafe { libc::mmap(std::ptr::null_mut(), len, access, kind, -1, 0) };
    if block == libc::MAP_FAILED { std::ptr::null_mut() } else { block.cast() }
}

#[cfg(unix)]
fn unmap(block: *mut u8, len: usize) {
    // SAFETY: `map` created this block with this length, and its owner releases it.
    unsafe { libc::munmap(block.cast(), len) };
}

/// The layout of a table of `len` bytes.
#[cfg(windows)]
const fn table(len: usize) -> Layout {
    // SAFETY: 16 is a power of two, and tables are small.
    unsafe { Layout::from_size_align_unchecked(len, 16) }
}

/// The heap of the system gets large blocks from the kernel, which clears their pages.
#[cfg(windows)]
fn map(len: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    unsafe { std::alloc::System.alloc_zeroed(table(len)) }
}

#[cfg(windows)]
fn unmap(block: *mut u8, len: usize) {
    // SAFETY: `map` returned this block for this length.
    unsafe { std::alloc::System.dealloc(block, table(len)) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;

    #[test]
    fn tables_are_zeroed_and_keep_their_bytes_when_they_move() {
        let allocator = Bzip2Tables(System);
        for size in [100, LEVEL, 9 * LEVEL] {
            for moved in [50, LEVEL, 2 * LEVEL, 4_000_000] {
                let layout = Layout::from_size_align(size, 4).expect("a layout");
                let new = Layout::from_size_align(moved, 4).expect("a layout");
                // SAFETY: the layouts are not empty, and each block is used within its size and
                // released with its layout.
                unsafe {
                    let block = allocator.alloc_zeroed(layout);
                    assert!(std::slice::from_raw_parts(block, size).iter().all(|&b| b == 0));
                    block.write_bytes(7, size);
                    let block = allocator.realloc(block, layout, moved);
                    let kept = std::slice::from_raw_parts(block, size.min(moved));
                    assert!(kept.iter().all(|&b| b == 7));
                    allocator.dealloc(block, new);
                }
            }
        }
    }
}
