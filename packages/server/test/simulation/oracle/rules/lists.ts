import type { Credential, Deed } from '../../deeds/deed.ts'
import type { Knowledge } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'

/** The list of sessions has every one that is open, and none that was revoked. */
export const theListIsWhole: Rule = (deed, deeds, known) => {
  const { outcome } = deed
  if (outcome.kind !== 'done' || !outcome.listed) return null
  for (const issue of deeds.filter(({ end }) => end < deed.start)) {
    const credential = issue.outcome.kind === 'done' ? issue.outcome.credential : undefined
    if (credential?.account !== deed.account || ['app', 'key', 'acting'].includes(credential.kind)) continue
    const isListed = outcome.listed.includes(credential.key)
    if (isListed && known.surelyRevoked(credential, deed))
      return `it has what deed ${issue.number} opened, and that was revoked`
    if (!isListed && isOpen(credential, { issue, deed, known })) return `it lacks what deed ${issue.number} opened`
  }
  return null
}

interface Opened {
  readonly issue: Deed
  readonly deed: Deed
  readonly known: Knowledge
}

function isOpen(credential: Credential, { issue, deed, known }: Opened): boolean {
  const seconds = credential.kind === 'session' ? lifetimes.idle : lifetimes.refreshToken
  return deed.endedAt < issue.startedAt + 1000 * seconds && !known.possiblyRevoked(credential, deed)
}

/** The list of API keys has every one that is valid, and none that was revoked. */
export const theKeysAreListed: Rule = (deed, deeds, known) => {
  const { outcome } = deed
  if (outcome.kind !== 'done' || !outcome.listedKeys) return null
  for (const issue of deeds.filter(({ end }) => end < deed.start)) {
    const credential = issue.outcome.kind === 'done' ? issue.outcome.credential : undefined
    if (credential?.account !== deed.account || credential.kind !== 'key') continue
    const isListed = outcome.listedKeys.includes(credential.key)
    if (isListed && known.surelyRevoked(credential, deed))
      return `it has the key of deed ${issue.number}, and that was revoked`
    const isOld = deed.endedAt >= issue.startedAt + 1000 * lifetimes.key
    if (!isListed && !isOld && !known.possiblyRevoked(credential, deed))
      return `it lacks the key of deed ${issue.number}`
  }
  return null
}
