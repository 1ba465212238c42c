/** Longer than any token that the `jwt` package accepts. */
const headerLimit = 8_300

/**
 * Returns the token of an `Authorization` header, or `null` unless the whole header is `Bearer` (in any case), spaces
 * and one `b64token` (RFC 6750 §2.1). Also `null` for another scheme, for two headers joined into one, and for more
 * than 8300 characters.
 *
 * @example
 * import { readBearer } from '@latchkey/http'
 * readBearer('Bearer abc.def') // 'abc.def'
 * readBearer('Bearer abc, Bearer def') // null
 */
export function readBearer(authorization: string | null | undefined): string | null {
  if (!authorization || authorization.length > headerLimit) return null
  return /^bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? null
}

/** Whether the header is meant to be a bearer token, valid or not. */
export function isBearerSent(authorization: string | null): boolean {
  return authorization !== null && /(?:^|,)\s*bearer(?![\w-])/i.test(authorization)
}

/** Whether the header is meant to be a token that is bound to a key, valid or not (RFC 9449 §7.1). */
export function isDpopSent(authorization: string | null): boolean {
  return authorization !== null && /(?:^|,)\s*dpop(?![\w-])/i.test(authorization)
}

/** Returns the token of an `Authorization` header of the scheme `DPoP`, by the same rules as `readBearer`. */
export function readDpop(authorization: string | null): string | null {
  if (!authorization || authorization.length > headerLimit) return null
  return /^dpop +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? null
}
