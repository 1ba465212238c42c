/**
 * The reason of a refusal, for the program and its log. Send a client no more than `invalid_token` (RFC 6750 §3.1).
 *
 * - `missing`: no token was presented.
 * - `malformed`: not a compact JWS in canonical encoding, over 8192 characters, duplicate members, not a JSON object.
 * - `unsupported`: the header has `crit`, `b64` or `zip`.
 * - `algorithm`: `alg` is not accepted, or differs from the key's algorithm.
 * - `type`: `typ` is absent or different.
 * - `key`: no key of that id and algorithm.
 * - `signature`: made by another key, or the token was altered.
 * - `claims`: a required claim is missing, or a claim has the wrong type (a time that is not an integer, for example).
 * - `issuer`, `audience`: the token of another issuer, or for another audience (or for further audiences).
 * - `expired`, `not-yet-valid`: outside its validity; the latter also when issued in the future.
 * - `lifetime`: longer than `maxLifetimeSeconds`, or not positive.
 * - `denied`: on the deny list.
 */
export type JwtRefusal =
  | 'missing'
  | 'malformed'
  | 'unsupported'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'claims'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'lifetime'
  | 'denied'
