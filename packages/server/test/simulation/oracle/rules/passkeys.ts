import { type Deed, isAccepted, isNo } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'

/** Only the passkey of an active account opens it. One that has verified its user is two factors. */
export const onlyThePasskeyOpens: Rule = (deed, _deeds, known) => {
  const { passkey } = deed.claims
  if (passkey === undefined || deed.outcome.kind !== 'done') return null
  if (deed.outcome.isChallenged) return 'a second factor was asked for after a passkey'
  if (!known.mayBe(deed.account, 'passkey', passkey.id, deed)) return 'accepted with a passkey that is not registered'
  return known.mayBe(deed.account, 'status', 'active', deed) ? null : 'accepted although it was not active'
}

/** What a passkey has signed counts once, and for its time. */
export const ceremoniesEnd: Rule = (deed, deeds) => {
  const { ceremony } = deed.claims.passkey ?? {}
  if (ceremony === undefined || !isAccepted(deed)) return null
  const first = deeds.find((other) => other !== deed && isAccepted(other) && isSame(other, deed))
  if (first) return `the response of a passkey was accepted twice, first by deed ${first.number}`
  const begun = beginOf(deed, deeds)
  if (!begun) return 'the response of a passkey was accepted that nobody has asked for'
  return deed.startedAt > begun.endedAt + 1000 * lifetimes.ceremony
    ? 'the response of a passkey was accepted after its time'
    : null
}

/** A response of the registered passkey that nobody has shown before opens an active account. */
export const thePasskeyOpens: Rule = (deed, deeds, known) => {
  const { passkey } = deed.claims
  const begun = passkey?.ceremony === undefined ? undefined : beginOf(deed, deeds)
  if (!passkey || !begun || !isNo(deed, 'credentials')) return null
  if (deeds.some((other) => other !== deed && isSame(other, deed) && other.start < deed.end)) return null
  if (known.possiblyRaised(deed.account, deed) || known.sure(deed.account, 'status', deed) !== 'active') return null
  if (deed.endedAt >= begun.startedAt + 1000 * lifetimes.ceremony) return null
  return known.sure(deed.account, 'passkey', deed) === passkey.id
    ? 'the registered passkey of an active account was refused'
    : null
}

/** A registered passkey is there to be removed, and nobody is told of one that is not. */
export const thePasskeyIsThere: Rule = (deed, _deeds, known) => {
  const own = (): string | null | undefined => known.sure(deed.account, 'passkey', deed)
  if (isNo(deed, 'excluded')) return own() === null ? 'a passkey is excluded, and the account has none' : null
  const isMissed = isNo(deed, 'missing') && deed.claims.sets?.passkey === null && deed.claims.presents !== undefined
  if (!isMissed || known.sure(deed.account, 'status', deed) !== 'active') return null
  return typeof own() === 'string' ? 'the account has no passkey, and one was registered' : null
}

const isSame = ({ claims }: Deed, deed: Deed): boolean => claims.passkey?.ceremony === deed.claims.passkey?.ceremony

function beginOf({ claims }: Deed, deeds: readonly Deed[]): Deed | undefined {
  const { ceremony } = claims.passkey ?? {}
  return deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.ceremony === ceremony)
}
