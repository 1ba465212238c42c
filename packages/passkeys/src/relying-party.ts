import { checkOptionNames } from '@latchkey/core/internal'

/** The site that passkeys are for. */
export interface RelyingParty {
  /**
   * The domain that owns the passkeys: `example.com`, or `localhost` in development. Changing it makes all passkeys
   * useless.
   */
  readonly id: string
  /** The name that the browser shows. */
  readonly name: string
  /** The origins of the pages that run ceremonies, each on `id` or below it: `https://app.example.com`. */
  readonly origins: readonly [string, ...string[]]
  /**
   * Origins on other domains, `https://example.de`, that may use the passkeys too. Every page of these origins can
   * start a ceremony. Browsers allow the origins in `relatedOriginsDocument` at `https://<id>/.well-known/webauthn`.
   * @default none
   */
  readonly relatedOrigins?: readonly string[]
}

/** A relying party that was checked, with all its origins. */
export interface CheckedRelyingParty {
  readonly id: string
  readonly name: string
  readonly origins: ReadonlySet<string>
}

/**
 * Returns what `https://<id>/.well-known/webauthn` answers as `application/json`, so that browsers accept the relying party
 * on its related origins (WebAuthn Level 3, section 5.11). They read at least five different names before the ending.
 *
 * @throws TypeError when an origin cannot be used.
 *
 * @example
 * import { relatedOriginsDocument } from '@latchkey/passkeys'
 * relatedOriginsDocument({
 *   id: 'example.com',
 *   name: 'Example',
 *   origins: ['https://example.com'],
 *   relatedOrigins: ['https://example.de'],
 * }) // { origins: ['https://example.com', 'https://example.de'] }
 */
export function relatedOriginsDocument(relyingParty: RelyingParty): { readonly origins: readonly string[] } {
  return { origins: [...checkRelyingParty('relatedOriginsDocument', relyingParty).origins] }
}

/** Returns the document, or `null` without related origins: browsers do not fetch it for the domain itself. */
export function publishedOrigins(relyingParty: RelyingParty): ReturnType<typeof relatedOriginsDocument> | null {
  return relyingParty.relatedOrigins?.length ? relatedOriginsDocument(relyingParty) : null
}

export function checkRelyingParty(factory: string, relyingParty: RelyingParty): CheckedRelyingParty {
  if (typeof relyingParty !== 'object' || relyingParty === null) {
    throw new TypeError(`${factory}: "relyingParty" must be an object with "id", "name" and "origins"`)
  }
  const names = { id: true, name: true, origins: true, relatedOrigins: true } as const
  const { id, name, origins, relatedOrigins = [] } = checkOptionNames(`${factory}: "relyingParty"`, relyingParty, names)
  checkDomain(id)
  if (typeof name !== 'string' || name.trim() === '') throw new TypeError('"relyingParty.name" must not be empty')
  for (const origin of checkOrigins('relyingParty.origins', origins, 1)) {
    if (!isWithin(new URL(origin).hostname, id)) {
      throw new TypeError(
        `"relyingParty.origins": ${origin} is not on ${id}: if other sites of yours may use the passkeys, list it in "relatedOrigins"`,
      )
    }
  }
  checkOrigins('relyingParty.relatedOrigins', relatedOrigins, 0)
  return { id, name, origins: new Set([...origins, ...relatedOrigins]) }
}

/** This check has no list of public suffixes: browsers refuse an id that is a public suffix, for example `co.uk`. */
function checkDomain(id: string): void {
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
  const labels = typeof id === 'string' && id.length <= 253 ? id.split('.') : []
  const isDomain = labels.length > 1 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '')
  if (!isDomain && id !== 'localhost') {
    throw new TypeError('"relyingParty.id" must be a domain in lower case such as example.com, or localhost')
  }
}

function checkOrigins(option: string, origins: readonly string[], atLeast: number): readonly string[] {
  if (!Array.isArray(origins) || origins.length < atLeast) {
    throw new TypeError(`"${option}" must be a list of origins${atLeast > 0 ? ' with at least one' : ''}`)
  }
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return origins
  throw new TypeError(
    `"${option}": ${JSON.stringify(wrong)} is no origin such as https://example.com, or http://localhost:4000`,
  )
}

/** Browsers run ceremonies in secure contexts only. */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  const { origin: canonical, protocol, hostname } = new URL(origin)
  return canonical === origin && (protocol === 'https:' || (protocol === 'http:' && isWithin(hostname, 'localhost')))
}

function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`)
}
