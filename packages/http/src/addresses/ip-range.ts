import { type IpAddress, parseIpAddress } from './ip-address.ts'

interface IpRange {
  readonly address: IpAddress
  readonly prefixBits: number
}

/**
 * Creates a test for membership in a list of addresses and ranges.
 *
 * @param option the name of the option that has the list.
 * @throws TypeError naming the option if it is not a list, or one of its entries is neither an address nor a range.
 */
export function createIpRanges(
  texts: readonly string[],
  option: 'trustedProxies' | 'exempt' = 'trustedProxies',
): (address: IpAddress) => boolean {
  if (!Array.isArray(texts)) throw new TypeError(`"${option}" must be a list of addresses and ranges`)
  const ranges = texts.map((text) => parseRange(text, option))
  return (address) => ranges.some((range) => isInRange(address, range))
}

function parseRange(text: string, option: string): IpRange {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseIpAddress(base)
  const size = address?.length === 4 ? 32 : 128
  // The prefix of an IPv4-mapped range counts from the front of the IPv6 form.
  const mapped = size === 32 && base.includes(':') ? 96 : 0
  const prefixBits = bits === undefined ? size : Number(bits) - mapped
  if (!address || prefixBits < 0 || prefixBits > size) {
    throw new TypeError(`"${option}": each is an IP address or a range like 10.0.0.0/8`)
  }
  return { address, prefixBits }
}

function isInRange(address: IpAddress, range: IpRange): boolean {
  if (address.length !== range.address.length) return false
  const width = address.length === 4 ? 8 : 16
  return address.every((part, index) => {
    const ignored = Math.min(width, Math.max(0, (index + 1) * width - range.prefixBits))
    return part >> ignored === (range.address[index] ?? -1) >> ignored
  })
}
