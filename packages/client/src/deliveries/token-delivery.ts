import type { AuthError } from '../errors.ts'
import type { Kept } from '../platform/open-storage.ts'
import { randomText } from '../platform/random.ts'
import type { Delivery, Found } from '../presence/delivery.ts'
import { sessionFields } from '../state/session-fields.ts'

interface Refreshed<User> {
  readonly refresh: { readonly accessToken: string } & Omit<Found<User>, 'token'>
}

/** An access token in memory, and a refresh token in a cookie. */
export function tokenDelivery<User>(userFields: string, kept: Kept): Delivery<User> {
  const query = `mutation($i:RefreshInput){refresh(input:$i){accessToken expiresIn ${sessionFields(userFields)}}}`
  return {
    credentials: 'include',
    sign: (request, token) => {
      if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
    },
    read: () => false,
    params: (token) => (token === null ? {} : { authorization: `Bearer ${token}` }),
    renew: async (ask) => {
      const attempt = kept.get('attempt') ?? randomText()
      kept.set('attempt', attempt)
      const refreshed = await ask<Refreshed<User>>(query, { i: { attempt } }).catch(endedOrThrow)
      if (kept.get('attempt') === attempt) kept.set('attempt', null)
      return refreshed && { ...refreshed.refresh, token: refreshed.refresh.accessToken }
    },
  }
}

/** The service answered, and there is nothing to renew. */
function endedOrThrow(error: AuthError): null {
  if (error.status === 401) return null
  throw error
}
