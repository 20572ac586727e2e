#!/bin/bash -eu
# Builds every fuzz target into $OUT, with its dictionary and, for those that read plain text, a corpus.
#
#   SRC=.. OUT=/somewhere fuzz/oss-fuzz/build.sh [TARGET]...    here, with cargo-fuzz

cd "$SRC/doiscan"
[ $# -gt 0 ] || set -- $(cargo fuzz list)
for target in "$@"; do
    cargo fuzz build -O -a "$target"
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    cp fuzz/doi.dict "$OUT/$target.dict"
done
if [ -f "$OUT/scan_naive" ]; then
    zip -jq "$OUT/scan_naive_seed_corpus.zip" testdata/regressions/[!R]* testdata/sample/*
fi
