library(doiscan)

conditions <- function(expression) tryCatch(expression, condition = identity)

# Without the command there is an error that says what to do.
options(doiscan.command = "no-such-command")
found <- conditions(doi_normalize("10.1000/182"))
stopifnot(inherits(found, "doiscan_error"), grepl("no-such-command is not found: install doiscan", conditionMessage(found)))
options(doiscan.command = NULL)

if (nzchar(Sys.which("doiscan"))) {
  options(doiscan.command = unname(Sys.which("doiscan")))

  # Places count characters, texts are searched each by itself, and what is missing has no row.
  text <- c("see https://doi.org/10.1000/abc.", NA, "", "caf\u00e9 \u2013 doi:10.1000/x\u00fc z", "a 10.1234/", "bar", "%PDF-1.4 10.1000/182")
  found <- doi_find(text)
  stopifnot(identical(found$row, c(1L, 4L, 7L)), identical(found$raw, c("10.1000/abc", "10.1000/x\u00fc", "10.1000/182")))
  stopifnot(identical(substr(text[found$row], found$start, found$end), found$raw), found$doi[1] == "10.1000/ABC")
  stopifnot(nrow(doi_find(character())) == 0, nrow(doi_find("none")) == 0, identical(names(doi_find(NA)), names(found)))
  stopifnot(doi_find(data.frame(a = text), "a", case = "lower")$doi[1] == "10.1000/abc")

  # As many results as values, whatever the values hold.
  values <- c("https://doi.org/10.1000/abc", NA, "", "=1+1", "a\nb", "10.1371.journal.pone.0126092", "see 10.1000/abc", "\"'", "10.1000/\u00fc")
  verdict <- doi_check(values)
  stopifnot(identical(verdict$input, values), identical(verdict$valid, c(TRUE, NA, rep(FALSE, 6), TRUE)))
  stopifnot(grepl("^separator: expected \"/\"", verdict$reason[6]), is.na(verdict$reason[1]), verdict$notes[7] == "repaired")
  stopifnot(identical(doi_normalize(values), c("10.1000/ABC", rep(NA, 5), "10.1000/ABC", NA, "10.1000/\u00fc")))
  stopifnot(identical(doi_normalize(factor("doi:10.1000/ABC"), case = "lower"), "10.1000/abc"), identical(doi_normalize(character()), character()))

  # Data frames in and out.
  rows <- data.frame(id = 1:5, DOI = c("https://doi.org/10.1000/182", NA, "10.1000/182", "10.6084/m9.figshare.123456.v1", "10.6084/m9.figshare.123456.v2"))
  stopifnot(identical(doi_normalize(rows, "DOI")$DOI[c(1, 2)], c("10.1000/182", NA)))
  stopifnot(identical(names(doi_check(rows, "DOI")), c("id", "DOI", "check_valid", "check_doi", "check_reason", "check_notes")))
  twice <- doi_duplicates(rows, "DOI")
  stopifnot(identical(twice$row, c(1L, 3L, 4L, 5L)), identical(twice$id, twice$row), identical(twice$version_of, c(NA, NA, rep("10.6084/M9.FIGSHARE.123456", 2))))
  stopifnot(grepl("no column doi; it has: id, DOI", conditionMessage(conditions(doi_check(rows, "doi")))), inherits(conditions(doi_check(rows)), "doiscan_error"))
  bad <- "\xe9 10.1000/182"
  Encoding(bad) <- "UTF-8"
  stopifnot(grepl("value 1 is not text", conditionMessage(conditions(doi_find(bad)))))

  # Files.
  exports <- system.file("extdata", package = "doiscan")
  stopifnot(nrow(doi_scan(exports, own = TRUE)) == 5, sum(doi_scan(exports, glob = "*.bib")$count) == 2, is.numeric(doi_scan(exports, "hits")$line))
  stopifnot(identical(names(doi_scan(exports, "inputs")), c("input", "doi")), doi_scan(exports, "rejects")$reason == "no-separator")
  stopifnot(nrow(doi_duplicates(exports)) == 4, identical(doi_check(file = file.path(exports, "scopus.bib"))$reason, c(NA, NA, "missing")))

  # The words of the command.
  found <- conditions(doi_scan("no such file"))
  stopifnot(inherits(found, "doiscan_error"), found$status == 2, grepl("^no such file: ", conditionMessage(found)))
  stopifnot(inherits(conditions(doi_scan(character())), "doiscan_error"))
  cut <- tempfile(fileext = ".gz")
  opened <- gzfile(cut, "w")
  writeLines(c("10.1000/182", strrep("x", 1e5), sample(letters, 1e4, TRUE)), opened)
  close(opened)
  writeBin(readBin(cut, "raw", file.size(cut) - 100), cut)
  found <- conditions(doi_scan(cut))
  stopifnot(inherits(found, "doiscan_incomplete"), grepl("ends early", conditionMessage(found)))
  stopifnot(suppressWarnings(doi_scan(cut))$doi == "10.1000/182")
}
