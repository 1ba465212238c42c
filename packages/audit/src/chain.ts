import { randomToken, type SecretKeys } from '@latchkey/bytes'
import type { StoredAuditRow } from '@latchkey/store'
import type { AuditFacts } from './audit-facts.ts'
import { type ChainHead, type RowBody, sealRow } from './sealed-row.ts'

/** A row before it has its place in a chain. */
export interface DraftRow extends Pick<StoredAuditRow, 'at' | 'entry' | 'state' | 'kind' | 'accountId' | 'personal'> {
  readonly actorId: string | null
  readonly details: NonNullable<AuditFacts['details']> | null
  /** Of the personal data. */
  readonly digest: string | null
  readonly follows?: ChainHead | null
  readonly heads?: readonly ChainHead[]
  readonly prunedBefore?: number | null
}

/** The place of the next row of a chain. */
export interface ChainEnd {
  readonly chain: string
  /** The last row; `null` for an empty chain. */
  readonly last: { readonly sequence: number; readonly code: string; readonly at: number } | null
}

/** Starts a chain with a unique random name. */
export function beginChain(): ChainEnd {
  return { chain: randomToken(16), last: null }
}

export function headOf({ chain, last }: ChainEnd): ChainHead | null {
  return last && [chain, last.sequence, last.code, last.at]
}

/** Returns the rows at the end of a chain, each with the code of its predecessor, and the place of the next row. */
export function sealRows(
  end: ChainEnd,
  drafts: readonly DraftRow[],
  secrets: SecretKeys,
): { readonly rows: readonly StoredAuditRow[]; readonly end: ChainEnd } {
  let { last } = end
  const rows = drafts.map((draft): StoredAuditRow => {
    const body = placeRow({ chain: end.chain, last }, draft)
    const { value, code } = sealRow(body, secrets)
    last = { sequence: body.sequence, code, at: body.at }
    const { chain, sequence, at, entry, state, kind, accountId } = body
    return { chain, sequence, at, entry, state, kind, accountId, value, personal: draft.personal }
  })
  return { rows, end: { chain: end.chain, last } }
}

function placeRow({ chain, last }: ChainEnd, draft: DraftRow): RowBody {
  const { entry, state, kind, accountId, actorId, details, digest } = draft
  const { follows = null, heads = null, prunedBefore = null } = draft
  return {
    chain,
    sequence: (last?.sequence ?? 0) + 1,
    // A clock that is set back must not put a row before the one that it follows.
    at: Math.max(Math.trunc(draft.at), last?.at ?? 0),
    ...{ entry, state, kind, accountId, actorId, details },
    personal: digest,
    previous: last?.code ?? null,
    previousAt: last?.at ?? null,
    ...{ follows, heads, prunedBefore },
  }
}
