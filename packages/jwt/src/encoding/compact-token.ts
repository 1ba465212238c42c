import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'

type NodeBytes = Uint8Array & { toString(encoding: 'base64url'): string }

type NodeBuffers = {
  from(text: string, encoding: 'base64url' | 'utf8'): NodeBytes
  from(memory: ArrayBufferLike, offset: number, length: number): NodeBytes
}

declare const process: { getBuiltinModule?(id: 'node:buffer'): { Buffer: NodeBuffers } | undefined } | undefined

/** Node.js has loaded this module already, so the import costs no time. */
const buffers = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:buffer')?.Buffer

/** The longest token that is verified or signed, in characters. */
export const maxTokenLength = 8192

/** The parts of a token, not verified yet. */
export interface CompactToken {
  readonly text: string
  /** The first segment, not decoded yet. */
  readonly header: string
  /** The signed part of the token: the first two segments as received (RFC 7515 §5.2). */
  readonly signingInput: string
  readonly payload: Uint8Array
  /** In canonical base64url: two texts are two signatures. */
  readonly signature: string
}

/** Base64url without padding, and with no bits set after the last byte. */
const canonical = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/

/**
 * Returns the parts of a token in the compact form (RFC 7515 §3.1), or `null` for another form, or when payload or
 * signature is not canonical base64url.
 */
export function parseCompactToken(text: string): CompactToken | null {
  const first = text.indexOf('.')
  const last = text.lastIndexOf('.')
  if (last <= first + 1) return null
  const payload = decodeSegment(text.slice(first + 1, last)) // refuses a third dot too
  const signature = text.slice(last + 1)
  if (!payload || signature === '' || !canonical.test(signature)) return null
  return { text, header: text.slice(0, first), signingInput: text.slice(0, last), payload, signature }
}

/**
 * Returns what `decodeBase64url` returns, in memory that may be shared: for bytes that are not kept. Node.js decodes
 * any spelling in half the time; encoding the bytes again finds out whether it was the canonical one.
 */
function decodeSegment(text: string): Uint8Array | null {
  if (!buffers) return decodeBase64url(text)
  const bytes = buffers.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

const encoder = new TextEncoder()

/** Returns the segment of a text. Node.js writes it in a fraction of the time. */
export function encodeSegment(text: string): string {
  return buffers ? buffers.from(text, 'utf8').toString('base64url') : encodeBase64url(encoder.encode(text))
}

/** Returns the bytes of a text, in memory that may be shared: for bytes that are not kept. */
export function encodeText(text: string): Uint8Array {
  return buffers ? buffers.from(text, 'utf8') : encoder.encode(text)
}

/** Returns the segment of a signature. */
export function encodeSignature(bytes: Uint8Array): string {
  if (!buffers) return encodeBase64url(bytes)
  return buffers.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url')
}
