# Values in memory: text to search, and identifiers to judge.

doi_find <- function(x, column = NULL, case = c("upper", "lower")) {
  case <- match.arg(case)
  x <- values_of(x, column)
  searched <- which(!is.na(x) & nzchar(x))
  found <- data.frame(row = integer(), doi = character(), start = integer(), end = integer(), raw = character())
  if (!length(searched)) return(found)
  archive <- tempfile("doiscan-", fileext = ".tar")
  on.exit(unlink(archive))
  write_tar(archive, searched, x[searched])
  rows <- rows_of(c("scan", "--format", "text", "--allow-empty", "--case", case), "--hits", "-", archive)
  if (!nrow(rows)) return(found)
  row <- as.integer(sub("^-!", "", rows$input))
  start <- characters(x[row], rows$offset) + 1L
  end <- characters(x[row], rows$offset + rows$length)
  found <- data.frame(row = row, doi = rows$doi, start = start, end = end, raw = substr(x[row], start, end))
  found <- found[order(row, start), ]
  rownames(found) <- NULL
  found
}

doi_normalize <- function(x, column = NULL, case = c("upper", "lower")) {
  values <- values_of(x, column)
  dois <- verdicts(values, match.arg(case))$doi
  if (!is.data.frame(x)) return(dois)
  x[[column]] <- dois
  x
}

doi_check <- function(x, column = NULL, file = NULL, case = c("upper", "lower")) {
  case <- match.arg(case)
  if (!is.null(file)) {
    if (!missing(x)) fail("give x or file, not both")
    return(rows_of(c("check", "--places", "--case", case, if (!is.null(column)) c("--column", column)), paths = path.expand(file)))
  }
  values <- values_of(x, column)
  rows <- verdicts(values, case)
  if (!is.data.frame(x)) return(cbind(input = values, rows))
  names(rows) <- paste0("check_", names(rows))
  cbind(x, rows)
}

# Judges each value. What is missing has no verdict.
verdicts <- function(values, case) {
  none <- rep(NA_character_, length(values))
  made <- data.frame(valid = rep(NA, length(values)), doi = none, reason = none, notes = none)
  judged <- which(!is.na(values))
  if (!length(judged)) return(made)
  input <- tempfile("doiscan-")
  on.exit(unlink(input))
  opened <- file(input, "wb")
  # Each value ends with a zero byte.
  writeBin(values[judged], opened, useBytes = TRUE)
  close(opened)
  rows <- rows_of(c("check", "--null", "--case", case), stdin = input, paths = "-")
  made[judged, ] <- rows[c("valid", "doi", "reason", "notes")]
  made
}

# Counts the characters in the first bytes of each text.
characters <- function(text, bytes) {
  Encoding(text) <- "bytes"
  before <- substr(text, 1, bytes)
  Encoding(before) <- "UTF-8"
  nchar(before, "chars")
}

# Writes an archive with a file for each text, so that no DOI reaches from one to the next.
write_tar <- function(path, names, texts) {
  opened <- file(path, "wb")
  on.exit(close(opened))
  sizes <- format(as.octmode(nchar(texts, "bytes")), width = 11)
  for (i in seq_along(texts)) {
    bytes <- charToRaw(texts[i])
    header <- raw(512)
    place <- function(text, at) header[at + seq_len(nchar(text))] <<- charToRaw(text)
    place(as.character(names[i]), 0)
    place("0000644", 100)
    place(sizes[i], 124)
    place("0ustar", 156)
    place("00", 263)
    place(strrep(" ", 8), 148)
    place(format(as.octmode(sum(as.integer(header))), width = 6), 148)
    header[155] <- as.raw(0)
    writeBin(c(header, bytes, raw(-length(bytes) %% 512)), opened)
  }
  writeBin(raw(1024), opened)
}
