import type { Delivery } from '../presence/delivery.ts'

/** A session in a cookie, and its CSRF token in memory. */
export function sessionDelivery<User>(): Delivery<User> {
  return {
    credentials: 'include',
    sign: (request, token) => {
      if (request.method !== 'GET') request.headers.set('x-csrf-token', token)
    },
  }
}
