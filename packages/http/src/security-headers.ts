import { randomToken } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpResponse } from './http-response.ts'
import { isSerialisedOrigin } from './serialised-origin.ts'

/** The headers that narrow what a browser does with a response. */
export interface SecurityHeaders {
  /** For responses that are data. */
  readonly api: HttpResponse['headers']
  /** For pages: a content security policy in which only scripts and styles with this nonce count. Never cached. */
  page(
    nonce: string,
    options?: {
      /**
       * The other destinations of a form on the page: origins, or schemes of native applications with their colon.
       * Browsers apply `form-action` to the redirect after a form too, so a consent page must name its client here.
       * Such a page stays connected to the window that opened it, because a client that opened it as a popup waits for
       * the answer there.
       */
      readonly formTargets?: readonly string[]
    },
  ): HttpResponse['headers']
  /** Returns a nonce for one page. */
  newNonce(): string
}

/**
 * Creates the security headers of a service.
 *
 * @throws TypeError when `https` is not told.
 *
 * @example
 * import { createSecurityHeaders, type HttpResponse } from '@latchkey/http'
 * const security = createSecurityHeaders({ https: true })
 * function greet(): HttpResponse {
 *   const nonce = security.newNonce()
 *   const body = `<!doctype html><title>Hello</title><style nonce="${nonce}">body { margin: 2rem }</style>Hello`
 *   return { status: 200, headers: [['Content-Type', 'text/html; charset=utf-8'], ...security.page(nonce)], body }
 * }
 */
export function createSecurityHeaders(options: {
  /** Whether the service is reached over https: adds `Strict-Transport-Security`. */
  readonly https: boolean
}): SecurityHeaders {
  const { https } = checkOptionNames('createSecurityHeaders', options, { https: true })
  if (typeof https !== 'boolean') throw new TypeError('"https" must be true or false')
  const all: HttpResponse['headers'] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(https ? ([['Strict-Transport-Security', 'max-age=31536000; includeSubDomains']] as const) : []),
  ]
  return {
    api: [
      ...all,
      ['Referrer-Policy', 'no-referrer'],
      ['Content-Security-Policy', "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
    ],
    page: (nonce, { formTargets = [] } = {}) => [
      ...all,
      ['Cache-Control', 'no-store'],
      ...(formTargets.length === 0 ? [withoutOpener] : []),
      // Not `no-referrer`, under which browsers send the forms of our own pages with `Origin: null`.
      ['Referrer-Policy', 'same-origin'],
      ['Content-Security-Policy', pagePolicy(nonce, formTargets)],
    ],
    newNonce: () => randomToken(16),
  }
}

/**
 * On a page that leads back to another site this policy would break popups: `same-origin-allow-popups` spares windows
 * that a page opens, but not its opener. An attacker with such a connection can close the window or navigate it.
 */
const withoutOpener = ['Cross-Origin-Opener-Policy', 'same-origin'] as const

function pagePolicy(nonce: string, formTargets: readonly string[]): string {
  if (!/^[\w+/-]{22,128}={0,2}$/.test(nonce)) throw new TypeError('"nonce" must be one that newNonce() gave')
  for (const target of formTargets) {
    if (!isFormTarget(target)) throw new TypeError('"formTargets": each is an origin, or a scheme with its colon')
  }
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    ['form-action', "'self'", ...formTargets.map(sourceOf)].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A policy cannot name the address of IPv6 (CSP 3 §2.3.1 `host-part`): browsers would leave it out, and refuse the redirect. */
function sourceOf(target: string): string {
  if (!target.includes('[')) return target
  const { protocol, port } = new URL(target)
  return `${protocol}//*:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** A private-use scheme has a dot (RFC 8252 §7.1), so neither `https:` nor `javascript:` can pass for one. */
function isFormTarget(target: string): boolean {
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(target) || isSerialisedOrigin(target)
}
