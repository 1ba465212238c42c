import { checkOptionNames } from '@latchkey/core/internal'
import { type IpAddress, parseIpAddress } from '../addresses/ip-address.ts'
import { createIpRanges } from '../addresses/ip-range.ts'
import type { HttpRequest } from '../http-request.ts'
import { isSerialisedOrigin } from '../serialised-origin.ts'
import { formatHost, type HostName, parseHost } from './host-name.ts'

/** Recognises requests for a host that is not served here. */
export interface HostCheck {
  /**
   * Whether the host is served. `malformed` (400): the request names no host, two, or an invalid one. `misdirected` (421): it
   * names another host. `host` is in lower case, without a final dot.
   */
  check(
    request: Pick<HttpRequest, 'headers' | 'peerAddress' | 'authority'>,
  ):
    | { readonly ok: true; readonly host: string }
    | { readonly ok: false; readonly reason: 'malformed' }
    | { readonly ok: false; readonly reason: 'misdirected'; readonly host: string }
}

/**
 * Creates the check of the host that a request names (RFC 9110 §7.4). It stops DNS rebinding: a page whose own name was
 * made to resolve to this server passes every check of origins, because for its browser it is the server's page, and only
 * the host shows it. Hosts are compared without regard to case, a default port, a final dot and the spelling of an IPv6
 * address.
 *
 * @throws TypeError naming the option that is missing, unknown or not valid.
 *
 * @example
 * import { createHostCheck, type HttpRequest } from '@latchkey/http'
 * const hosts = createHostCheck({ hosts: ['https://example.com', 'localhost:4000'] })
 * const isMisdirected = (request: HttpRequest) => !hosts.check(request).ok
 */
export function createHostCheck(options: {
  /**
   * The hosts that are served, each as `example.com`, `example.com:8080` or `[2001:db8::1]:8080`, or as an origin, for
   * example `https://example.com`. Without a port it has the default port, of the origin's scheme or of both schemes.
   */
  readonly hosts: readonly [string, ...string[]]
  /**
   * Addresses or ranges of the proxies whose `X-Forwarded-Host` counts in place of `Host`: its last host that is not one of
   * these addresses. Only list proxies that write
   * that header themselves: one that passes it on as it came lets a client choose the host.
   * @default []
   */
  readonly trustedProxies?: readonly string[]
}): HostCheck {
  const { hosts, trustedProxies = [] } = checkOptionNames('createHostCheck', options, optionNames)
  const served = readServed(hosts)
  const isTrusted = createIpRanges(trustedProxies)
  const readForwarded = (request: HostedRequest): string | null => {
    const peer = trustedProxies.length > 0 ? parseIpAddress(request.peerAddress ?? '') : null
    return peer && isTrusted(peer) ? (request.headers.get('x-forwarded-host') ?? null) : null
  }
  return {
    check(request) {
      const named = readNamed(request)
      const forwarded = named && readForwarded(request)
      const host = forwarded === null ? named : readLast(forwarded, isTrusted)
      if (!host) return malformed
      const text = formatHost(host)
      return served.has(text) ? { ok: true, host: text } : { ok: false, reason: 'misdirected', host: text }
    },
  }
}

type HostedRequest = Parameters<HostCheck['check']>[0]

const optionNames = { hosts: true, trustedProxies: true } as const
const malformed: ReturnType<HostCheck['check']> = { ok: false, reason: 'malformed' }

/**
 * Returns the authority of the target if it has an authority (RFC 9112 §3.2.2, RFC 9113 §8.3.1), else `Host`. A
 * malformed `Host`, for example of two joined headers, is malformed even then.
 */
function readNamed(request: HostedRequest): HostName | null {
  const { authority = null } = request
  const text = request.headers.get('host') ?? null
  const host = text === null ? null : parseHost(text)
  if (text !== null && host === null) return null
  return authority === null ? host : parseHost(authority)
}

/**
 * Returns the last host, which the nearest proxy wrote; the client may have written the others. If it is the address of
 * a listed proxy, another proxy requested this proxy by address, so the host before it counts. An attacker has no page
 * at such an address, and could not place it last in the list.
 */
function readLast(list: string, isTrusted: (address: IpAddress) => boolean): HostName | null {
  const hosts = list.split(',').map((text) => parseHost(text.trim()))
  return (
    hosts[
      Math.max(
        0,
        hosts.findLastIndex((host) => host === null || !isProxy(host, isTrusted)),
      )
    ] ?? null
  )
}

function isProxy({ name }: HostName, isTrusted: (address: IpAddress) => boolean): boolean {
  const address = parseIpAddress(name.replace(/^\[|\]$/g, ''))
  return address !== null && isTrusted(address)
}

/** Returns the served hosts in each of the forms that a request for them may have, with and without the default port. */
function readServed(hosts: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(hosts) || hosts.length === 0) throw new TypeError('"hosts" must hold at least one host')
  return new Set(hosts.flatMap(formsOf))
}

function formsOf(text: string): readonly string[] {
  const [, scheme, authority] = isSerialisedOrigin(text) ? text.split(/^(https?):\/\//) : []
  const host = typeof text === 'string' ? parseHost(authority ?? text) : null
  if (!host) throw new TypeError('"hosts": each is a host like example.com or localhost:4000, or an origin')
  const defaults = scheme === undefined ? [80, 443] : [scheme === 'https' ? 443 : 80]
  const isDefault = host.port === null || defaults.includes(host.port)
  const ports = [...(isDefault ? [null] : []), ...(host.port === null ? defaults : [host.port])]
  return ports.map((port) => formatHost({ name: host.name, port }))
}
