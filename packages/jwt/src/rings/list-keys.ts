import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { JwtAlgorithm } from '../algorithm.ts'
import type { openKeyRing } from './open-key-ring.ts'
import { chooseSigning, publishAheadOf } from './signing-choice.ts'
import { openStoredKeys } from './stored-keys.ts'

/** A key of a ring, without the key itself. */
export interface ListedKey {
  /** The `kid` of its tokens. */
  readonly id: string
  readonly algorithm: JwtAlgorithm
  /** `next` signs after a rotation; tokens of a `retired` key are valid until they expire. */
  readonly state: 'signing' | 'next' | 'retired'
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null` while it is not retired. */
  readonly retiredAt: number | null
  /** When the next key may sign at the earliest, epoch milliseconds; `null` for the others. */
  readonly signsAt: number | null
}

/** The options of `openKeyRing` that decide which key signs: give both the same values. */
export type ListKeysOptions = Pick<
  Parameters<typeof openKeyRing>[0],
  'documents' | 'algorithm' | 'purpose' | 'publishAheadSeconds' | 'now'
>

const optionNames = { documents: true, algorithm: true, purpose: true, publishAheadSeconds: true, now: true } as const

/**
 * Returns the keys of a ring, the oldest first. It needs no secret and opens none of them.
 *
 * @throws TypeError when an option is unknown. Errors of the store pass through.
 */
export async function listKeys(options: ListKeysOptions): Promise<readonly ListedKey[]> {
  checkOptionNames('listKeys', options, optionNames)
  const { documents, algorithm, purpose = 'access-token', publishAheadSeconds = 900, now = wallClock } = options
  const rows = await openStoredKeys(documents, purpose).list()
  const publishAheadMs = publishAheadOf(algorithm, publishAheadSeconds)
  const active = rows.filter(({ value }) => value.retiredAt === null).map((row) => ({ row }))
  const signing = chooseSigning(active, { algorithm, publishAheadMs, now })?.current.row
  return rows.map((row) => {
    const { algorithm, createdAt, retiredAt } = row.value
    const waiting = row === signing ? 'signing' : 'next'
    const state = retiredAt === null ? waiting : 'retired'
    const signsAt = state === 'next' ? createdAt + publishAheadMs : null
    return { id: row.id, algorithm, state, createdAt, retiredAt, signsAt }
  })
}
