import { decodeBase64url, encodeBase64url, equalBytes, hmacSha256, type SecretKeys } from '@latchkey/bytes'
import type { StoredAuditRow } from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredText,
  type StoredCheck,
  storedList,
  storedOrNull,
  storedVersion,
} from '@latchkey/store/internal'
import type { AuditFacts } from './audit-facts.ts'

/** The last row of a chain, as a checkpoint names it. */
export type ChainHead = readonly [chain: string, sequence: number, code: string, at: number]

/** The content of a row, all of it covered by its code. The columns of the store repeat a part. */
export interface RowBody
  extends Pick<StoredAuditRow, 'chain' | 'sequence' | 'at' | 'entry' | 'state' | 'kind' | 'accountId'> {
  readonly actorId: string | null
  readonly details: NonNullable<AuditFacts['details']> | null
  /** The digest of the personal data. */
  readonly personal: string | null
  /** The code of the row before, and its time; `null` for the first row of a chain. */
  readonly previous: string | null
  readonly previousAt: number | null
  /** Of the first row: the chain that this process wrote before, up to the last row that was acknowledged. */
  readonly follows: ChainHead | null
  /** Of a checkpoint: the last rows of other chains. */
  readonly heads: readonly ChainHead[] | null
  /** Of a checkpoint: rows from before this time may be gone. */
  readonly prunedBefore: number | null
}

/** A row whose code a known secret has signed. */
export interface OpenedRow {
  readonly code: string
  readonly body: RowBody
}

const isHead: StoredCheck = (value) =>
  Array.isArray(value) &&
  value.length === 4 &&
  isStoredText(value[0]) &&
  isStoredCount(value[1]) &&
  isStoredText(value[2]) &&
  isStoredCount(value[3])

const isDetails: StoredCheck = (value) => typeof value === 'object' && !Array.isArray(value)

const shape = defineStoredShape<RowBody>({
  name: 'row of an audit log',
  members: {
    chain: isStoredText,
    sequence: isStoredCount,
    at: isStoredCount,
    entry: isStoredText,
    state: isStoredText,
    kind: isStoredText,
    accountId: storedOrNull(isStoredText),
    actorId: storedOrNull(isStoredText),
    details: isDetails,
    personal: storedOrNull(isStoredText),
    previous: storedOrNull(isStoredText),
    previousAt: storedOrNull(isStoredCount),
    follows: storedOrNull(isHead),
    heads: storedOrNull(storedList(isHead)),
    prunedBefore: storedOrNull(isStoredCount),
  },
})

/** Returns the value of a row, `<id of the secret>.<code>.<what it says>`, and its code. */
export function sealRow(body: RowBody, [secret]: SecretKeys): { readonly value: string; readonly code: string } {
  const text = shape.format(body, storedVersion)
  const code = encodeBase64url(hmacSha256(secret.bytes, text))
  return { value: `${secret.id}.${code}.${text}`, code }
}

const valueFormat = /^([\w-]{1,32})\.([\w-]{43})\.(\{.*\})$/s

/** The reason why a value cannot be read. `newer`: a newer release has written it. */
export type Unreadable = 'forged' | 'unknown-secret' | 'newer'

/** Returns what a value says, once its code has been found to be right. */
export function openRow(value: string, secrets: SecretKeys): OpenedRow | Unreadable {
  const [, id, code = '', text = ''] = valueFormat.exec(value) ?? []
  if (id === undefined) return 'forged'
  const secret = secrets.find((each) => each.id === id)
  if (secret === undefined) return 'unknown-secret'
  const given = decodeBase64url(code)
  if (given === null || !equalBytes(given, hmacSha256(secret.bytes, text))) return 'forged'
  try {
    return { code, body: shape.parse(text) }
  } catch {
    // Its code is right, so that a process with the secret has written it.
    return 'newer'
  }
}

/** Returns the content of a row without its columns. It does not check the code of the row. */
export function readDetails(
  value: string,
): Pick<RowBody, 'actorId'> & { readonly details: NonNullable<AuditFacts['details']> } {
  try {
    const [, , , text = ''] = valueFormat.exec(value) ?? []
    const { actorId, details } = shape.parse(text)
    return { actorId, details: details ?? {} }
  } catch {
    return { actorId: null, details: {} }
  }
}

/** Returns the code in a value, whether or not it is right. */
export function codeOf(value: string): string | null {
  return valueFormat.exec(value)?.[2] ?? null
}
