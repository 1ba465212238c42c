import type { Machine } from '../machine.ts'
import type { Target } from '../part.ts'
import type { Table } from '../table.ts'

/** The stored result of one part in one run, without the figures of each round. */
export interface Result {
  readonly about: string
  readonly machine: Machine
  readonly rounds: number
  readonly seconds: number
  readonly tables: readonly Table[]
  readonly targets: readonly Target[]
}

/** The output of `--json`. */
export interface Run {
  readonly parts: Readonly<Record<string, Result>>
}

/** Returns the results of a run that `--json` has printed. */
export function readRun(text: string): Run {
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null || !('parts' in parsed)) {
    throw new TypeError('--from takes a file that --json has printed')
  }
  return parsed as Run
}
