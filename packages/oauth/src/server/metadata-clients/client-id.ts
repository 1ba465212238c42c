import { isLoopback } from '../clients/redirect-uri.ts'

/** The rules of ids. */
export interface ClientIdRules {
  /** The allowed hosts. `*.example.com`: each subdomain. `any`: each host. */
  readonly from: 'any' | readonly string[]
  /** Hosts to refuse, in the form of `from`. An entry takes precedence over `from`. */
  readonly except?: readonly string[] | undefined
  /** The URL of the server. An `http:` issuer on loopback also allows `http:` ids on loopback, for development. */
  readonly issuer: string
}

/** The URL of the document, or the broken rule. */
export type ClientIdReading =
  | { readonly url: URL; readonly isOnThisMachine: boolean }
  | { readonly url: null; readonly reason: string }

const longest = 512
/** The exception for development. */
const onThisMachine = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):(\d+)\//
const label = '(?!-)[a-z0-9-]{1,63}(?<!-)'
const dottedName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})+$`)
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])$/
const hostPattern = new RegExp(`^(?:(?:\\*\\.)?(?=.{1,253}$)${label}(?:\\.${label})*|\\[[\\da-f:]+\\])$`)

/**
 * Creates a function that checks the text of an id. The function makes no request.
 *
 * @throws TypeError if a host of `from` or `except` is not spelt as in URLs.
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

/** Returns `b.example.com`, `example.com` and `com` for `a.b.example.com`. */
function parentsOf(host: string): readonly string[] {
  const labels = host.split('.')
  return labels.slice(1).map((_label, index) => labels.slice(index + 1).join('.'))
}

/** Applies draft-ietf-oauth-client-id-metadata-document-02 §3, and also refuses queries and hosts without a dot. */
function readUrl(id: string, isDevelopment: boolean): ClientIdReading {
  if (typeof id !== 'string' || id.length > longest) return refuse(`an id has at most ${longest} characters`)
  const url = URL.parse(id)
  // Programs read other spellings differently: upper case, a default port, dot segments, spaces.
  if (url?.href !== id) return refuse('an id is a URL, spelt as browsers spell it')
  if (id.includes('?') || id.includes('#')) return refuse('an id has no query and no fragment')
  if (url.username !== '' || url.password !== '') return refuse('an id has no user info')
  if (url.pathname === '/') return refuse('an id has a path')
  const [, port] = onThisMachine.exec(id) ?? []
  if (isDevelopment && port !== undefined && Number(port) >= 1024) return { url, isOnThisMachine: true }
  if (url.protocol !== 'https:') return refuse('an id is an https URL')
  // Resolvers look for a name without a dot in the local network. A final dot would evade `except`.
  if (!dottedName.test(url.hostname) && !ipAddress.test(url.hostname)) return refuse('the host of an id is a full name')
  return { url, isOnThisMachine: false }
}

function refuse(reason: string): ClientIdReading {
  return { url: null, reason }
}
