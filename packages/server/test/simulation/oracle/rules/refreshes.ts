import { type Credential, type Deed, isNo, isYes } from '../../deeds/deed.ts'
import type { Knowledge } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'
import { isCopied } from './codes.ts'

/** A refresh token is redeemed once; its holder may repeat it shortly, until its successor was used. */
export const refreshOnce: Rule = (deed, deeds, known) => {
  const { redeems, presents } = deed.claims
  if (redeems === undefined || !presents) return null
  const ofToken = deeds.filter(({ claims, number }) => claims.redeems === redeems && number !== deed.number)
  const redeemed = ofToken.filter(isYes)
  if (isYes(deed)) return secondYes(deed, redeemed, deeds)
  if (!isNo(deed, 'credentials') || isPerhapsOver(presents, deed, { deeds, known })) return null
  const issue = known.issueOf(presents)
  const isFresh = ofToken.every(({ start }) => start > deed.end)
  const source = deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.refreshToken === redeems) ?? issue
  const isInTime = source !== undefined && deed.endedAt < source.startedAt + 1000 * lifetimes.refreshToken
  return isFresh && isInTime ? 'a refresh token that was not used before was refused' : null
}

interface Known {
  readonly deeds: readonly Deed[]
  readonly known: Knowledge
}

const isPerhapsOver = (credential: Credential, deed: Deed, { deeds, known }: Known): boolean =>
  known.possiblyRevoked(credential, deed) || isCopied(credential, deed, deeds)

function secondYes(deed: Deed, redeemed: readonly Deed[], deeds: readonly Deed[]): string | null {
  const first = redeemed.reduce<Deed | null>((one, other) => (one && one.endedAt <= other.endedAt ? one : other), null)
  if (!first) return null
  if (deed.startedAt > first.endedAt + 1000 * lifetimes.grace && !isNamedAlike(deed, deeds))
    return 'a used refresh token was accepted after the grace'
  const successors = [...redeemed, deed].flatMap(({ outcome }) =>
    outcome.kind === 'done' ? (outcome.refreshToken ?? []) : [],
  )
  if (new Set(successors).size > 1) return 'a refresh token was replaced by two'
  const used = deeds.find(
    (other) => isYes(other) && other.end < deed.start && successors.includes(other.claims.redeems ?? ''),
  )
  return used ? `a refresh token was accepted after its successor was used by deed ${used.number}` : null
}

/** Whether it repeats an attempt under its name. */
const isNamedAlike = (deed: Deed, deeds: readonly Deed[]): boolean =>
  deeds.some(
    ({ number, claims }) =>
      number !== deed.number && claims.redeems === deed.claims.redeems && claims.attempt === deed.claims.attempt,
  ) && deed.claims.attempt !== undefined

/** Who got no answer repeats the same token: shortly, or under the same name for long. */
export const repeatsWork: Rule = (deed, deeds, known) => {
  const { redeems, presents, attempt } = deed.claims
  if (redeems === undefined || !presents || !isNo(deed, 'credentials')) return null
  if (isPerhapsOver(presents, deed, { deeds, known })) return null
  const others = deeds.filter(({ claims, number }) => claims.redeems === redeems && number !== deed.number)
  const successors = others.flatMap(({ outcome }) => (outcome.kind === 'done' ? (outcome.refreshToken ?? []) : []))
  const isPassed = deeds.some(({ claims, start }) => successors.includes(claims.redeems ?? '') && start < deed.end)
  const isNamed = attempt !== undefined && others.every(({ claims }) => claims.attempt === attempt)
  const seconds = isNamed ? lifetimes.retry : lifetimes.grace
  const isSoon = others.every(({ startedAt }) => deed.endedAt < startedAt + 1000 * seconds)
  return others.length > 0 && isSoon && !isPassed ? 'a refresh without an answer could not be repeated' : null
}
