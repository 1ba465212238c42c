import { sha256 } from '@latchkey/bytes'

/** The documents that clients may request by id. A `Map` implements it. */
export interface TrustedDocuments {
  /** Returns the text of a document; `null` or `undefined` if the id is unknown. */
  get(id: string): string | null | undefined
}

/**
 * Creates trusted documents from manifests. Each is found by its id and by `sha256:` with the SHA-256 of its text in
 * hexadecimal (the draft of the appendix on persisted documents of GraphQL over HTTP).
 *
 * @param manifests the parsed JSON of `persisted-documents.json` (GraphQL Code Generator), `persisted_queries.json`
 * (Relay) or `persisted-query-manifest.json` (Apollo). Several are joined.
 * @throws TypeError if a manifest is not valid, if an id has two texts, or if an id is not the SHA-256 of its text.
 *
 * @example
 * import { createTrustedDocuments } from '@latchkey/graphql'
 * const documents = createTrustedDocuments({ '8f2a': 'query Hello { hello }' })
 * documents.get('8f2a') // 'query Hello { hello }'
 * documents.get('sha256:…') // the same, by the digest of the text
 */
export function createTrustedDocuments(
  ...manifests: (
    | Readonly<Record<string, string>>
    | { readonly operations: readonly { readonly id: string; readonly body: string }[] }
  )[]
): TrustedDocuments {
  const documents = new Map<string, string>()
  const add = (id: string, text: string): void => {
    if ((documents.get(id) ?? text) !== text) throw new TypeError(`"manifests" has two documents of the id "${id}"`)
    documents.set(id, text)
  }
  for (const [id, text] of manifests.flatMap(entriesOf)) {
    if (id === '') throw new TypeError('"manifests" has a document with an empty id')
    if (typeof text !== 'string' || text.trim() === '') throw new TypeError(`"manifests": "${id}" must be a document`)
    const digest = digestOf(text)
    if (id.startsWith('sha256:') && id !== digest)
      throw new TypeError(`"manifests": "${id}" is not the SHA-256 of its document`)
    add(id, text)
    add(digest, text)
  }
  return { get: (id) => documents.get(id) ?? null }
}

function entriesOf(manifest: { readonly operations?: unknown }): readonly (readonly [id: string, text: unknown])[] {
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) {
    throw new TypeError('"manifests" must be objects of ids and documents')
  }
  const { operations } = manifest
  if (!Array.isArray(operations)) return Object.entries(manifest)
  return operations.map((operation: { readonly id?: unknown; readonly body?: unknown } | null) => [
    typeof operation?.id === 'string' ? operation.id : '',
    operation?.body,
  ])
}

function digestOf(text: string): string {
  return `sha256:${Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
