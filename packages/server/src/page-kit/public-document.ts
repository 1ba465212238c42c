import { describeFailure } from '@latchkey/core/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { ServerEvent } from '../options/observe/server-event.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { nothingHere } from './plain-response.ts'

/** A document in JSON that is the same for all who ask. */
export interface PublicDocument {
  readonly during: Extract<ServerEvent, { type: 'service.failed' }>['during']
  readonly contentType: string
  readonly maxAgeSeconds: number
  /** Returns the document, or `null` if the service has none. */
  readonly read: (service: Service) => Promise<object | null> | object | null
}

/** Answers with a document. An outage is 503 and no empty document, which caches would keep. */
export async function answerDocument(
  request: HttpRequest,
  site: Site,
  { during, contentType, maxAgeSeconds, read }: PublicDocument,
): Promise<HttpResponse> {
  const { open, emit, security } = site
  try {
    const document = await read(await open())
    if (document === null) return nothingHere(site)
    const caching = ['Cache-Control', `public, max-age=${maxAgeSeconds}`] as const
    const body = JSON.stringify(document)
    return { status: 200, headers: [['Content-Type', contentType], caching, ...security.api], body }
  } catch (cause) {
    emit({
      type: 'service.failed',
      ...requestEventFields(request, site),
      during,
      failure: describeFailure(cause),
      cause,
    })
    const headers = [
      ['Cache-Control', 'no-store'],
      ['Retry-After', '5'],
    ] as const
    return { status: 503, headers: [...headers, ...security.api], body: null }
  }
}
