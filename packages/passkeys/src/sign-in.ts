import { decodeBase64url } from '@latchkey/bytes'
import type { Stored } from '@latchkey/store/internal'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { isCanonical, readCoseKey } from './algorithms.ts'
import { type AuthenticatorData, judgeAuthenticatorData, readAuthenticatorData } from './authenticator-data.ts'
import type { Ceremony } from './challenges.ts'
import { judgeClientData } from './client-data.ts'
import {
  type AllowedCredential,
  categoryOf,
  listPasskeys,
  type PasskeyValue,
  passkeyIdOf,
  passkeyKind,
  type StoredPasskey,
  toAllowed,
  toEnrolled,
} from './passkey.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeysContext } from './passkeys-context.ts'
import { type PresentedAssertion, readAssertion } from './presented-credential.ts'
import { type PasskeyVerdict, type Refused, refused, type UnsignedRefusal } from './verdicts.ts'

export async function startSignIn(
  context: PasskeysContext,
  { accountId = null, accountName = null, binding = null }: Parameters<Passkeys['startSignIn']>[0] = {},
): ReturnType<Passkeys['startSignIn']> {
  const { relyingParty, userVerification, challengeSeconds } = context
  const allowed = await allowedOf(context, accountId, accountName)
  const isOpen = accountId === null && accountName === null
  // A name without an account must fail like one whose passkey is not here: it is bound to an account that does not exist.
  const bound = isOpen ? null : (accountId ?? '')
  const begun = { ceremony: 'sign-in', accountId: bound, binding, userHandle: null } as const
  const challenge = await context.challenges.create(begun)
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge,
    allowCredentials: [...allowed],
    timeout: challengeSeconds * 1000,
    userVerification,
  })
  return { challenge: options.challenge, options }
}

async function allowedOf(
  { passkeys, accountSecrets }: PasskeysContext,
  accountId: string | null,
  accountName: string | null,
): Promise<readonly AllowedCredential[]> {
  if (accountId === null && accountName === null) return []
  // No account has an empty id: a name without one costs the same read.
  const found = await listPasskeys(passkeys, accountId ?? '')
  const decoy = accountName === null ? [] : [accountSecrets.decoyOf(accountName)]
  return found.length > 0 ? found.map(({ value }) => toAllowed(value)) : decoy
}

export async function finishSignIn(
  context: PasskeysContext,
  response: unknown,
  { challenge, binding = null }: Parameters<Passkeys['finishSignIn']>[1] = {},
): Promise<PasskeyVerdict> {
  const shown = readAssertion(response)
  if (!shown.ok) return shown
  const begun = await context.challenges.consume(shown.clientData.challenge, {
    ceremony: 'sign-in',
    binding,
    challenge,
  })
  if (!begun.ok) return begun
  const passkey = await context.passkeys.get(passkeyIdOf(shown.credentialId))
  if (!passkey) return refused('unknown-passkey')
  const verified = await verify(context, { shown, begun, passkey })
  if (!verified.ok) return verified
  return use(context, passkey, verified.data)
}

interface Assertion {
  readonly shown: PresentedAssertion
  readonly begun: Ceremony
  readonly passkey: StoredPasskey
}

type Verified = { readonly ok: true; readonly data: AuthenticatorData } | Refused

async function verify(context: PasskeysContext, assertion: Assertion): Promise<Verified> {
  const { relyingParty, userVerification } = context
  const { shown, passkey } = assertion
  const stranger = judgeOwner(assertion)
  if (stranger !== null) return refused(stranger)
  const foreign = judgeClientData(shown.clientData, { type: 'webauthn.get', relyingParty })
  if (foreign !== null) return refused(foreign)
  const data = readAuthenticatorData(bytesOf(shown.authenticatorData))
  if (!data) return refused('malformed')
  const unfit = judgeAuthenticatorData(data, { relyingPartyId: relyingParty.id, userVerification })
  if (unfit !== null) return refused(unfit)
  if (data.isBackupEligible !== passkey.value.backupEligible) return refused('backup')
  return (await isVerified(context, shown, passkey.value)) ? { ok: true, data } : refused('signature')
}

/**
 * Returns a refusal if the passkey belongs to another account, or if its user handle is required and missing or
 * different.
 */
function judgeOwner({ shown, begun, passkey }: Assertion): UnsignedRefusal | null {
  if (begun.accountId !== null && begun.accountId !== passkey.owner) return 'account'
  if (shown.userHandle === null) return begun.accountId === null ? 'user-handle' : null
  return shown.userHandle === passkey.value.userHandle ? null : 'user-handle'
}

/** The library's own verdict. Its messages quote the response, so they end here. */
async function isVerified(context: PasskeysContext, shown: PresentedAssertion, value: PasskeyValue): Promise<boolean> {
  const { relyingParty, userVerification } = context
  const { id, clientDataJSON, authenticatorData, signature } = shown
  const key = readCoseKey(bytesOf(value.publicKey))
  if (!key || !isCanonical(bytesOf(signature), key)) return false
  const response: AuthenticationResponseJSON = {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature },
    clientExtensionResults: {},
  }
  const result = verifyAuthenticationResponse({
    response,
    expectedChallenge: shown.clientData.challenge,
    expectedOrigin: [...relyingParty.origins],
    expectedRPID: relyingParty.id,
    // It would judge the counter before the signature, and a stranger who knows the id could have the owner warned.
    credential: { id: value.credentialId, publicKey: bytesOf(value.publicKey), counter: 0 },
    requireUserVerification: userVerification === 'required',
  })
  return result.then(
    ({ verified }) => verified,
    () => false,
  )
}

async function use(
  { passkeys, now }: PasskeysContext,
  { id, owner }: StoredPasskey,
  data: AuthenticatorData,
): Promise<PasskeyVerdict> {
  const at = now()
  const seen = { isCounterBack: false }
  const used = await passkeys.update(id, ({ value }) => {
    seen.isCounterBack = isCounterBack(value.counter, data.counter)
    return seen.isCounterBack ? null : toUsed(value, data, at)
  })
  const accountId = owner ?? ''
  if (!used)
    return seen.isCounterBack ? { ...refused('counter'), accountId, passkeyId: id } : refused('unknown-passkey')
  const proof = { kind: passkeyKind, at, category: categoryOf(data.isUserVerified) }
  return { ok: true, accountId, passkey: toEnrolled(used), proof }
}

/**
 * Returns whether the counter did not rise. Two zeros are accepted: authenticators that sync do not count (WebAuthn
 * Level 3, section 6.1.1).
 */
function isCounterBack(stored: number, shown: number): boolean {
  return (stored > 0 || shown > 0) && shown <= stored
}

function toUsed(value: Stored<PasskeyValue>, data: AuthenticatorData, at: number): Stored<PasskeyValue> {
  return {
    ...value,
    counter: data.counter,
    backedUp: data.isBackedUp,
    userVerified: data.isUserVerified,
    lastUsedAt: Math.max(at, value.lastUsedAt ?? 0),
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64url(text) ?? new Uint8Array()
}
