import { hmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { HOTP, Secret } from 'otpauth/bare'

const stepMs = 30_000

/** Returns the time steps whose codes are right at a time, the earliest first. */
export function stepsAt(time: number, window: 0 | 1): readonly number[] {
  const current = Math.floor(time / stepMs)
  const steps = window === 0 ? [current] : [current - 1, current, current + 1]
  return steps.filter((step) => step >= 0)
}

/**
 * Returns the steps whose code this is. The code of each step is computed and compared in constant time, so a right
 * code takes as long as a wrong code.
 */
export function matchingSteps(secret: Uint8Array<ArrayBuffer>, code: string, steps: readonly number[]): number[] {
  const codeOf = createCodes(secret)
  return steps.filter((step) => isEqual(codeOf(step), code))
}

/** Looks at all characters. To compare them as bytes would cost as much as an HMAC, for turning texts into bytes. */
function isEqual(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

/** Returns the code of a step. The HMAC key is prepared once for all steps. */
function createCodes(bytes: Uint8Array<ArrayBuffer>): (step: number) => string {
  const keyed = hmac.create(sha1, bytes)
  const secret = new Secret({ buffer: bytes.buffer })
  const digest = (_algorithm: string, _key: Uint8Array, message: Uint8Array) => keyed.clone().update(message).digest()
  return (step) => HOTP.generate({ secret, algorithm: 'SHA1', digits: 6, counter: step, hmac: digest })
}
