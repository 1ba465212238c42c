/** Returns 256 random bits in base64url. */
export function randomText(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** Returns bytes in base64url. */
export function toBase64url(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(
    /[+/=]/g,
    (sign) => ({ '+': '-', '/': '_' })[sign] ?? '',
  )
}
