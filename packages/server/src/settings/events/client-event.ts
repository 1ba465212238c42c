import type { LatchkeyEvent } from '@latchkey/core'

/** What was decided about a client of the authorization server by who operates the service. No event holds a secret. */
export interface ClientEvent extends LatchkeyEvent {
  /**
   * - `client.created`: it was registered.
   * - `client.disabled`: it has ended, and all that it was given.
   * - `client.secret-replaced`: it has a new secret, which the earlier ones ended with.
   */
  readonly type: 'client.created' | 'client.disabled' | 'client.secret-replaced'
  readonly clientId: string
}
