/**
 * Returns whether an ES256 signature is in DER (WebAuthn Level 3, section 6.5.5), which has one encoding for each
 * signature. The library's parser also accepts wrong lengths and trailing bytes.
 */
export function isDerSignature(signature: Uint8Array): boolean {
  if (signature[0] !== sequence || signature[1] !== signature.length - 2) return false
  return endOfInteger(signature, endOfInteger(signature, 2)) === signature.length
}

const sequence = 0x30
const integer = 0x02
/** A number of 32 bytes, and the zero before one whose first bit is set. */
const mostBytes = 33

/** Returns the end of the positive integer at `start`, or -1 if there is no integer in its shortest form. */
function endOfInteger(bytes: Uint8Array, start: number): number {
  const [tag, length = 0, first = 0, second = 0] = start < 0 ? [] : bytes.subarray(start, start + 4)
  if (tag !== integer || length < 1 || length > mostBytes || first > 127) return -1
  const isPadded = first === 0 && length > 1 && second < 128
  return isPadded ? -1 : start + 2 + length
}
