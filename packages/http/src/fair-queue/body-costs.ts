import { isHttpError } from '../errors.ts'
import type { HttpRequest } from '../http-request.ts'

/** The time that Node.js takes for each byte of a body: to read, join and later collect it, while all requests wait. */
const byteMs = 0.000_005
/** The time that Node.js takes for a body that is not read completely: to read a part and close its connection. */
const brokenMs = 0.5
/** The largest part of a body that is counted, because the rest is not read. */
const countedBytes = 1_000_000

/** Returns the milliseconds for the announced body of a request; 0 without a body or without its length. */
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
