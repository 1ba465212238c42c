import { noHeaders } from '../headers/http-headers.ts'
import type { AddressReader } from './address-reader.ts'

/**
 * Returns the key that a connection is counted by; `null` for trusted proxies, which serve many clients, and for exempt
 * addresses.
 */
export function connectionKey(
  addresses: AddressReader,
  peerAddress: string | null,
  isExempt: (address: string) => boolean = () => false,
): string | null {
  let isProxy = false
  const address = addresses.read({
    peerAddress,
    // Only headers of a trusted proxy are read.
    get headers() {
      isProxy = true
      return noHeaders
    },
  })
  return address === null || isProxy || isExempt(address) ? null : addresses.limitKey(address)
}
