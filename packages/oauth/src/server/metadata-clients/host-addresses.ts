import { networkModule } from './node-network.ts'
import { isGloballyReachable, isLoopbackAddress } from './special-addresses.ts'

/** Returns the addresses of a name, or `[]` if the name does not exist. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

export type HostAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly [string, ...string[]] }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

/** Sites have fewer addresses. */
const addressesAtMost = 64

/**
 * Returns the addresses of a host after a check of each address. One forbidden address refuses the host: an attacker can put
 * a private address among public addresses and wait for a connection to the private address.
 */
export async function findAddresses(
  hostname: string,
  isOnThisMachine: boolean,
  resolve: ResolveHost,
): Promise<HostAddresses> {
  const literal = literalOf(hostname)
  const found = literal === null ? await resolve(hostname) : [literal]
  const [first, ...others] = found
  if (first === undefined) return { kind: 'failed', reason: 'the host has no address' }
  if (found.length > addressesAtMost) return { kind: 'refused', reason: 'the host has too many addresses' }
  const isAllowed = isOnThisMachine ? isLoopbackAddress : isGloballyReachable
  if (!found.every(isAllowed))
    return { kind: 'refused', reason: 'the host has an address that must not be connected to' }
  return { kind: 'addresses', addresses: [first, ...others] }
}

/** Returns the address of a host that is an address. The URL parser has refused all other names of digits and dots. */
function literalOf(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return /^[\d.]+$/.test(hostname) ? hostname : null
}

/**
 * Asks the configured name servers, and returns IPv4 addresses first. The resolver of the operating system would occupy a
 * thread per call: slow name servers of attackers could occupy all threads, and password hashes need these threads.
 */
export async function resolveHost(host: string): Promise<readonly string[]> {
  // RFC 6761 §6.3.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const { Resolver } = networkModule('node:dns/promises')
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
