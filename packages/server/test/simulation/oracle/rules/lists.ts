import { lifetimes } from '../../service/terms.ts'
import type { Rule } from '../rule.ts'

/** The list of sessions has every one that is open, and none that was revoked. */
export const theListIsWhole: Rule = (deed, deeds, known) => {
  const { outcome, account, start, endedAt } = deed
  if (outcome.kind !== 'done' || !outcome.listed) return null
  for (const issue of deeds) {
    const credential = issue.outcome.kind === 'done' ? issue.outcome.credential : undefined
    if (credential?.account !== account || credential.kind === 'app' || issue.end >= start) continue
    const isListed = outcome.listed.includes(credential.key)
    if (isListed && known.surelyRevoked(credential, deed))
      return `it has what deed ${issue.number} opened, and that was revoked`
    const seconds = credential.kind === 'session' ? lifetimes.idle : lifetimes.refreshToken
    const isOpen = endedAt < issue.startedAt + 1000 * seconds && !known.possiblyRevoked(credential, deed)
    if (isOpen && !isListed) return `it lacks what deed ${issue.number} opened`
  }
  return null
}
