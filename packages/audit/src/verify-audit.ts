import type { SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { AuditStore } from '@latchkey/store'
import type { AuditChain } from '@latchkey/store/internal'
import { type AuditFinding, createFindings } from './findings.ts'
import { createKnownHeads, learnGiven } from './known-heads.ts'
import { readChains } from './read-chains.ts'
import { type ChainHead, codeOf, openRow } from './sealed-row.ts'
import { type Verification, verifyChain, type WalkedChain } from './verify-chain.ts'

/**
 * Reads the whole log, page by page, and reports every row that differs from the row that was written. Services may
 * write meanwhile. Rejects with `StoreError` if the store fails; there is then no verdict.
 *
 * @throws TypeError if an option is unknown, missing or not valid.
 * @example
 * import { describeFinding, verifyAudit } from '@latchkey/audit'
 * import { deriveSecrets, randomBytes } from '@latchkey/bytes'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const secrets = deriveSecrets([{ id: '2026-01', bytes: randomBytes(32) }], 'audit')
 * const { ok, findings } = await verifyAudit({ store: createMemoryAuditStore(), secrets })
 * if (!ok) for (const finding of findings) console.error(describeFinding(finding))
 */
export async function verifyAudit(options: {
  readonly store: AuditStore
  /** All secrets that have signed a row still in the log: the secrets of `createAuditLog`. */
  readonly secrets: SecretKeys
  /**
   * Checkpoints that were kept where who writes to the database cannot: of `onCheckpoint` or `exportCheckpoint`.
   * @default none
   */
  readonly checkpoints?: readonly string[]
}): Promise<{
  /** Whether the log has no finding. Without `checkpoints`, an emptied log has no finding either. */
  readonly ok: boolean
  readonly chains: number
  readonly rows: number
  /** Decisions with an unknown outcome: the process crashed, or the store failed, before the outcome was written. */
  readonly unknown: number
  /** Rows whose personal data was erased. */
  readonly erased: number
  /** Rows from before this time may have been pruned, in epoch milliseconds; `null`: none were. */
  readonly prunedBefore: number | null
  /** The first thousand. */
  readonly findings: readonly AuditFinding[]
  /** How many there are. */
  readonly found: number
}> {
  const { store, checkpoints = [] } = checkOptionNames('verifyAudit', options, {
    store: true,
    secrets: true,
    checkpoints: true,
  })
  if (typeof store?.listChains !== 'function') throw new TypeError('"store" must be an AuditStore')
  const secrets = checkSecrets(options.secrets)
  for (let again = 1; ; again++) {
    const chains = await readChains(store)
    const verdict = await verifyOnce({ store, secrets, checkpoints }, chains)
    // What was pruned meanwhile looks removed, and does not when it is read again.
    const isFinal = verdict.ok || again > mostTimesAgain || (again > 1 && !(await hasLost(store, chains)))
    if (isFinal) return verdict
  }
}

/** The number of repetitions after removals: continuous pruning must not keep a verification from its verdict. */
const mostTimesAgain = 10

/** Returns whether rows at the beginning of a chain, or a whole one, have gone since the chains were listed. */
async function hasLost(store: AuditStore, chains: readonly AuditChain[]): Promise<boolean> {
  const latest = new Map((await readChains(store)).map(({ chain, first }) => [chain, first]))
  return chains.some(({ chain, first }) => first !== null && (latest.get(chain) ?? Number.POSITIVE_INFINITY) > first)
}

async function verifyOnce(
  {
    store,
    secrets,
    checkpoints,
  }: Pick<Verification, 'store' | 'secrets'> & Pick<Required<Parameters<typeof verifyAudit>[0]>, 'checkpoints'>,
  chains: readonly AuditChain[],
): ReturnType<typeof verifyAudit> {
  const [known, findings] = [createKnownHeads(), createFindings()]
  const counts = { rows: 0, unknown: 0, erased: 0 }
  const verification: Verification = { store, secrets, known, findings, counts }
  learnGiven(checkpoints, { secrets, known, findings })
  const walked: WalkedChain[] = []
  for (const chain of chains) walked.push(await verifyChain(verification, chain))
  // Only now is it known what has been pruned.
  for (const each of walked) checkBeginning(verification, each)
  await checkKnown(verification, chains)
  const found = findings.count()
  return {
    ...{ ok: found === 0, chains: chains.length, ...counts },
    prunedBefore: known.prunedBefore() || null,
    ...{ findings: findings.named, found },
  }
}

/** A chain may begin late where everything before was old enough to be pruned. */
function checkBeginning({ findings, known, secrets }: Verification, { chain, gapAt, isFirstSound }: WalkedChain): void {
  const { chain: name, first, head } = chain
  if (first === null) {
    const opened = head && openRow(head.value, secrets)
    const at = opened === null || typeof opened === 'string' ? Number.POSITIVE_INFINITY : opened.body.at
    if (at >= known.prunedBefore()) findings.add('chain.emptied', name)
  } else if (first > 1 && isFirstSound && (gapAt ?? Number.POSITIVE_INFINITY) >= known.prunedBefore()) {
    findings.add('row.removed', name, 1, first - 1)
  }
}

/** Each chain must still have the row farthest on that a checkpoint knows. */
async function checkKnown(verification: Verification, chains: readonly AuditChain[]): Promise<void> {
  const byName = new Map(chains.map((chain) => [chain.chain, chain]))
  for (const head of verification.known.byChain.values()) {
    await checkHead(verification, head, byName.get(head[0]))
  }
}

async function checkHead(
  { store, findings, known }: Verification,
  [name, sequence, code, at]: ChainHead,
  chain: AuditChain | undefined,
): Promise<void> {
  if (chain === undefined) {
    if (at >= known.prunedBefore()) findings.add('chain.missing', name)
    return
  }
  // What was appended after the chains were listed is there, too.
  const [row] = await store.readChain(name, { after: sequence - 1, limit: 1 })
  if (row?.sequence === sequence) {
    if (codeOf(row.value) !== code) findings.add('chain.replaced', name, sequence)
    return
  }
  // By its head it has been found already that it was cut or emptied, and by the rows around it that it was removed.
  const last = Math.max(chain.last ?? 0, chain.head?.sequence ?? 0)
  if (sequence > last) findings.add('chain.cut', name, (chain.last ?? 0) + 1, sequence)
}
