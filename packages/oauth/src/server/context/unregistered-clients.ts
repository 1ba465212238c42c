import { type Refusal, refuse } from '../responses/refusal.ts'
import type { BegunClient } from '../unregistered/metadata-clients.ts'

const unreadable = refuse('invalid_client', 'The metadata document of the client could not be read.')
const invalid = refuse('invalid_client', 'The metadata document of the client is not valid.')
const limited = refuse('temporarily_unavailable', 'Too many metadata documents were requested. Try again later.')

/** Returns the reason for which a request of an unregistered client cannot start. */
export function refuseBegun(begun: Exclude<BegunClient, { readonly kind: 'client' }>): Refusal {
  if (begun.kind === 'limited') return { ...limited, headers: [['Retry-After', String(begun.retryAfterSeconds)]] }
  return begun.kind === 'invalid' ? invalid : unreadable
}

/** Refuses a grant that only registered clients may use. */
export const unregisteredGrant: Refusal = refuse('unauthorized_client', 'Only a registered client can use this grant.')
