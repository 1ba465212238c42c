import type { StoredAuditRow } from '@latchkey/store'
import { type Deed, type Facts, isYes } from '../deeds/deed.ts'
import type { Person } from '../people/person.ts'
import { judge } from './rules.ts'

/** Whatever was acknowledged has the row of its intention, from while it was done. */
export function findUnaudited(
  deeds: readonly Deed[],
  rows: readonly StoredAuditRow[],
  people: readonly Person[],
): string | null {
  const failed = new Set(rows.filter(({ state }) => state === 'failed').map(({ entry }) => entry))
  for (const deed of deeds.filter((each) => isAudited(each) && !isRemovedByOther(each, deeds))) {
    const { number, what, account, claims, startedAt, endedAt } = deed
    const { id = null } = people.find((person) => person.account === account) ?? {}
    // Whoever lost the answer to a sign-up does not know the id of the account.
    const isOf = (accountId: string | null): boolean => id === null || accountId === id
    const isOfDeed = ({ accountId, kind, entry, at }: StoredAuditRow): boolean =>
      isOf(accountId) && kind === claims.audited && !failed.has(entry) && at >= startedAt && at <= endedAt
    if (!rows.some(isOfDeed)) return `deed ${number} (${what}) has no row "${claims.audited}" in the audit log`
  }
  return null
}

/** So does a refused password, whether or not there is such an account. */
export function findUnauditedRefusal(deeds: readonly Deed[], rows: readonly StoredAuditRow[]): string | null {
  for (const { number, what, claims, outcome, startedAt, endedAt } of deeds) {
    const kind = claims.auditedIfRefused
    if (kind === undefined || outcome.kind !== 'refused' || outcome.code !== 'credentials') continue
    const isOfDeed = (row: StoredAuditRow): boolean => row.kind === kind && row.at >= startedAt && row.at <= endedAt
    if (!rows.some(isOfDeed)) return `deed ${number} (${what}) was refused without a row "${kind}" in the audit log`
  }
  return null
}

interface Inhabitants {
  readonly people: readonly Person[]
  readonly initial: ReadonlyMap<string, Facts>
}

/**
 * A deed without the row of its intention has no effect: without it, all later answers must be right. A claim on the
 * administrators can stay without a row: the next removal completes it.
 */
export function findUnaccounted(
  deeds: readonly Deed[],
  rows: readonly StoredAuditRow[],
  { people, initial }: Inhabitants,
): string | null {
  const isUnknown = ({ outcome }: Deed): boolean => outcome.kind === 'lost' || outcome.kind === 'failed'
  for (const deed of deeds.filter(isUnknown)) {
    const { number, what, account, claims, startedAt } = deed
    const { id } = people.find((person) => person.account === account) ?? {}
    const isOfDeed = (row: StoredAuditRow): boolean =>
      row.accountId === id && row.kind === claims.audited && row.at >= startedAt
    if (claims.audited === undefined || claims.lingers || rows.some(isOfDeed)) continue
    const without = deeds.map((each) => (each === deed ? withoutEffect(deed) : each))
    for (const each of without.filter(({ start, end }) => end < Number.POSITIVE_INFINITY && start > deed.start)) {
      const known = without.filter(({ start }) => start < each.end)
      const found = judge(each, known, initial)
      if (found !== null)
        return `deed ${number} (${what}) has no row in the audit log, and without it, deed ${each.number} would not be right: ${found}`
    }
  }
  return null
}

/** The deed as if it had only used up what was shown for it. */
function withoutEffect({ claims, ...deed }: Deed): Deed {
  const { sets, revokes, mayRevoke, alsoRevokes, withdraws, ...shown } = claims
  return { ...deed, claims: shown }
}

/** A change to what was there already, or of nothing, needs no row. */
function isAudited(deed: Deed): boolean {
  const { audited, mayRevoke } = deed.claims
  if (!isYes(deed) || audited === undefined || mayRevoke || audited === 'password.reset-requested') return false
  // Those of an account that is not there need none.
  if (audited === 'sessions.ended' && deed.claims.presents === undefined) return false
  if (deed.outcome.kind !== 'done' || deed.outcome.isVain) return false
  return audited !== 'session.created' || deed.outcome.credential !== undefined
}

/** Of two deeds at once that remove a factor or a link, or the account with its factors, one has the row and the mail. */
const isRemovedByOther = ({ number, account, start, end, claims }: Deed, deeds: readonly Deed[]): boolean =>
  (claims.audited === 'factor.removed' || claims.audited === 'provider.unlinked') &&
  deeds.some(
    (other) =>
      other.number !== number &&
      other.account === account &&
      other.start < end &&
      other.end > start &&
      other.claims.sets !== undefined &&
      (['totp', 'user', 'passkey'].some((name) => name in (other.claims.sets ?? {})) ||
        other.claims.sets.status === 'deleted'),
  )

/** The owner has a mail of each acknowledged change. */
export function findUntold(deeds: readonly Deed[], people: readonly Person[]): string | null {
  for (const deed of deeds.filter((each) => isYes(each) && !isRemovedByOther(each, deeds))) {
    const { mails: kind } = deed.claims
    const letters = people.find(({ account }) => account === deed.account)?.mails ?? []
    const isTold = letters.some((letter) => letter.kind === kind && letter.at >= deed.startedAt)
    if (kind !== undefined && !isTold) return `deed ${deed.number} (${deed.what}) has brought no mail "${kind}"`
  }
  return null
}
