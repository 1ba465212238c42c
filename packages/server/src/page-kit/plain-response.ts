import type { HttpResponse, SecurityHeaders } from '@latchkey/http'

export interface PlainResponseOptions {
  readonly status: number
  readonly text: string
  readonly headers?: HttpResponse['headers']
}

/** Returns a response of one line of text. */
export function plainResponse(
  { security }: { readonly security: SecurityHeaders },
  { status, text, headers = [] }: PlainResponseOptions,
): HttpResponse {
  const fixed = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'no-store'],
  ] as const
  return { status, headers: [...fixed, ...headers, ...security.api], body: text }
}

/** Returns the 404 response for an unknown path. */
export function nothingHere(site: { readonly security: SecurityHeaders }): HttpResponse {
  return plainResponse(site, { status: 404, text: 'Not found.' })
}
