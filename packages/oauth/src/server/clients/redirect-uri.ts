import { isPublicClient, type RegisteredClient } from './registered-client.ts'

const longest = 2048
const schemes = /^(?:https:\/\/|http:\/\/|[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/)/
/** The URL parser accepts characters in a host that would end or extend a directive of a Content Security Policy. */
const plainHost = /^(?!https?:)|^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:[/?]|$)/
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?=[:/?]|$)/

/**
 * Returns the rule that a redirect URI breaks, or `null`. An address that browsers, servers or people could read differently
 * is refused (RFC 9700 §4.1).
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
  // Upper case, a default port or another spelling: browsers would open another address than the compared text.
  return url.href === uri || url.href === `${uri}/` ? null : 'must be spelt as browsers spell it'
}

/** An address on this machine, with or without a port. Each spelling of the host counts as another host. */
const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/

/**
 * Returns whether an address is registered for a client. It is compared byte for byte; only the port of a native client on
 * this machine may differ (RFC 8252 §7.3).
 */
export function isRedirectUriOf({ kind, redirectUris }: RegisteredClient, uri: string): boolean {
  if (redirectUris.includes(uri)) return true
  const plain = kind === 'native' ? withoutPort(uri) : null
  return plain !== null && redirectUris.some((registered) => withoutPort(registered) === plain)
}

function withoutPort(uri: string): string | null {
  const [, origin, port, rest] = loopbackAddress.exec(uri) ?? []
  if (origin === undefined || (port !== undefined && Number(port) > 65_535)) return null
  // An address with another port appears on pages: it must not have characters that need an escape.
  return /^[!-~]*$/.test(rest ?? '') ? `${origin}${rest}` : null
}

/**
 * Returns whether another application can receive the client's response: the client is public, and its redirect is a port or a
 * scheme that any application of the device can take (RFC 8252 §8.6). A web client with a scheme counts as an application.
 */
export function canBeImpersonated(client: RegisteredClient, redirectUri: string): boolean {
  const isSite = redirectUri.startsWith('https:') || (client.kind === 'web' && redirectUri.startsWith('http:'))
  return isPublicClient(client) && !isSite
}

/** Whether a redirect leads to a port of the user's computer, which any program there can take. */
export function isOnThisMachine(redirectUri: string): boolean {
  const url = new URL(redirectUri)
  // Browsers resolve names below `localhost` to this machine too (RFC 6761 §6.3).
  return /^https?:/.test(redirectUri) && (isLoopback(url) || /(?:^|\.)localhost\.?$/.test(url.hostname))
}

/** Hosts of this machine, as URLs have them. */
const thisMachine = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Whether an address is on this machine. */
export function isLoopback(url: URL): boolean {
  return thisMachine.test(url.hostname)
}

/**
 * Returns whether a client of the service needs no consent for a redirect: no other application can receive the response
 * (RFC 8252 §8.6). A redirect on loopback needs no consent if the issuer is on loopback too, for development.
 */
export function needsNoConsent(client: RegisteredClient, redirectUri: string, issuer: string): boolean {
  if (!client.firstParty || canBeImpersonated(client, redirectUri)) return false
  return redirectUri.startsWith('https:') || isLoopback(new URL(issuer))
}

/** Returns the host of a redirect, or the scheme of an application, for pages. */
export function redirectTargetOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}

/** Returns the source for `form-action` of a form that a redirect follows: an origin or a scheme. */
export function formTargetOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** Returns a redirect with parameters after the registered parameters of its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value)
  if (query.size === 0) return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}
