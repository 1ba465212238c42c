/**
 * The client id of the families of the service's own front ends. It is reserved: a family of any other client is a
 * grant to a third party.
 */
export const firstPartyClientId = 'first-party'

/** What a grant to a third party allows, and to whose key its tokens are bound. */
export interface ClientGrant {
  /** What the grant allows; `null`: none was agreed on, which allows nothing to a third party. */
  readonly scopes: readonly string[] | null
  /** The id of the consent that the family was given by; `null`: none. */
  readonly grant: string | null
  /** The thumbprint of the client's key (`cnf.jkt`, RFC 9449 §6.1); `null`: its tokens are bound to no key. */
  readonly keyBinding: string | null
}

/**
 * Returns the members that a family keeps of a grant.
 *
 * @throws TypeError when the service's own client id is used for a grant.
 */
export function readGrant(clientId: string, given: Partial<ClientGrant>): ClientGrant {
  const { scopes = null, grant = null, keyBinding = null } = given
  if (clientId === firstPartyClientId && (scopes ?? grant ?? keyBinding) !== null) {
    throw new TypeError(`"clientId": "${firstPartyClientId}" is reserved for the service itself, which needs no grant`)
  }
  return { scopes: scopes && [...scopes], grant, keyBinding }
}
