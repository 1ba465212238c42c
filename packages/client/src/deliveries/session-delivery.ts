import type { Delivery } from '../state/page.ts'

/** A session in a cookie, and its CSRF token in memory. Queries send the token too, because it names the session. */
export const sessionDelivery: Pick<Delivery<never>, 'credentials' | 'show'> = {
  credentials: 'include',
  show: (token) => ({ 'x-csrf-token': token }),
}
