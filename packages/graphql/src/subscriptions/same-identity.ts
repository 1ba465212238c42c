import type { Identity } from '@latchkey/rbac'

/**
 * Whether two identities of one epoch are equal for rules. Factors are ignored: a factor that was enrolled meanwhile
 * counts for the next decision and does not stop the stream.
 */
export function isSameIdentity(one: Identity, other: Identity): boolean {
  const { subject, kind, key, firstParty, mustEnroll, clientId, grant, keyBinding, impersonator, apiKey } = one
  return (
    subject === other.subject &&
    kind === other.kind &&
    key === other.key &&
    firstParty === other.firstParty &&
    mustEnroll === other.mustEnroll &&
    clientId === other.clientId &&
    grant === other.grant &&
    keyBinding === other.keyBinding &&
    impersonator === other.impersonator &&
    apiKey === other.apiKey &&
    isSameSet(one.roles, other.roles) &&
    isSameSet(one.scopes, other.scopes)
  )
}

function isSameSet(some: readonly string[] | null, others: readonly string[] | null): boolean {
  if (some === null || others === null) return some === others
  return some.length === others.length && [...some].sort().join('\n') === [...others].sort().join('\n')
}
