# A small image with the static binary and nothing else.
#
#   docker build -t doiscan .
#   docker run --rm -v "$PWD:/data" doiscan scan . -o dois.txt
#
# docs/nightly.md runs it every night.

FROM rust:1-alpine AS build
RUN apk add --no-cache bash build-base linux-headers
WORKDIR /source
COPY . .
# On Alpine the host is musl, and its binaries are static.
RUN cargo build --profile dist --locked && \
    mkdir /empty && \
    [ "$(target/dist/doiscan scan -q testdata/sample | wc -l)" -eq 9 ]

FROM scratch
COPY --from=build /source/target/dist/doiscan /doiscan
# Spilled DOIs go to the folder of the output, or here.
COPY --from=build --chown=65534:65534 /empty /var/tmp
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/doiscan"]
