import type { Deed } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'

/** A second factor that is asked for is one that the account has shown since it can have changed. */
export const theAskedFactorIsShown: Rule = (deed, deeds) => {
  if (deed.outcome.kind !== 'done' || !deed.outcome.isChallenged || !deed.claims.opens) return null
  const looks = deeds.filter(
    ({ account, outcome, end }) =>
      account === deed.account && end < deed.start && outcome.kind === 'done' && outcome.enrolled !== undefined,
  )
  const look = looks.reduce<Deed | null>((last, other) => (last && last.start > other.start ? last : other), null)
  if (look?.outcome.kind !== 'done' || look.outcome.enrolled?.length !== 0) return null
  const changes = deeds.filter(
    ({ account, claims: { sets } }) => account === deed.account && sets && ('totp' in sets || 'passkey' in sets),
  )
  const isPerhapsChanged = changes.some((change) => change.start < deed.end && change.end > look.start)
  return isPerhapsChanged || changes.some((change) => hasMetSignIn(change, deeds))
    ? null
    : `a second factor was asked for, and deed ${look.number} was shown none`
}

/** A sign-in that meets the change of a factor may put right what the account shows, and a process that ends then leaves it so. */
function hasMetSignIn({ account, start, end }: Deed, deeds: readonly Deed[]): boolean {
  return deeds.some(
    (other) => other.account === account && other.claims.opens && other.start < end && other.end > start,
  )
}
