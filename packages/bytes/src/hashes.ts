/** The hash functions of a runtime. All implementations return the same bytes; some are faster. */
export interface Hashes {
  /** Text is hashed as UTF-8, here and below. */
  sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer>
  /** In constant time; `false` for a digest of another length than 32. */
  isSha256Of(digest: Uint8Array, data: string | Uint8Array): boolean
  /** HMAC-SHA-256. */
  hmac(key: Uint8Array, data: string | Uint8Array): Uint8Array<ArrayBuffer>
  /** 32 bytes of HKDF-SHA-256, without salt. */
  hkdf(secret: Uint8Array, info: string): Uint8Array<ArrayBuffer>
}
