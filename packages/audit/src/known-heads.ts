import type { SecretKeys } from '@latchkey/bytes'
import type { Findings } from './findings.ts'
import { type ChainHead, openRow, type RowBody } from './sealed-row.ts'

/** The heads of the chains in checkpoints, stored and given. */
export interface KnownHeads {
  /** Of each chain the row farthest on that a checkpoint knows. */
  readonly byChain: ReadonlyMap<string, ChainHead>
  /** Rows from before this time may have been pruned; 0: none. */
  prunedBefore(): number
  /** Takes what a row says whose code is right. */
  learn(body: RowBody): void
  know(head: ChainHead): void
}

export function createKnownHeads(): KnownHeads {
  const byChain = new Map<string, ChainHead>()
  let prunedBefore = 0
  const know = (head: ChainHead): void => {
    const [chain, sequence] = head
    const known = byChain.get(chain)
    if (known === undefined || known[1] < sequence) byChain.set(chain, head)
  }
  return {
    byChain,
    know,
    prunedBefore: () => prunedBefore,
    learn(body) {
      for (const head of body.heads ?? []) know(head)
      if (body.follows) know(body.follows)
      prunedBefore = Math.max(prunedBefore, body.prunedBefore ?? 0)
    },
  }
}

/** Takes checkpoints that were kept elsewhere. */
export function learnGiven(
  checkpoints: readonly string[],
  {
    secrets,
    known,
    findings,
  }: { readonly secrets: SecretKeys; readonly known: KnownHeads; readonly findings: Findings },
): void {
  for (const [index, checkpoint] of checkpoints.entries()) {
    const opened = openRow(checkpoint.trim(), secrets)
    if (typeof opened === 'string' || opened.body.state !== 'checkpoint') {
      findings.add('checkpoint.forged', null, index + 1)
      continue
    }
    const { body, code } = opened
    known.learn(body)
    // A checkpoint that was only exported is a row of no chain.
    if (body.chain !== '') known.know([body.chain, body.sequence, code, body.at])
  }
}
