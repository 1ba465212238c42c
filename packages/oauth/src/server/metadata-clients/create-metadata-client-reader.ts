import { createAddressReader } from '@latchkey/http'
import { type ClientIdRules, createClientIdCheck } from './client-id.ts'
import { createDocumentCache } from './document-cache.ts'
import { createDocumentTransport, type DocumentTransportOptions } from './document-transport.ts'
import { createFetchLimits } from './fetch-limits.ts'
import type { MetadataClientReader, MetadataClientReading } from './metadata-client-reader.ts'
import { orAbort } from './or-abort.ts'
import { readDocument } from './read-document.ts'

export interface MetadataClientReaderOptions extends ClientIdRules, DocumentTransportOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * Creates a reader. The creation starts no timer and no request, and loads no module of Node.js.
 *
 * @throws TypeError if an entry of `from` or `except` is not a host.
 */
export function createMetadataClientReader(options: MetadataClientReaderOptions): MetadataClientReader {
  const checkId = createClientIdCheck(options)
  const fetchDocument = createDocumentTransport(options)
  const takeFetch = createFetchLimits(options.now)
  const cache = createDocumentCache(options.now)
  const addresses = createAddressReader()
  const underWay = new Map<string, Promise<MetadataClientReading>>()

  async function fetchClient(id: string, from: Parameters<typeof fetchDocument>[0]): Promise<MetadataClientReading> {
    const answer = await fetchDocument(from)
    if (answer.kind !== 'document') return answer
    const read = readDocument(id, answer.text)
    if (read.client === null) {
      cache.delete(id)
      return { kind: 'invalid', reason: read.reason }
    }
    cache.set(read.client, answer.cacheControl)
    return { kind: 'client', client: read.client, fetched: true }
  }

  /** Is not async: of simultaneous readings of an id, the first starts the fetch and the others join. */
  function start(
    id: string,
    { address, fresh = false }: Parameters<MetadataClientReader['read']>[1],
  ): Promise<MetadataClientReading> | MetadataClientReading {
    const from = checkId(id)
    if (from.url === null) return { kind: 'refused', reason: from.reason }
    const known = fresh ? null : cache.get(id)
    if (known) return { kind: 'client', client: known, fetched: false }
    const others = underWay.get(id)
    if (others) return others.then((reading) => (reading.kind === 'client' ? { ...reading, fetched: false } : reading))
    const key = address === undefined ? '' : addresses.limitKey(address)
    const verdict = takeFetch({ id, host: from.url.hostname, address: key })
    if (!verdict.ok) return { kind: 'limited', retryAfterSeconds: verdict.retryAfterSeconds }
    const reading = fetchClient(id, from).finally(() => {
      underWay.delete(id)
      verdict.end()
    })
    underWay.set(id, reading)
    return reading
  }

  return {
    async read(id, asking) {
      asking.signal?.throwIfAborted()
      return orAbort(start(id, asking), asking.signal)
    },
  }
}
