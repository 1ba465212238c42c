import type { Delivery } from '../state/page.ts'

/** A session in a cookie, and its CSRF token in memory. Queries show the token, too: it names the session that they ask for. */
export const sessionDelivery: Pick<Delivery<never>, 'credentials' | 'show'> = {
  credentials: 'include',
  show: (token) => ({ 'x-csrf-token': token }),
}
