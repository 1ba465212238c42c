import type { Kept } from '../platform/open-storage.ts'
import { ask } from '../requests/ask.ts'
import type { Delivery, Identified } from '../state/page.ts'
import type { Found } from '../state/session-fields.ts'
import { sessionFields } from '../state/session-fields.ts'

/** An access token in memory, and a refresh token in a cookie. */
export function tokenDelivery<User extends Identified>(userFields: string, kept: Kept): Delivery<User> {
  const query = `mutation($i:RefreshInput){p:refresh(input:$i){token:accessToken expiresIn ${sessionFields(userFields)}}}`
  return {
    credentials: 'include',
    show: (token) => ({ authorization: `Bearer ${token}` }),
    mayRenew: () => kept.get('in') !== null,
    renew: async (page) => {
      const attempt = kept.get('attempt') ?? crypto.randomUUID()
      kept.set('attempt', attempt)
      const renewed = await ask<{ readonly p: Found<User> }, User>(page, query, null, { i: { attempt } }).catch(
        (error) => {
          // A 401 of the service: the sign-in is over.
          if (error.status !== 401) throw error
        },
      )
      if (kept.get('attempt') === attempt) kept.set('attempt', null)
      return renewed?.p ?? null
    },
  }
}
