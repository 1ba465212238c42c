import { AccountsError } from './errors.ts'

/**
 * How the credentials of a sign-in travel. `session`: a cookie. `token`: an access token in the body, the refresh token
 * in a cookie that scripts cannot read. `native`: both in the body, for apps without a browser (RFC 8252); refused unless
 * `nativeDelivery` allows it.
 */
export type Delivery = 'session' | 'token' | 'native'

/** The value of `nativeDelivery` that lets sign-in return the refresh token in the body, for apps outside browsers. */
export const allowNativeDelivery: unique symbol = Symbol('allowNativeDelivery')

/** The channel of the refresh token of each delivery. A token is refused from the other channel. */
export const channels = { token: 'cookie', native: 'native' } as const

/** @throws AccountsError DELIVERY_NOT_ALLOWED, before anything is known of the account. */
export function checkDelivery(delivery: Delivery, { allowsNative }: { readonly allowsNative: boolean }): void {
  const isAllowed = delivery === 'session' || delivery === 'token' || (delivery === 'native' && allowsNative)
  if (isAllowed) return
  throw new AccountsError('DELIVERY_NOT_ALLOWED', 'native delivery is not allowed', { field: 'delivery' })
}
