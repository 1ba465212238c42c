import type { EnrolledPasskey, FactorProof } from '@latchkey/store'

/** What came of a sign-in. */
export type PasskeyVerdict =
  | {
      readonly ok: true
      readonly accountId: string
      readonly passkey: EnrolledPasskey
      readonly proof: FactorProof
    }
  | {
      readonly ok: false
      /**
       * Nothing was stored, and no credential may be issued:
       * - `malformed`: no response of WebAuthn in its JSON form, or one with members that no client sends.
       * - `challenge`: unknown, expired, used before, or not the one that was expected.
       * - `ceremony`: the challenge was made for the other ceremony, or the client signed for it.
       * - `binding`: the ceremony was begun in another session.
       * - `account`: the challenge, or the passkey, belongs to another account.
       * - `origin`: the page is not one of the relying party.
       * - `cross-origin`: the page was embedded in one of another origin.
       * - `relying-party`: the authenticator signed for another relying party.
       * - `user-presence`: without the touch of a user.
       * - `user-verification`: without a PIN, fingerprint or face, and the policy requires one.
       * - `backup`: the flags contradict each other, or the registration.
       * - `credential-id`: `id` and `rawId` differ, it is not the one that was attested, or it is longer than 1023 bytes.
       * - `algorithm`: it was not offered, or the key is none of it.
       * - `attestation`: a form that is not accepted, or that does not verify.
       * - `signature`: it does not verify.
       * - `user-handle`: it is missing, or not that of the passkey.
       * - `unknown-passkey`: not registered, or removed.
       * - `already-registered`: with this account or another one.
       * - `limit`: the account has 20 passkeys.
       * - `name`: it has not 1 to 64 characters, or characters that cannot be shown.
       * - `not-activated`: `beforeActivation` resolved to `false`.
       */
      readonly reason:
        | 'malformed'
        | 'challenge'
        | 'ceremony'
        | 'binding'
        | 'account'
        | 'origin'
        | 'cross-origin'
        | 'relying-party'
        | 'user-presence'
        | 'user-verification'
        | 'backup'
        | 'credential-id'
        | 'algorithm'
        | 'attestation'
        | 'signature'
        | 'user-handle'
        | 'unknown-passkey'
        | 'already-registered'
        | 'limit'
        | 'name'
        | 'not-activated'
    }
  | {
      readonly ok: false
      /**
       * The passkey did sign, and its counter went back, so that a copy of the authenticator may exist: tell the owner. It works
       * on with a higher one.
       */
      readonly reason: 'counter'
      readonly accountId: string
      readonly passkeyId: string
    }

/** What came of a registration. */
export type RegistrationVerdict =
  | { readonly ok: true; readonly passkey: EnrolledPasskey; readonly proof: FactorProof }
  | Exclude<PasskeyVerdict, { readonly ok: true } | { readonly reason: 'counter' }>

type Refusal = Extract<PasskeyVerdict, { readonly ok: false }>['reason']

/** Why every ceremony may be refused. The counter is judged last, and only of who has signed. */
export type UnsignedRefusal = Exclude<Refusal, 'counter'>

/** A ceremony that was refused. */
export interface Refused<Reason extends Refusal = UnsignedRefusal> {
  readonly ok: false
  readonly reason: Reason
}

export function refused<const Reason extends Refusal>(reason: Reason): Refused<Reason> {
  return { ok: false, reason }
}
