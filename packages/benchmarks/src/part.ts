import type { Table } from './table.ts'

/** The options of a run of a part. */
export interface PartRun {
  /** How often every way has its turn. */
  readonly rounds: number
  /** How long each way is measured in a round. */
  readonly seconds: number
  /** The part's own options, as they were typed or by default. */
  readonly own: Readonly<Record<string, string>>
  /** Reports the current measurement. */
  progress(text: string): void
}

/** The result of a part. */
export interface PartReport {
  readonly tables: readonly Table[]
  readonly targets: readonly Target[]
  /** Everything that was measured, round by round, for `--json`. */
  readonly figures: unknown
}

/** A promise and its outcome. */
export interface Target {
  readonly promise: string
  readonly way: string
  readonly measured: number
  readonly isReached: boolean
  /** The strongest alternative; omitted if there is no alternative. */
  readonly peer?: PeerFigure
}

/** The same figure of something that people would use instead. */
export interface PeerFigure {
  readonly name: string
  readonly measured: number
}

/** One independent measurement. It runs in a separate process, so that no part disturbs the next. */
export interface Part {
  /** One line for `--help`. */
  readonly about: string
  /** Packages whose versions belong to the figures. */
  readonly packages: readonly string[]
  /** How long it is measured unless the arguments say otherwise: long enough for steady medians, and no longer. */
  readonly rounds: number
  readonly seconds: number
  /** Takes minutes: it runs only when it is named. */
  readonly isSlow?: true
  /** Options that only this part has, by name: no two parts share one. */
  readonly options?: Readonly<Record<string, { readonly about: string; readonly default: string }>>
  /** Imports what it needs when it is called, and not before. */
  measure(run: PartRun): Promise<PartReport>
}

/** A promise that less is better of. Of the peers the one with the least is kept. */
export function atMost(
  limit: number,
  promise: string,
  way: string,
  measured: number,
  peers: readonly PeerFigure[] = [],
): Target {
  const strongest = strongestOf(peers, (left, right) => left.measured - right.measured)
  return { promise: `${promise}: at most ${limit}`, way, measured, isReached: measured <= limit, ...strongest }
}

/** A promise that more is better of. Of the peers the one with the most is kept. */
export function atLeast(
  limit: number,
  promise: string,
  way: string,
  measured: number,
  peers: readonly PeerFigure[] = [],
): Target {
  const strongest = strongestOf(peers, (left, right) => right.measured - left.measured)
  return { promise: `${promise}: at least ${limit}`, way, measured, isReached: measured >= limit, ...strongest }
}

function strongestOf(
  peers: readonly PeerFigure[],
  compare: (left: PeerFigure, right: PeerFigure) => number,
): { readonly peer?: PeerFigure } {
  const [peer] = peers.filter(({ measured }) => Number.isFinite(measured)).toSorted(compare)
  return peer ? { peer } : {}
}
