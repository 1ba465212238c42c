import type { HttpReply, SecurityHeaders } from '@latchkey/http'

export interface PlainReplyOptions {
  readonly status: number
  readonly text: string
  readonly headers?: HttpReply['headers']
}

/** Returns a reply of one line of text. */
export function plainReply(
  { security }: { readonly security: SecurityHeaders },
  { status, text, headers = [] }: PlainReplyOptions,
): HttpReply {
  const fixed = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'no-store'],
  ] as const
  return { status, headers: [...fixed, ...headers, ...security.api], body: text }
}

/** Returns the reply of a path that nothing answers. */
export function nothingHere(site: { readonly security: SecurityHeaders }): HttpReply {
  return plainReply(site, { status: 404, text: 'Not found.' })
}
