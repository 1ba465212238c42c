import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '../http-request.ts'
import { forwardedAddresses } from './forwarded.ts'
import { formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.ts'
import { createIpRanges } from './ip-range.ts'

/** Reads the address that a request comes from. */
export interface AddressReader {
  /** Returns the client's address in its canonical form (RFC 5952; IPv4-mapped IPv6 as IPv4), `null` when it is not known. */
  read(request: Pick<HttpRequest, 'headers' | 'peerAddress'>): string | null
  /** Returns the key that attempts are counted by: an IPv4 address itself, the /64 network of an IPv6 address. */
  limitKey(address: string): string
}

/**
 * Creates a reader of client addresses. Headers count only if the connection comes from a listed proxy; the reader then
 * walks the hops from the nearest to the first that is not listed, and ignores the rest, which the client may have
 * forged.
 *
 * @throws TypeError if a proxy is neither an address nor a range.
 * @example
 * import { createAddressReader } from '@latchkey/http'
 * const addresses = createAddressReader({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
 * addresses.limitKey('2001:db8:1:2:3:4:5:6') // '2001:db8:1:2::/64'
 */
export function createAddressReader(
  options: {
    /** Addresses or ranges (`10.0.0.0/8`) of the proxies in front of this server. @default [] */
    readonly trustedProxies?: readonly string[]
    /**
     * The only header that is read, which these proxies must write; `x-forwarded-for` by default. The other header is
     * ignored, because proxies pass on unknown headers of clients.
     */
    readonly header?: 'x-forwarded-for' | 'forwarded'
  } = {},
): AddressReader {
  checkOptionNames('createAddressReader', options, { trustedProxies: true, header: true })
  const { trustedProxies = [], header = 'x-forwarded-for' } = options
  if (header !== 'x-forwarded-for' && header !== 'forwarded') {
    throw new TypeError('"header" must be "x-forwarded-for" or "forwarded"')
  }
  const isTrusted = createIpRanges(trustedProxies)
  // One connection brings many requests, and each is asked for several times.
  const peers = createMemo((text) => {
    const address = parseIpAddress(text)
    return { address, isTrusted: address !== null && isTrusted(address), text: address && formatIpAddress(address) }
  })
  const limitKeys = createMemo((address) => limitKeyOf(parseIpAddress(address)) ?? address)
  return {
    read(request) {
      const peer = peers(request.peerAddress ?? '')
      if (peer.address === null || !peer.isTrusted) return peer.text
      let { address } = peer
      for (const hop of forwardedAddresses(request.headers.get(header) ?? '', header).reverse()) {
        if (hop === null) break
        address = hop
        if (!isTrusted(hop)) break
      }
      return formatIpAddress(address)
    },
    limitKey: limitKeys,
  }
}

const rememberedAtMost = 1_000

/** Remembers what was made of the last texts. Longer ones than any address are not worth it. */
function createMemo<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (text.length > 64) return made
    if (known.size >= rememberedAtMost) known.clear()
    known.set(text, made)
    return made
  }
}

function limitKeyOf(address: IpAddress | null): string | null {
  if (address?.length !== 8) return address && formatIpAddress(address)
  return `${formatIpAddress([...address.slice(0, 4), 0, 0, 0, 0])}/64`
}
