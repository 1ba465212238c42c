import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { equalBytes } from './equal-bytes.ts'
import type { Hashes } from './hashes.ts'

/** For every runtime: the package's `imports` choose it where `node:crypto` is not available. */
export const hashes: Hashes = {
  sha256: (data) => sha256(toBytes(data)),
  isSha256Of: (digest, data) => equalBytes(digest, sha256(toBytes(data))),
  hmac: (key, data) => hmac(sha256, key, toBytes(data)),
  hkdf: (secret, info) => hkdf(sha256, secret, undefined, toBytes(info), 32),
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? utf8ToBytes(data) : data
}
