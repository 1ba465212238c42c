import type { Delivery } from '../state/page.ts'

/** A session in a cookie, and its CSRF token in memory. */
export const sessionDelivery: Pick<Delivery<never>, 'credentials' | 'show'> = {
  credentials: 'include',
  show: (token, { method }) => (method === 'GET' ? {} : { 'x-csrf-token': token }),
}
