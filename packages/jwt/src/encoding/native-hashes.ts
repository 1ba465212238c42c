import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { maxTokenLength } from './compact-token.ts'
import { builtin, type NodeBuffer, type NodeCrypto, nodeCrypto } from './node-crypto.ts'

/** HMAC-SHA-256 of ASCII text, as base64url. */
export type Hmac = (text: string) => string

/** Returns a synchronous HMAC-SHA-256, or `null` if the runtime lacks the API of Node.js. */
export function createNativeHmac(bytes: Uint8Array): Hmac | null {
  const crypto = nodeCrypto()
  if (!crypto) return null
  const hmac = createObjectHmac(crypto, bytes)
  const { hash } = crypto
  const nodeBuffer = builtin('node:buffer')
  return hash && nodeBuffer ? createPaddedHmac(bytes, hash, nodeBuffer.Buffer.alloc, hmac) : hmac
}

function createObjectHmac({ createHmac, createSecretKey }: NodeCrypto, bytes: Uint8Array): Hmac {
  const key = createSecretKey(bytes)
  return (text) => createHmac('sha256', key).update(text, 'latin1').digest('base64url')
}

const blockLength = 64

/**
 * RFC 2104 over the one-shot hash of the runtime: H(K ⊕ opad, H(K ⊕ ipad, text)). An Hmac object for each token costs
 * more than both hashes, and its garbage collection as much again.
 *
 * @param longer for texts that are longer than any token.
 */
function createPaddedHmac(
  bytes: Uint8Array,
  hash: NonNullable<NodeCrypto['hash']>,
  alloc: (size: number) => NodeBuffer,
  longer: Hmac,
): Hmac {
  const key = bytes.length > blockLength ? sha256(bytes) : bytes
  const inner = alloc(blockLength + maxTokenLength)
  const outer = alloc(blockLength + 32)
  const beginning = keepViews(inner)
  for (let index = 0; index < blockLength; index++) {
    inner[index] = (key[index] ?? 0) ^ 0x36
    outer[index] = (key[index] ?? 0) ^ 0x5c
  }
  return (text) => {
    if (text.length > maxTokenLength) return longer(text)
    const end = blockLength + inner.write(text, blockLength, 'latin1')
    outer.write(hash('sha256', beginning(end), 'latin1'), blockLength, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}

const keptViews = 64

/** Views of the beginning of a buffer, some of which are kept by their length: to make one costs a fifth of its hash. */
function keepViews(buffer: Uint8Array): (length: number) => Uint8Array {
  const views = new Array<Uint8Array>(keptViews).fill(buffer)
  return (length) => {
    const kept = views[length % keptViews]
    if (kept?.length === length) return kept
    const view = buffer.subarray(0, length)
    views[length % keptViews] = view
    return view
  }
}

/**
 * Returns the SHA-256 of a text as a string, to serve as the key of a map. The one-shot hash of Node.js is several
 * times faster than encoding the bytes afterwards.
 */
export function fingerprint(text: string): string {
  return nodeCrypto()?.hash?.('sha256', text, 'latin1') ?? encodeBase64url(sha256(text))
}
