import type { EnrolledPasskey, FactorProof } from '@latchkey/store'

/** The result of a sign-in. */
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
       * The reason of the refusal. No passkey was stored, and no credential may be issued:
       * - `malformed`: no response of WebAuthn in its JSON form, or members that no client sends.
       * - `challenge`: unknown, expired, used before, or not the expected challenge.
       * - `ceremony`: the challenge was made for the other ceremony, or the client signed for it.
       * - `binding`: another session started the ceremony.
       * - `account`: the challenge, or the passkey, belongs to another account.
       * - `origin`: the origin of the page does not belong to the relying party.
       * - `cross-origin`: the page was embedded in a page of another origin.
       * - `relying-party`: the authenticator signed for another relying party.
       * - `user-presence`: without the touch of a user.
       * - `user-verification`: without a PIN, fingerprint or face, although the policy requires it.
       * - `backup`: the flags contradict each other, or the registration.
       * - `credential-id`: `id` and `rawId` differ, the attested id is another, or it is longer than 1023 bytes.
       * - `algorithm`: it was not offered, or the key does not fit it.
       * - `attestation`: its form is not accepted, or it does not verify.
       * - `signature`: it does not verify.
       * - `user-handle`: it is missing, or belongs to another passkey.
       * - `unknown-passkey`: not registered, or removed.
       * - `already-registered`: by this account or another account.
       * - `limit`: the account has 20 passkeys.
       * - `name`: it does not have 1 to 64 characters, or some of them cannot be shown.
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
       * The passkey has signed, but its counter did not rise, so a copy of the authenticator may exist: warn the owner. The
       * passkey is accepted again with a higher counter.
       */
      readonly reason: 'counter'
      readonly accountId: string
      readonly passkeyId: string
    }

/** The result of a registration. */
export type RegistrationVerdict =
  | { readonly ok: true; readonly passkey: EnrolledPasskey; readonly proof: FactorProof }
  | Exclude<PasskeyVerdict, { readonly ok: true } | { readonly reason: 'counter' }>

type Refusal = Extract<PasskeyVerdict, { readonly ok: false }>['reason']

/** The reasons for which every ceremony may be refused. The counter is checked last, after the signature. */
export type UnsignedRefusal = Exclude<Refusal, 'counter'>

/** A refusal of a ceremony. */
export interface Refused<Reason extends Refusal = UnsignedRefusal> {
  readonly ok: false
  readonly reason: Reason
}

export function refused<const Reason extends Refusal>(reason: Reason): Refused<Reason> {
  return { ok: false, reason }
}
