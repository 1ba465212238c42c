import type { SecretKeys } from '@latchkey/bytes'
import { type AuditStore, type StoredAuditRow, StoreError } from '@latchkey/store'
import type { AuditChain } from '@latchkey/store/internal'
import type { Findings } from './findings.ts'
import type { KnownHeads } from './known-heads.ts'
import { digestOf } from './personal-facts.ts'
import { codeOf, openRow, type RowBody } from './sealed-row.ts'

/** The inputs of a verification, and the collection of its findings. */
export interface Verification {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly known: KnownHeads
  readonly findings: Findings
  readonly counts: { rows: number; unknown: number; erased: number }
}

/** A chain after its rows were read, for the checks that need all chains. */
export interface WalkedChain {
  readonly chain: AuditChain
  /** The time of the last row before the first row of the chain; `null` if it is unknown or there was no row. */
  readonly gapAt: number | null
  /** Whether the first row can be trusted to say so. */
  readonly isFirstSound: boolean
}

const rowsPerPage = 500

/** The previous row, as far as the next row depends on it. */
interface Before {
  readonly sequence: number
  readonly code: string | null
  readonly isSound: boolean
}

/** Reads a chain page by page, and adds what is not as it was written. */
export async function verifyChain(verification: Verification, chain: AuditChain): Promise<WalkedChain> {
  const { store } = verification
  const walk = createWalk(verification, chain)
  const last = chain.last ?? 0
  for (let after = (chain.first ?? 1) - 1; after < last; ) {
    const read = await store.readChain(chain.chain, { after, limit: rowsPerPage })
    // What was appended since the chains were listed belongs to the next verification.
    const rows = read.filter(({ sequence }) => sequence <= last)
    for (const row of rows) walk.visit(row)
    await countUnknown(verification, rows)
    if (rows.length === 0) break
    after = rows.at(-1)?.sequence ?? last
  }
  return walk.end()
}

function createWalk(verification: Verification, chain: AuditChain) {
  const { findings, known, counts } = verification
  const { chain: name, head } = chain
  let before: Before | null = null
  let first: { readonly body: RowBody | null } | null = null

  function checkPlace(row: StoredAuditRow, body: RowBody | null): void {
    if (before === null) return
    const next = before.sequence + 1
    if (row.sequence !== next) findings.add('row.removed', name, next, row.sequence - 1)
    else if (body !== null && before.isSound && body.previous !== before.code) {
      findings.add('row.unlinked', name, row.sequence)
    }
  }

  function checkHead(row: StoredAuditRow, isSound: boolean): void {
    if (isSound && row.sequence === head?.sequence && row.value !== head.value) findings.add('head.changed', name)
  }

  return {
    visit(row: StoredAuditRow): void {
      counts.rows++
      const body = readBody(verification, row)
      checkPlace(row, body)
      checkHead(row, body !== null)
      first ??= { body }
      before = { sequence: row.sequence, code: codeOf(row.value), isSound: body !== null }
      if (body === null) return
      known.learn(body)
      if (row.personal === null) counts.erased += body.personal === null ? 0 : 1
      else if (digestOf(row.personal) !== body.personal) findings.add('personal.changed', name, row.sequence)
    },
    end(): WalkedChain {
      const last = before?.sequence ?? 0
      const end = Math.max(chain.last ?? 0, head?.sequence ?? 0)
      if (head === null) findings.add('head.missing', name)
      else if (head.sequence < last) findings.add('head.changed', name)
      if (chain.last !== null && end > last) findings.add('chain.cut', name, last + 1, end)
      const body = first?.body ?? null
      return { chain, gapAt: body?.previousAt ?? null, isFirstSound: body !== null }
    },
  }
}

/** Returns the content of a row if its code is right, and adds a finding otherwise. */
function readBody({ secrets, findings }: Verification, row: StoredAuditRow): RowBody | null {
  const { chain, sequence } = row
  const opened = openRow(row.value, secrets)
  if (opened === 'newer') {
    throw new StoreError('STORE_DATA_NEWER', 'a row of the audit log was written by a newer release')
  }
  if (typeof opened === 'string') {
    findings.add(opened === 'forged' ? 'row.changed' : 'row.unreadable', chain, sequence)
    return null
  }
  const { body } = opened
  const isHere = body.chain === chain && body.sequence === sequence
  if (!isHere) findings.add('row.moved', chain, sequence)
  else if (!columns.every((column) => row[column] === body[column])) findings.add('row.changed', chain, sequence)
  else return body
  return null
}

/** The columns by which the store finds a row; they repeat a part of its content. */
const columns = ['at', 'entry', 'state', 'kind', 'accountId'] as const

async function countUnknown({ store, counts }: Verification, rows: readonly StoredAuditRow[]): Promise<void> {
  const entries = rows.filter(({ state }) => state === 'intended').map(({ entry }) => entry)
  if (entries.length === 0) return
  const { items } = await store.list({ entries, states: ['done', 'failed'], limit: entries.length })
  const ended = new Set(items.map(({ entry }) => entry))
  counts.unknown += entries.filter((entry) => !ended.has(entry)).length
}
