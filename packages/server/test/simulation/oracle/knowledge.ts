import type { Credential, Deed, Facts } from './deed.ts'

/** What the deeds so far let one know. "Possibly" and "surely" speak of the time from a start to an end. */
export interface Knowledge {
  possible<Name extends keyof Facts>(account: string, name: Name, during: Span): readonly Facts[Name][]
  /** The value, if there can be no other. */
  sure<Name extends keyof Facts>(account: string, name: Name, during: Span): Facts[Name] | undefined
  /** The deed that has surely revoked it before, if there is one. */
  surelyRevoked(credential: Credential, during: Span): Deed | undefined
  possiblyRevoked(credential: Credential, during: Span): boolean
  issueOf(credential: Credential): Deed | undefined
  /** Whether something has perhaps raised the epoch of the account: then a sign-in under way is refused. */
  possiblyRaised(account: string, during: Span): boolean
}

export type Span = Pick<Deed, 'start' | 'end'>

export function readKnowledge(deeds: readonly Deed[], initial: ReadonlyMap<string, Facts>): Knowledge {
  const isWithoutEffect = ({ outcome }: Deed): boolean => outcome.kind === 'refused'
  const isRefusal = ({ outcome, claims }: Deed): boolean =>
    outcome.kind === 'refused' && claims.revokesIfRefused !== undefined
  const issueOf = (credential: Credential): Deed | undefined =>
    deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.credential?.key === credential.key)
  const covers = (deed: Deed, credential: Credential): boolean => {
    const { revokes, revokesIfRefused, presents } = deed.claims
    if (revokesIfRefused?.key === credential.key) return deed.outcome.kind !== 'done'
    if (deed.account !== credential.account || revokes === undefined) return false
    if (revokes === 'all') return true
    return revokes === 'others' ? presents?.key !== credential.key : revokes.key === credential.key
  }
  const possible: Knowledge['possible'] = (account, name, { start, end }) => {
    const writes = deeds.filter(({ account: of, claims }) => of === account && claims.sets && name in claims.sets)
    const effective = writes.filter((deed) => !isWithoutEffect(deed) && deed.start < end)
    const done = effective.filter(({ outcome, end: at }) => outcome.kind === 'done' && at < start)
    const isOverwritten = (endsAt: number): boolean => done.some((later) => later.start > endsAt)
    const values = effective
      .filter((deed) => !isOverwritten(deed.end))
      .map(({ claims }) => (claims.sets as Facts)[name])
    const first = initial.get(account)
    return first && !isOverwritten(-1) ? [first[name], ...values] : values
  }
  return {
    possible,
    sure(account, name, during) {
      const values = new Set(possible(account, name, during))
      return values.size === 1 ? [...values][0] : undefined
    },
    surelyRevoked(credential, { start }) {
      const issue = issueOf(credential)
      return deeds.find(
        (deed) =>
          (deed.outcome.kind === 'done' || isRefusal(deed)) &&
          deed.end < start &&
          issue !== undefined &&
          issue !== deed &&
          issue.end < deed.start &&
          covers(deed, credential),
      )
    },
    possiblyRevoked: (credential, during) =>
      deeds.some(
        (deed) =>
          deed !== during &&
          deed.start < during.end &&
          (!isWithoutEffect(deed) || isRefusal(deed)) &&
          (covers(deed, credential) || (deed.claims.mayRevoke && deed.account === credential.account)),
      ),
    possiblyRaised: (account, { start, end }) =>
      deeds.some(
        (deed) =>
          deed.account === account &&
          deed.start < end &&
          deed.end > start &&
          !isWithoutEffect(deed) &&
          (deed.claims.mayRevoke || typeof deed.claims.revokes === 'string'),
      ),
    issueOf,
  }
}
