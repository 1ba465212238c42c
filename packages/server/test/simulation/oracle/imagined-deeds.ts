import type { Claims, Credential, Deed, Facts, Outcome } from '../deeds/deed.ts'
import { judge } from './rules.ts'

export const account = 'acc_ada'
export const email = 'ada@example.com'
export const password = 'otters read quietly at dawn'
export const initial: ReadonlyMap<string, Facts> = new Map([
  [account, { password, email, status: 'active', roles: 'READER', totp: null, codes: '', user: null, passkey: null }],
])

/** A deed of one account that no service has seen. */
export interface Imagined {
  readonly what: string
  readonly claims: Claims
  /** @default done */
  readonly outcome?: Outcome
  /** The steps of its start and end, which are its times in milliseconds, too. */
  readonly during: readonly [number, number]
}

export const done: Outcome = { kind: 'done' }
export const refused = (code: string): Outcome => ({ kind: 'refused', code })

/** Returns what the oracle finds in the last deed. */
export function findIn(imagined: readonly Imagined[]): string | null {
  const deeds = imagined.map(toDeed)
  const last = deeds.at(-1)
  if (!last) throw new Error('there is no deed')
  return judge(last, deeds, initial)
}

export function toDeed({ what, claims, outcome = done, during: [start, end] }: Imagined, index: number): Deed {
  const times = { start, startedAt: start, end, endedAt: end, waitedMs: 0 }
  return { number: index + 1, what, account, machine: 'p1', claims, outcome, ...times }
}

export const opens = (credential: Credential): Outcome => ({ kind: 'done', credential })
export const look = (presents: Credential): Imagined => ({ what: 'look', claims: { presents }, during: [50, 60] })

export const session = (key: string, lineage?: string): Credential => ({
  ...{ key, kind: 'session', account, secret: `secret of ${key}` },
  ...(lineage !== undefined && { lineage }),
})
