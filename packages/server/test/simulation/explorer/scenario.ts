import type { Stage } from './stage.ts'

/** How a caller has ended. */
export interface Ending {
  /** `cut`: its process was killed before it had an answer. */
  readonly as: 'answered' | 'thrown' | 'cut'
  /** What it was answered, or what was thrown. */
  readonly answer: unknown
  /** The callers that had an answer before the first effect of this one: they come before it. */
  readonly after: readonly string[]
}

export type Endings = Readonly<Record<string, Ending>>

/** Callers that start anew, and what must hold once they have ended. */
export interface Scenario {
  readonly callers: readonly string[]
  /** Returns started callers on fresh stores. */
  readonly open: () => Promise<Opened>
  /** Returns what does not hold, in sentences. `stored` is the content of the stores, when all callers have ended. */
  readonly judge: (endings: Endings, stored: string) => Promise<readonly string[]>
}

export interface Opened {
  readonly stage: Stage
  /** Returns the content of the stores as a text. */
  readonly stored: () => Promise<string>
}
