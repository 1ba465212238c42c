import { createIpRanges, parseIpAddress } from '@latchkey/http/internal'

/**
 * The ranges of the IANA Special-Purpose Address Registries, and multicast. The list also has the ranges that the registries
 * call "globally reachable": they are anycast addresses, and the nearest machine, perhaps of the own network, answers.
 */
const specialRanges = [
  // This network; private use; shared address space; loopback; link local with the metadata of clouds.
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  // IETF protocol assignments; documentation; AS112; AMT; relays of 6to4; private use; AS112.
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  // AS112; benchmarking; documentation; multicast; reserved, and broadcast.
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // The host of virtual machines in Azure, a public number with a private route.
  '168.63.129.16/32',
  // IETF protocol assignments with Teredo, benchmarking and ORCHID; documentation; 6to4; AS112; documentation.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
]

/**
 * The range of global unicast addresses (RFC 4291 §2.4). The loopback address and all other special ranges are outside:
 * IPv4-mapped, IPv4-compatible, NAT64 (RFC 6052, RFC 8215), discard, dummy, segment routing, unique local, link local, site
 * local, multicast.
 */
const globalUnicast = ['2000::/3']

const loopbackRanges = ['127.0.0.0/8', '::1/128']

/** Returns whether a text is an address of the public internet. */
export function isGloballyReachable(text: string): boolean {
  const address = parsePlain(text)
  if (!address) return false
  return (address.length === 4 || createIpRanges(globalUnicast)(address)) && !createIpRanges(specialRanges)(address)
}

/** Returns whether a text is a loopback address. */
export function isLoopbackAddress(text: string): boolean {
  const address = parsePlain(text)
  return address !== null && createIpRanges(loopbackRanges)(address)
}

/** Returns `null` for an address with a zone and for an IPv4-mapped address: systems connect to different places. */
function parsePlain(text: string): readonly number[] | null {
  const address = /^[\da-f.:]+$/i.test(text) ? parseIpAddress(text) : null
  return address?.length === 4 && text.includes(':') ? null : address
}
