import type { Delivery } from '../state/delivery.ts'
import type { Identified } from '../state/page.ts'

/** A session in a cookie, and its CSRF token in memory. */
export function sessionDelivery<User extends Identified>(): Delivery<User> {
  return {
    credentials: 'include',
    show: (token, { method }) => (method === 'GET' ? {} : { 'x-csrf-token': token }),
  }
}
