/** AES-256-GCM with a tag of 16 bytes (NIST SP 800-38D), which stands after the ciphertext. */
export interface Gcm {
  seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, context: Uint8Array): Promise<Uint8Array>
  /** Returns the plaintext, or `null` when the tag belongs to other bytes. */
  open(
    key: Uint8Array,
    nonce: Uint8Array,
    sealed: Uint8Array,
    context: Uint8Array,
  ): Promise<Uint8Array<ArrayBuffer> | null>
}

export const tagLength = 16
