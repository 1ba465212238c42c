/**
 * Why a token was refused: for the program and its log. A client is told no more than `invalid_token` (RFC 6750 §3.1).
 *
 * - `missing`: nothing was shown.
 * - `malformed`: no compact JWS in its one canonical spelling, over 8192 characters, a member twice, no JSON object.
 * - `unsupported`: the header has `crit`, `b64` or `zip`.
 * - `algorithm`: `alg` is not one of the pinned ones, or not the one of the key.
 * - `type`: `typ` is absent or another one.
 * - `key`: no key of that id and algorithm.
 * - `signature`: made by another key, or altered since.
 * - `claims`: a required claim is missing, or a claim has the wrong type (a time that is no integer, for example).
 * - `issuer`, `audience`: somebody else's token, or for somebody else.
 * - `expired`, `not-yet-valid`: outside its time; the latter also when issued in the future.
 * - `lifetime`: valid for longer than `maxLifetimeSeconds`, or not at all.
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
