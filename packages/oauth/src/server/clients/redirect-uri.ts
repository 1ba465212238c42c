import { isPublicClient, type RegisteredClient } from './registered-client.ts'

const longest = 2048
const schemes = /^(?:https:\/\/|http:\/\/|[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/)/
/** The parser of URLs lets characters stand in a host that end or widen a directive of a policy. */
const plainHost = /^(?!https?:)|^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:[/?]|$)/
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?=[:/?]|$)/

/**
 * Returns the rule that an address to register breaks, or `null`: what browsers, servers and people could read differently
 * is no address of a client (RFC 9700 §4.1).
 */
export function findRedirectFault(uri: string): string | null {
  if (typeof uri !== 'string' || uri.length > longest || !/^[!-~]+$/.test(uri))
    return 'must be visible ASCII characters'
  if (!schemes.test(uri)) return 'must be absolute and begin with https, http on loopback, or a scheme with a dot'
  if (uri.startsWith('http:') && !loopback.test(uri)) return 'may be http on loopback only'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard'
  if (/\.\.|%2e|%2f|%5c|\\/i.test(uri)) return 'must not have "..", a backslash, or an encoded dot or slash'
  const url = URL.canParse(uri) ? new URL(uri) : null
  if (!url) return 'must be an address'
  if (url.username !== '' || url.password !== '' || /^[a-z0-9+.-]+:\/\/[^/?]*@/.test(uri))
    return 'must not have user info'
  if (!plainHost.test(uri)) return 'must have a plain host'
  // Upper case, a default port or another spelling of an address: browsers would go elsewhere than what is compared.
  return url.href === uri || url.href === `${uri}/` ? null : 'must be spelt as browsers spell it'
}

/** An address on this machine, without and with its port. Each spelling of the host is a host of its own. */
const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/**
 * Whether an address is registered for a client: equal byte for byte, but for the port of a native client on this machine
 * (RFC 8252 §7.3).
 */
export function isRedirectUriOf({ kind, redirectUris }: RegisteredClient, uri: string): boolean {
  if (redirectUris.includes(uri)) return true
  const plain = kind === 'native' ? withoutPort(uri) : null
  return plain !== null && redirectUris.some((registered) => withoutPort(registered) === plain)
}

function withoutPort(uri: string): string | null {
  const [, origin, port, rest] = loopbackAddress.exec(uri) ?? []
  if (origin === undefined || (port !== undefined && Number(port) > 65_535)) return null
  // What a redirect with another port is answered with is read by people, too: nothing that needs an escape.
  return /^[!-~]*$/.test(rest ?? '') ? `${origin}${rest}` : null
}

/**
 * Whether an answer can go to another application than the client: one that anybody can name, at a port or a scheme that any
 * application of the device can take (RFC 8252 §8.6). A scheme is that of an application whatever the client says it is.
 */
export function canBeImpersonated(client: RegisteredClient, redirectUri: string): boolean {
  const isSite = redirectUri.startsWith('https:') || (client.kind === 'web' && redirectUri.startsWith('http:'))
  return isPublicClient(client) && !isSite
}

/** Whether an answer goes to a port of the computer of its user, which any program there can take. */
export function isOnThisMachine(redirectUri: string): boolean {
  const url = new URL(redirectUri)
  // Browsers look for names below `localhost` on this machine, too (RFC 6761 §6.3).
  return /^https?:/.test(redirectUri) && (isLoopback(url) || /(?:^|\.)localhost\.?$/.test(url.hostname))
}

/** Hosts of this machine, as URLs have them. */
const thisMachine = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Whether an address is on this machine. */
export function isLoopback(url: URL): boolean {
  return thisMachine.test(url.hostname)
}

/**
 * Whether a client of the service itself is given codes there without a question: no other application can be asked in its place
 * (RFC 8252 §8.6). On loopback that is so while the service is being developed there.
 */
export function needsNoConsent(client: RegisteredClient, redirectUri: string, issuer: string): boolean {
  if (!client.firstParty || canBeImpersonated(client, redirectUri)) return false
  return redirectUri.startsWith('https:') || isLoopback(new URL(issuer))
}

/** Returns where a redirect goes, for people: a host, or the scheme of an application. */
export function redirectTargetOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}

/** Returns what `form-action` must name for a form whose answer is a redirect there: an origin, or a scheme. */
export function formTargetOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** Returns the address of a redirect with parameters in its query, after those that it was registered with. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value)
  if (query.size === 0) return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}
