# Finds the command, runs it, and turns its messages into conditions.

doi_command <- function() {
  chosen <- getOption("doiscan.command", "doiscan")
  found <- unname(Sys.which(path.expand(chosen)))
  if (!nzchar(found)) {
    fail(sprintf("the command %s is not found: install doiscan, or set options(doiscan.command = \"/path/to/doiscan\")", chosen))
  }
  found
}

fail <- function(text, status = NA_integer_) {
  stop(structure(class = c("doiscan_error", "error", "condition"), list(message = text, call = NULL, status = status)))
}

# Runs the command. Its error is an error, and inputs that it could not read completely are a warning.
doiscan <- function(arguments, stdin = "") {
  messages <- tempfile("doiscan-", fileext = ".err")
  on.exit(unlink(messages))
  arguments <- c(arguments[1], "--quiet", "--log-format", "text", arguments[-1])
  status <- suppressWarnings(system2(doi_command(), shQuote(enc2native(arguments)), stdin = stdin, stdout = FALSE, stderr = messages))
  text <- paste(sub("^doiscan: ", "", readLines(messages, warn = FALSE, encoding = "UTF-8")), collapse = "\n")
  if (status == 3) {
    warning(structure(class = c("doiscan_incomplete", "warning", "condition"), list(message = text, call = NULL, status = 3L)))
  } else if (status != 0) {
    fail(if (nzchar(text)) text else paste("doiscan ended with status", status), as.integer(status))
  }
}

# Runs the command with the flag that writes rows, such as -o, and returns them as a data frame.
rows_of <- function(arguments, flag = "--output", paths = character(), stdin = "") {
  rows <- tempfile("doiscan-", fileext = ".csv")
  list <- tempfile("doiscan-", fileext = ".txt")
  on.exit(unlink(c(rows, list)))
  outputs <- c(flag, rows, if (flag != "--output") c("--output", list))
  doiscan(c(arguments, outputs, "--", paths), stdin)
  read_rows(rows)
}

read_rows <- function(file) {
  rows <- read.csv(file, colClasses = "character", na.strings = character(), encoding = "UTF-8", check.names = FALSE, comment.char = "")
  # An apostrophe precedes what a spreadsheet would run.
  rows[] <- lapply(rows, function(cells) sub("^'('*[-=+@\t\r\n])", "\\1", cells))
  absent <- intersect(names(rows), c("doi", "reason", "version_of"))
  rows[absent] <- lapply(rows[absent], function(cells) ifelse(nzchar(cells), cells, NA_character_))
  if (!is.null(rows$valid)) rows$valid <- as.logical(toupper(rows$valid))
  numbers <- intersect(names(rows), c("count", "inputs", "line", "offset", "length"))
  rows[numbers] <- lapply(rows[numbers], function(cells) as.numeric(ifelse(nzchar(cells), cells, NA)))
  rows
}

# Returns the values of a character vector or of a column of a data frame as UTF-8.
values_of <- function(x, column) {
  if (is.data.frame(x)) {
    if (is.null(column)) fail("x is a data frame: name its column, as in column = \"DOI\"")
    if (is.null(x[[column]])) fail(sprintf("the data frame has no column %s; it has: %s", column, paste(names(x), collapse = ", ")))
    x <- x[[column]]
  } else if (!is.null(column)) {
    fail("column is for data frames")
  }
  x <- enc2utf8(as.character(x))
  wrong <- which(!validUTF8(x))
  if (length(wrong)) fail(sprintf("value %d is not text in its encoding: give the encoding where the data are read", wrong[1]))
  x
}
