import { isLoopback } from '../clients/redirect-uri.ts'

/** Which ids are allowed. */
export interface ClientIdRules {
  /** Hosts, `*.example.com` for all below one; `any`: every host. */
  readonly from: 'any' | readonly string[]
  /** Hosts that are refused also if `from` has them. */
  readonly except?: readonly string[] | undefined
  /** On `http:` at loopback, ids there are allowed, too. */
  readonly issuer: string
}

/** The URL of a document that may be fetched, or the rule that the id breaks. */
export type ClientIdReading =
  | { readonly url: URL; readonly isOnThisMachine: boolean }
  | { readonly url: null; readonly reason: string }

const longest = 512
/** The development exception, spelt as URLs are. */
const onThisMachine = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):(\d+)\//
const label = '(?!-)[a-z0-9-]{1,63}(?<!-)'
const dottedName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})+$`)
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])$/
const hostPattern = new RegExp(`^(?:(?:\\*\\.)?(?=.{1,253}$)${label}(?:\\.${label})*|\\[[\\da-f:]+\\])$`)

/**
 * Creates the check of ids, which judges by their text alone.
 *
 * @throws TypeError when a host is not spelt as URLs spell it.
 */
export function createClientIdCheck({ from, except = [], issuer }: ClientIdRules): (id: string) => ClientIdReading {
  const isAllowed = from === 'any' ? () => true : createHostTest(from, 'from')
  const isExcepted = createHostTest(except, 'except')
  const issuerUrl = new URL(issuer)
  const isDevelopment = issuerUrl.protocol === 'http:' && isLoopback(issuerUrl)
  return (id) => {
    const reading = readUrl(id, isDevelopment)
    if (reading.url === null) return reading
    const { hostname } = reading.url
    return isAllowed(hostname) && !isExcepted(hostname) ? reading : refuse('clients of this host are not allowed')
  }
}

function createHostTest(patterns: readonly string[], option: 'from' | 'except'): (host: string) => boolean {
  const isList = Array.isArray(patterns) && patterns.every((one) => typeof one === 'string' && isHostPattern(one))
  if (!isList) {
    const kinds = option === 'from' ? '"any" or a list' : 'a list'
    throw new TypeError(
      `"metadataClients.${option}" must be ${kinds} of hosts, such as "example.com" or "*.example.com"`,
    )
  }
  const hosts = new Set(patterns)
  return (host) => hosts.has(host) || parentsOf(host).some((parent) => hosts.has(`*.${parent}`))
}

function isHostPattern(text: string): boolean {
  const host = text.replace(/^\*\./, '')
  return hostPattern.test(text) && URL.parse(`https://${host}/`)?.hostname === host
}

/** `a.b.example.com`: `b.example.com`, `example.com`, `com`. */
function parentsOf(host: string): readonly string[] {
  const labels = host.split('.')
  return labels.slice(1).map((_label, index) => labels.slice(index + 1).join('.'))
}

/** The rules of draft-ietf-oauth-client-id-metadata-document-02 §3, a query and single-label hosts refused, too. */
function readUrl(id: string, isDevelopment: boolean): ClientIdReading {
  if (typeof id !== 'string' || id.length > longest) return refuse(`an id has at most ${longest} characters`)
  const url = URL.parse(id)
  // Other spellings of a host, a default port, dot segments, spaces: browsers and others would read them differently.
  if (url?.href !== id) return refuse('an id is a URL, spelt as browsers spell it')
  if (id.includes('?') || id.includes('#')) return refuse('an id has no query and no fragment')
  // An empty one is not spelt like that.
  if (url.username !== '' || url.password !== '') return refuse('an id has no user info')
  if (url.pathname === '/') return refuse('an id has a path')
  const [, port] = onThisMachine.exec(id) ?? []
  if (isDevelopment && port !== undefined && Number(port) >= 1024) return { url, isOnThisMachine: true }
  if (url.protocol !== 'https:') return refuse('an id is an https URL')
  // A name without a dot is one of the local network, and a final dot would pass by the lists of hosts.
  if (!dottedName.test(url.hostname) && !ipAddress.test(url.hostname)) return refuse('the host of an id is a full name')
  return { url, isOnThisMachine: false }
}

function refuse(reason: string): ClientIdReading {
  return { url: null, reason }
}
