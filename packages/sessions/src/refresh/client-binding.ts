/**
 * The client id of the families of the service's own front ends. It is reserved: a family of any other client is a
 * grant to a third party.
 */
export const firstPartyClientId = 'first-party'

/** The permissions of a grant to a third party, and the key that its tokens are bound to. */
export interface ClientGrant {
  /** The permissions of the grant; `null` if none were agreed on, so a third party has no permission. */
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
