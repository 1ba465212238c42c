import { checkOptionNames } from '@latchkey/core/internal'
import { AccessError } from '../errors.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

export interface TrustedDocumentsOptions {
  readonly documents: TrustedDocuments
  readonly mode: 'only' | 'also'
  readonly publicMaxAgeSeconds?: number
}

/** @throws TypeError if the option is not valid. */
export function checkTrustedDocuments(options: TrustedDocumentsOptions | undefined): void {
  if (options === undefined) return
  const {
    documents,
    mode,
    publicMaxAgeSeconds = 1,
  } = checkOptionNames('"trustedDocuments"', options, {
    documents: true,
    mode: true,
    publicMaxAgeSeconds: true,
  })
  if (typeof documents?.get !== 'function')
    throw new TypeError('"trustedDocuments.documents" must come from createTrustedDocuments')
  if (mode !== 'only' && mode !== 'also') throw new TypeError('"trustedDocuments.mode" must be "only" or "also"')
  if (!Number.isInteger(publicMaxAgeSeconds) || publicMaxAgeSeconds < 1) {
    throw new TypeError('"trustedDocuments.publicMaxAgeSeconds" must be a whole number from 1')
  }
}

/** The members of a request that identify its document. */
export interface DocumentParams {
  readonly query?: unknown
  readonly documentId?: unknown
  readonly extensions?: unknown
}

export interface ChosenDocument {
  readonly query: string
  readonly isTrusted: boolean
}

/**
 * An Apollo hash without a document. The client then sends the text if it can read this error: Apollo iOS does not read
 * the body of an error status.
 */
export class UnknownHashError extends AccessError {}

/**
 * Returns the document of a request: its text, or the trusted document of its `documentId` or of the hash in
 * `extensions.persistedQuery`, as Apollo's clients send it.
 *
 * @throws AccessError `BAD_REQUEST`, `PERSISTED_QUERY_NOT_FOUND`, `PERSISTED_QUERY_NOT_SUPPORTED`,
 * `PERSISTED_QUERY_ONLY`
 */
export function chooseDocument(params: DocumentParams, trusted: TrustedDocumentsOptions | undefined): ChosenDocument {
  const { query } = params
  const isText = query !== undefined && query !== null
  const documentId = trusted || !isText ? idOf(params) : null
  if (!isText) return { query: lookUp(params, documentId, trusted), isTrusted: true }
  if (typeof query !== 'string') throw malformed('"query" must be a string.')
  if (documentId !== null) throw malformed('Send either "query" or "documentId", not both.')
  if (trusted?.mode === 'only') throw new AccessError('PERSISTED_QUERY_ONLY')
  return { query, isTrusted: false }
}

/** An empty id counts as absent. */
function idOf({ documentId }: DocumentParams): string | null {
  if (documentId === undefined || documentId === null || documentId === '') return null
  if (typeof documentId !== 'string') throw malformed('"documentId" must be a string.')
  return documentId
}

function lookUp(
  params: DocumentParams,
  documentId: string | null,
  trusted: TrustedDocumentsOptions | undefined,
): string {
  const ids = documentId === null ? hashesOf(params) : [documentId]
  if (ids.length === 0) throw malformed('"query" must be a string.')
  for (const id of ids) {
    const text = trusted?.documents.get(id)
    if (typeof text === 'string') return text
  }
  const code = trusted ? 'PERSISTED_QUERY_NOT_FOUND' : 'PERSISTED_QUERY_NOT_SUPPORTED'
  throw documentId === null ? new UnknownHashError(code) : new AccessError(code)
}

/** Manifests have the digest alone or after its algorithm. */
function hashesOf({ extensions }: DocumentParams): readonly string[] {
  const { persistedQuery } = (extensions ?? {}) as {
    readonly persistedQuery?: { readonly sha256Hash?: unknown } | null
  }
  const hash = persistedQuery?.sha256Hash
  return typeof hash === 'string' && hash !== '' ? [hash, `sha256:${hash}`] : []
}

function malformed(message: string): AccessError {
  return new AccessError('BAD_REQUEST', { message })
}
