/**
 * Returns the CBOR of a value (RFC 8949), in the order of the map.
 *
 * @throws TypeError for values other than whole numbers, bytes, text and maps, which authenticators do not encode.
 */
export function encodeCbor(value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return withBytes(3, new TextEncoder().encode(value))
  if (value instanceof Uint8Array) return withBytes(2, value)
  if (!(value instanceof Map)) throw new TypeError('an authenticator encodes no such value')
  return concatBytes(
    head(5, value.size),
    ...[...value].flatMap(([name, member]) => [encodeCbor(name), encodeCbor(member)]),
  )
}

/** Returns the parts as one. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

function withBytes(major: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatBytes(head(major, bytes.length), bytes)
}

function head(major: number, argument: number): Uint8Array<ArrayBuffer> {
  const type = major << 5
  if (argument < 24) return Uint8Array.of(type | argument)
  if (argument < 256) return Uint8Array.of(type | 24, argument)
  return Uint8Array.of(type | 25, argument >> 8, argument & 255)
}
