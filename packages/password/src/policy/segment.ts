/** A part of a password that costs a guesser less than its characters one by one. */
export interface Segment {
  /** Index after its last character at the least, and at the most: it costs the same wherever it ends between them. */
  readonly firstEnd: number
  readonly lastEnd: number
  readonly bits: number
  /** What the guesser knows it from: a rule, a list of common passwords, or the account. */
  readonly source: 'pattern' | 'common' | 'context'
}

/** The segments that begin at each index of a text. */
export type SegmentsByStart = readonly (readonly Segment[])[]
