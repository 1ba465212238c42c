import { decodeBase64url } from '@latchkey/bytes'

type NodeBuffers = {
  from(text: string, encoding: 'base64url'): Uint8Array & { toString(encoding: 'base64url'): string }
}

declare const process: { getBuiltinModule?(id: 'node:buffer'): { Buffer: NodeBuffers } | undefined } | undefined

/** Loaded in any case where there is one, so asking for it costs an import nothing. */
const buffers = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:buffer')?.Buffer

/**
 * Gives what `decodeBase64url` gives, for bytes that nobody keeps: they may lie in memory that others use as well. Node.js
 * decodes any spelling in half the time, and writes the one that is canonical: a text that comes back otherwise is refused.
 */
export function decodeSegment(text: string): Uint8Array | null {
  if (!buffers) return decodeBase64url(text)
  const bytes = buffers.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
