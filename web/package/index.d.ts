/** How names are accepted. */
export interface Options {
  /** Repair nothing, and follow the standards to the letter. */
  strict?: boolean;
}

/** A DOI and its place in the text, in UTF-16 code units, as `slice` takes them. */
export interface Match {
  /** The canonical name: decoded, with ASCII letters in upper case. */
  doi: string;
  start: number;
  end: number;
}

/** The judgement of one value. */
export interface Verdict {
  /** Whether the value is a DOI in one of the accepted notations. */
  valid: boolean;
  /** The canonical name of the value, or of the one DOI that it most likely means. */
  doi: string | null;
  /** Why the value is no DOI. */
  reason: string | null;
  /** Further facts, such as `repaired`. */
  notes: string[];
}

/** Returns every DOI in `text` with its position, in order. */
export function findAll(text: string, options?: Options): Match[];

/** Returns the canonical names in `text`, each once, in the order of their first occurrence. */
export function find(text: string, options?: Options): string[];

/** Judges one value by Z39.84-2005. */
export function judge(value: string, options?: Options): Verdict;

/** Returns the canonical name of the one DOI that `value` means, or null. */
export function normalize(value: string): string | null;
