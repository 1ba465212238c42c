import type { MetadataClientDocument } from './metadata-client-reader.ts'

/** Valid documents in memory. */
export interface DocumentCache {
  get(id: string): MetadataClientDocument | null
  /** Keeps a document for the time in `Cache-Control`. Replaces an older document. */
  set(client: MetadataClientDocument, cacheControl: string): void
  delete(id: string): void
}

const entriesAtMost = 1000
const shortestSeconds = 60
const longestSeconds = 86_400
const defaultSeconds = 300

/** Creates a cache. A full cache removes the least recently used document. */
export function createDocumentCache(now: () => number): DocumentCache {
  const kept = new Map<string, { readonly client: MetadataClientDocument; readonly at: number; readonly ms: number }>()
  return {
    get(id) {
      const known = kept.get(id)
      kept.delete(id)
      // In both directions: a clock set back does not extend the age of a document.
      if (!known || Math.abs(now() - known.at) >= known.ms) return null
      kept.set(id, known)
      return known.client
    },
    set(client, cacheControl) {
      kept.delete(client.clientId)
      const seconds = secondsToKeep(cacheControl)
      if (seconds === 0) return
      kept.set(client.clientId, { client, at: now(), ms: seconds * 1000 })
      const [oldest] = kept.keys()
      if (kept.size > entriesAtMost && oldest !== undefined) kept.delete(oldest)
    },
    delete: (id) => void kept.delete(id),
  }
}

/** Returns the seconds in `Cache-Control` (RFC 9111 §5.2.2): the shortest of several ages, 0 for `no-store`. */
function secondsToKeep(cacheControl: string): number {
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
  if (directives.some((directive) => /^no-store(?:$|=)/.test(directive))) return 0
  const ages = directives.flatMap((directive) => /^max-age="?(\d+)"?$/.exec(directive)?.[1] ?? []).map(Number)
  if (directives.some((directive) => /^no-cache(?:$|=)/.test(directive))) ages.push(0)
  const seconds = ages.length === 0 ? defaultSeconds : Math.min(...ages)
  return Math.min(Math.max(seconds, shortestSeconds), longestSeconds)
}
