import { networkModule } from './node-network.ts'
import { isGloballyReachable, isLoopbackAddress } from './special-addresses.ts'

/** Returns the addresses of a name, `[]` where it has none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

export type HostAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly [string, ...string[]] }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

/** More than any site has: nobody makes this service check, or connect to, thousands. */
const addressesAtMost = 64

/**
 * Returns the addresses of the host of a URL, each of which may be connected to, or why none of them may: one that is not
 * public is enough, because whoever names it beside public ones wants it to be met by chance.
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

/** The hosts of URLs are addresses in canonical form, or names that do not end in a number. */
function literalOf(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return /^[\d.]+$/.test(hostname) ? hostname : null
}

/**
 * Asks the name servers of this machine, IPv4 first. Not the functions of the operating system: each call holds a thread,
 * and slow name servers of strangers would hold all of them, which passwords are hashed in.
 */
export async function resolveHost(host: string): Promise<readonly string[]> {
  // It is not for name servers to say (RFC 6761 §6.3).
  if (host === 'localhost') return ['127.0.0.1', '::1']
  const { Resolver } = networkModule('node:dns/promises')
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
