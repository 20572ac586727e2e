# Files and folders: the DOIs in them, and records that have the same one.

doi_scan <- function(path, what = c("counts", "hits", "rejects", "inputs"), own = FALSE, cited = FALSE, glob = NULL, column = NULL,
                     field = NULL, known = NULL, case = c("upper", "lower"), arguments = character()) {
  what <- match.arg(what)
  flags <- c("scan", "--case", match.arg(case), if (own) "--own", if (cited) "--cited", each("--glob", glob), each("--column", column),
             each("--field", field), each("--known", known), arguments)
  flag <- c(counts = "--output", hits = "--hits", rejects = "--rejects", inputs = "--per-input")[[what]]
  rows_of(c(flags, if (what == "counts") "--counts"), flag, named(path))
}

doi_duplicates <- function(x, column = NULL, case = c("upper", "lower")) {
  case <- match.arg(case)
  if (!is.data.frame(x)) return(rows_of(c("duplicates", "--case", case, each("--column", column)), paths = named(x)))
  values <- values_of(x, column)
  table <- tempfile("doiscan-", fileext = ".csv")
  on.exit(unlink(table))
  # One line for each row, so that the line tells the row.
  cells <- ifelse(is.na(values), "", gsub("\"", "\"\"", gsub("[\r\n]", " ", values), fixed = TRUE))
  writeLines(c("row,doi", sprintf("%d,\"%s\"", seq_along(cells), cells)), table, useBytes = TRUE)
  rows <- rows_of(c("duplicates", "--case", case, "--column", "doi"), paths = table)
  row <- as.integer(rows$line) - 1L
  found <- cbind(data.frame(row = row, doi = rows$doi, version_of = rows$version_of), x[row, setdiff(names(x), c("row", "doi", "version_of")), drop = FALSE])
  rownames(found) <- NULL
  found
}

each <- function(flag, values) as.vector(rbind(rep(flag, length(values)), values))

named <- function(path) {
  if (!is.character(path) || !length(path) || anyNA(path)) fail("name at least one file or folder")
  path.expand(path)
}
