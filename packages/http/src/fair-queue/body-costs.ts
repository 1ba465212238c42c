import { isHttpError } from '../errors.ts'
import type { HttpRequest } from '../http-request.ts'

/** What Node.js does for each byte of a body: reading and joining it, and collecting it as garbage, for which all wait. */
const byteMs = 0.000_005
/** What it does for a body that is not read to its end: reading what there is of it, the end of its connection. */
const brokenMs = 0.5
/** Of what is longer nothing more is read. */
const countedBytes = 1_000_000

/** Returns the milliseconds of the body that a request announces; 0 where it announces none, or not how long it is. */
export function announcedMs(request: HttpRequest): number {
  const declared = declaredBytes(request)
  return declared > 0 ? byteMs * Math.min(declared, countedBytes) : 0
}

/** Returns the milliseconds of a body that has been read: as many bytes as it said, else as many as its text may have in UTF-8. */
export function readMs(request: HttpRequest, text: string): number {
  const declared = declaredBytes(request)
  return byteMs * (declared >= text.length ? declared : 3 * text.length)
}

/**
 * Returns the milliseconds of a body that was not read to its end. One that is too large, and did not say so, may be as long as
 * one that did.
 */
export function lostMs(request: HttpRequest, error: unknown): number {
  const announced = announcedMs(request)
  const isTooLarge = isHttpError(error) && error.code === 'HTTP_BODY_TOO_LARGE'
  return brokenMs + (announced === 0 && isTooLarge ? byteMs * countedBytes : announced)
}

function declaredBytes(request: HttpRequest): number {
  return Number(request.headers.get('content-length') ?? Number.NaN)
}
