/** The hash functions of a runtime: the same bytes from each, some of them faster. */
export interface Hashes {
  /** A text stands for its UTF-8 form, here and below. */
  sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer>
  /** In constant time; a digest of any other length than 32 is not. */
  isSha256Of(digest: Uint8Array, data: string | Uint8Array): boolean
  /** HMAC-SHA-256. */
  hmac(key: Uint8Array, data: string | Uint8Array): Uint8Array<ArrayBuffer>
  /** 32 bytes of HKDF-SHA-256, without salt. */
  hkdf(secret: Uint8Array, info: string): Uint8Array<ArrayBuffer>
}
