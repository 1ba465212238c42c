import type { Delivery } from '../state/delivery.ts'

/** A session in a cookie, and its CSRF token in memory. */
export const sessionDelivery: Delivery<never> = {
  credentials: 'include',
  show: (token, { method }) => (method === 'GET' ? {} : { 'x-csrf-token': token }),
}
