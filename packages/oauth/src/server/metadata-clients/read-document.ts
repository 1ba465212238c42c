import type { JWK } from 'jose'
import { type Members, publicKeyOf, revealsSecret } from '../../proofs/signed-claims.ts'
import { findRedirectFault } from '../clients/redirect-uri.ts'
import { parseScope } from '../parameters/scope.ts'
import type { MetadataClientDocument } from './metadata-client-reader.ts'

/** A valid document, or the broken rule. */
export type DocumentReading =
  | { readonly client: MetadataClientDocument }
  | { readonly client: null; readonly reason: string }

const redirectsAtMost = 10
const keysAtMost = 10
/** Secrets in a public document, and a second URL to fetch. */
const forbidden = ['client_secret', 'client_secret_expires_at', 'jwks_uri'] as const
const grantTypes = ['authorization_code', 'refresh_token'] as const

/** Reads the document of a client. Ignores all members without a rule. */
export function readDocument(id: string, text: string): DocumentReading {
  try {
    const document = parseMembers(text)
    if (document.client_id !== id) throw new DocumentFault('client_id is not the URL of the document')
    const member = forbidden.find((name) => Object.hasOwn(document, name))
    if (member) throw new DocumentFault(`${member} is not allowed`)
    const tokenEndpointAuthMethod = readMethod(document.token_endpoint_auth_method)
    const keys = readKeys(document.jwks, tokenEndpointAuthMethod === 'private_key_jwt')
    const scope = document.scope === undefined ? null : readScope(document.scope)
    const client: MetadataClientDocument = {
      clientId: id,
      clientName: readName(document.client_name),
      redirectUris: readRedirects(document.redirect_uris),
      tokenEndpointAuthMethod,
      ...(keys && { jwks: { keys } }),
      grantTypes: readGrants(document.grant_types),
      ...(scope !== null && { scope }),
    }
    return { client }
  } catch (error) {
    if (error instanceof DocumentFault) return { client: null, reason: error.message }
    throw error
  }
}

/** A broken rule. The message does not quote the document. */
class DocumentFault extends Error {}

function parseMembers(text: string): Members {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new DocumentFault('it is not JSON')
  }
  if (typeof value === 'object' && value !== null) return value as Members
  throw new DocumentFault('it is no JSON object')
}

/**
 * Returns whether a name has only characters that people can see. Control, format and unassigned characters (`C`), characters
 * without a shape, and spaces other than U+0020 could reverse, hide or imitate the text around the name.
 */
function isShown(name: string): boolean {
  const isPlain = /^[^\p{C}\p{Default_Ignorable_Code_Point}\u2800]{1,100}$/u.test(name) && !/[^\P{Z} ]/u.test(name)
  // A first mark joins the text before the name. Five marks on one letter cover other lines.
  return isPlain && name.trim() === name && !/^\p{M}|\p{M}{5}/u.test(name)
}

function readName(value: unknown): string {
  if (typeof value === 'string' && isShown(value)) return value
  throw new DocumentFault('client_name must have 1 to 100 characters that can be shown')
}

function readRedirects(value: unknown): readonly string[] {
  const uris = readTexts(value, 'redirect_uris')
  if (uris.length < 1 || uris.length > redirectsAtMost) {
    throw new DocumentFault(`redirect_uris must have 1 to ${redirectsAtMost} addresses`)
  }
  const fault = uris.map(findRedirectFault).find((found) => found !== null)
  if (fault) throw new DocumentFault(`one of redirect_uris ${fault}`)
  return [...new Set(uris)]
}

function readMethod(value: unknown = 'none'): MetadataClientDocument['tokenEndpointAuthMethod'] {
  if (value === 'none' || value === 'private_key_jwt') return value
  throw new DocumentFault('token_endpoint_auth_method must be none or private_key_jwt')
}

/** Ignores other grants: documents list the grants that the client uses at any server. No server gives a grant for its name. */
function readGrants(value: unknown = ['authorization_code']): MetadataClientDocument['grantTypes'] {
  const named = readTexts(value, 'grant_types')
  if (!named.includes('authorization_code')) throw new DocumentFault('grant_types must have authorization_code')
  return grantTypes.filter((known) => named.includes(known))
}

function readScope(value: unknown): string {
  const scopes = typeof value === 'string' ? parseScope(value) : null
  if (!scopes) throw new DocumentFault('scope must be scopes with a space between')
  return scopes.join(' ')
}

function readTexts(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new DocumentFault(`${name} must be a list of texts`)
}

/**
 * Returns the public keys of `private_key_jwt`. Ignores keys of unknown kinds and keys for encryption (RFC 7517 §5). Private
 * keys are invalid with each method, because the document is public.
 */
function readKeys(value: unknown, areNeeded: boolean): readonly JWK[] | null {
  if (value === undefined && !areNeeded) return null
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : null
  if (!Array.isArray(keys) || keys.length > keysAtMost || !keys.every((key) => typeof key === 'object' && key !== null))
    throw new DocumentFault(`jwks must have at most ${keysAtMost} keys`)
  if (keys.some(revealsSecret)) throw new DocumentFault('jwks must have no private key')
  const usable = keys.map(readKey).filter((key) => key !== null)
  if (!areNeeded) return null
  if (usable.length === 0) throw new DocumentFault('jwks must have a key of private_key_jwt')
  return usable
}

/** The members that select a key. */
const choosing = ['kid', 'alg', 'use'] as const
/** The curves of `clientAlgorithms`. RSA keys have no curve. */
const curves: readonly unknown[] = ['P-256', 'Ed25519', undefined]

function readKey(given: Members): JWK | null {
  const key = publicKeyOf(given)
  const chosen = choosing.filter((name) => given[name] !== undefined)
  if (!key || !curves.includes(key.crv) || !chosen.every((name) => typeof given[name] === 'string')) return null
  if (given.use !== undefined && given.use !== 'sig') return null
  return { ...key, ...Object.fromEntries(chosen.map((name) => [name, given[name]])) }
}
