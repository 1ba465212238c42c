import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { maxTokenLength } from './compact-token.ts'

type Hash = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'latin1') => string
type NodeCrypto = {
  hash?: Hash
  createSecretKey(bytes: Uint8Array): object
  createHmac(
    algorithm: 'sha256',
    key: object,
  ): { update(data: string, encoding: 'latin1'): { digest(): Uint8Array<ArrayBuffer> } }
}
type NodeBuffer = Uint8Array<ArrayBuffer> & { write(text: string, offset: number, encoding: 'latin1'): number }
type Builtins = { 'node:crypto': NodeCrypto; 'node:buffer': { Buffer: { alloc(size: number): NodeBuffer } } }

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined }
  | undefined

let loaded: NodeCrypto | null | undefined

/** Node's own functions where the runtime has them. Loaded by the first use and not by the import, which they would double. */
function nodeCrypto(): NodeCrypto | null {
  if (loaded === undefined) loaded = builtin('node:crypto')
  return loaded
}

function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | null {
  return (typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name)) ?? null
}

/** HMAC-SHA-256 of ASCII text. */
export type Hmac = (text: string) => Uint8Array

/** Gives a synchronous HMAC-SHA-256 where the runtime is Node.js or speaks its API, else `null`. */
export function createNativeHmac(bytes: Uint8Array): Hmac | null {
  const crypto = nodeCrypto()
  if (!crypto) return null
  const hmac = createObjectHmac(crypto, bytes)
  const { hash } = crypto
  const nodeBuffer = builtin('node:buffer')
  return hash && nodeBuffer ? createPaddedHmac(bytes, hash, nodeBuffer.Buffer.alloc, hmac) : hmac
}

/** The key is held as a KeyObject: handing the bytes over on each call costs several times the hash. */
function createObjectHmac({ createHmac, createSecretKey }: NodeCrypto, bytes: Uint8Array): Hmac {
  const key = createSecretKey(bytes)
  return (text) => createHmac('sha256', key).update(text, 'latin1').digest()
}

const blockLength = 64

/**
 * RFC 2104 over the runtime's hash of one call: H(K ⊕ opad, H(K ⊕ ipad, text)). An Hmac object for each token would cost
 * more than both hashes, and its clearing away later as much again.
 *
 * @param longer for texts that no token has.
 */
function createPaddedHmac(bytes: Uint8Array, hash: Hash, alloc: (size: number) => NodeBuffer, longer: Hmac): Hmac {
  const key = bytes.length > blockLength ? sha256(bytes) : bytes
  const inner = alloc(blockLength + maxTokenLength)
  const outer = alloc(blockLength + 32)
  for (let index = 0; index < blockLength; index++) {
    inner[index] = (key[index] ?? 0) ^ 0x36
    outer[index] = (key[index] ?? 0) ^ 0x5c
  }
  return (text) => {
    if (text.length > maxTokenLength) return longer(text)
    const end = blockLength + inner.write(text, blockLength, 'latin1')
    outer.write(hash('sha256', inner.subarray(0, end), 'latin1'), blockLength, 'latin1')
    return fromLatin1(hash('sha256', outer, 'latin1'))
  }
}

function fromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

/**
 * Gives the SHA-256 of a text's UTF-8 form as a text that serves as the key of a map. In one call where Node.js has it:
 * that is several times faster than bytes that are encoded afterwards.
 */
export function fingerprint(text: string): string {
  return nodeCrypto()?.hash?.('sha256', text, 'latin1') ?? encodeBase64url(sha256(text))
}
