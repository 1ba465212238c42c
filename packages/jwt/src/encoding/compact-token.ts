import { decodeBase64url } from '@latchkey/bytes'

type NodeBuffers = {
  from(text: string, encoding: 'base64url'): Uint8Array & { toString(encoding: 'base64url'): string }
}

declare const process: { getBuiltinModule?(id: 'node:buffer'): { Buffer: NodeBuffers } | undefined } | undefined

/** Loaded in any case where there is one, so asking for it costs an import nothing. */
const buffers = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:buffer')?.Buffer

/** The longest token that is looked at or made, in characters. */
export const maxTokenLength = 8192

/** A token taken apart, nothing of it believed yet. */
export interface CompactToken {
  readonly text: string
  /** The first segment, not decoded yet. */
  readonly header: string
  /** What the signature is over: the first two segments as they were sent (RFC 7515 §5.2). */
  readonly signingInput: string
  readonly payload: Uint8Array
  readonly signature: Uint8Array
}

/**
 * Gives the parts of a token in the compact form (RFC 7515 §3.1), or `null` when it has another form, or payload or
 * signature is not the one canonical base64url spelling of its bytes.
 */
export function parseCompactToken(text: string): CompactToken | null {
  const first = text.indexOf('.')
  const last = text.lastIndexOf('.')
  if (last <= first + 1) return null
  const payload = decodeSegment(text.slice(first + 1, last)) // a third dot is none of its characters
  const signature = decodeSegment(text.slice(last + 1))
  if (!payload || !signature?.length) return null
  return { text, header: text.slice(0, first), signingInput: text.slice(0, last), payload, signature }
}

/**
 * Gives what `decodeBase64url` gives, for bytes that nobody keeps: they may lie in memory that others use as well. Node.js
 * decodes any spelling in half the time, and writes the one that is canonical: a text that comes back otherwise is refused.
 */
function decodeSegment(text: string): Uint8Array | null {
  if (!buffers) return decodeBase64url(text)
  const bytes = buffers.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
