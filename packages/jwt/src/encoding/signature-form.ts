/** The length of each of the two numbers on P-256. */
const numberLength = 32
const [sequence, integer] = [0x30, 0x02]

/**
 * Converts a P-256 signature from the form of X.509, two integers in DER (RFC 3279 §2.2.3), to the form of JOSE, two
 * numbers of 32 bytes (RFC 7518 §3.4). DER omits leading zeros and adds a zero before a set first bit. Only for own
 * signatures: received signatures are verified in the form in which they came.
 *
 * @throws TypeError if the bytes are not a DER signature.
 */
export function joseSignature(der: Uint8Array): Uint8Array {
  const signature = new Uint8Array(2 * numberLength)
  const second = writeNumber(signature, 0, der, 2)
  const end = writeNumber(signature, numberLength, der, second)
  if (der[0] !== sequence || der[1] !== end - 2 || end !== der.length) throw new TypeError('not a signature in DER')
  return signature
}

/** Writes the integer at `from` as a number of 32 bytes to `at`, and returns the end of the integer. */
function writeNumber(signature: Uint8Array, at: number, der: Uint8Array, from: number): number {
  const length = der[from + 1] ?? 0
  const end = from + 2 + length
  const start = Math.max(from + 2, end - numberLength)
  if (der[from] !== integer || end > der.length) throw new TypeError('not a signature in DER')
  signature.set(der.subarray(start, end), at + numberLength - (end - start))
  return end
}
