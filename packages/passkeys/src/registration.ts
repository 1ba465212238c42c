import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import { overtaken, untilFirst } from '@latchkey/store/internal'
import {
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { isKeyOf, passkeyAlgorithms, readCoseKey } from './algorithms.ts'
import {
  type AttestedData,
  type AuthenticatorData,
  isAttested,
  judgeAuthenticatorData,
  readAttestationObject,
} from './authenticator-data.ts'
import { judgeClientData } from './client-data.ts'
import {
  categoryOf,
  listPasskeys,
  type PasskeyValue,
  passkeyIdOf,
  passkeyKind,
  toAllowed,
  toEnrolled,
} from './passkey.ts'
import { readPasskeyName } from './passkey-name.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeysContext } from './passkeys-context.ts'
import { type PresentedAttestation, readAttestation } from './presented-credential.ts'
import { type Refused, type RegistrationVerdict, refused, type UnsignedRefusal } from './verdicts.ts'

/** An account with more cannot tell them apart, and each of them opens it. */
const mostPasskeys = 20

export async function startRegistration(
  context: PasskeysContext,
  account: Parameters<Passkeys['startRegistration']>[0],
  { binding = null }: Parameters<Passkeys['startRegistration']>[1] = {},
): ReturnType<Passkeys['startRegistration']> {
  const { relyingParty, algorithms, userVerification, challengeSeconds } = context
  const passkeys = await listPasskeys(context.passkeys, account.id)
  // The handle of the first passkey stays, also under other secrets: authenticators keep one passkey for each handle.
  const userHandle = passkeys[0]?.value.userHandle ?? context.accountSecrets.userHandleOf(account.id)
  const begun = { ceremony: 'registration', accountId: account.id, binding, userHandle } as const
  const challenge = await context.challenges.create(begun)
  const options = await generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    userID: bytesOf(userHandle),
    userName: account.name,
    userDisplayName: account.displayName,
    challenge,
    timeout: challengeSeconds * 1000,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ value }) => toAllowed(value)),
    authenticatorSelection: { residentKey: 'required', userVerification },
    supportedAlgorithmIDs: algorithms.map((name) => passkeyAlgorithms[name].cose),
  })
  return { challenge: options.challenge, options }
}

export async function finishRegistration(
  context: PasskeysContext,
  accountId: string,
  response: unknown,
  options: Parameters<Passkeys['finishRegistration']>[2],
): Promise<RegistrationVerdict> {
  const { challenge, binding = null, beforeActivation } = options
  const name = readPasskeyName(options.name)
  if (name === null) return refused('name')
  const shown = readAttestation(response)
  if (!shown.ok) return shown
  const expected = { ceremony: 'registration', accountId, binding, challenge } as const
  const begun = await context.challenges.consume(shown.clientData.challenge, expected)
  if (!begun.ok) return begun
  const verified = await verify(context, shown)
  if (!verified.ok) return verified
  const at = context.now()
  const value = toValue(shown, verified.data, { name, userHandle: begun.userHandle ?? '', createdAt: at })
  const id = passkeyIdOf(shown.credentialId)
  const refusal = await activate(context, { id, accountId, value, beforeActivation })
  if (refusal !== null) return refused(refusal)
  const proof = { kind: passkeyKind, at, category: categoryOf(value.userVerified) }
  return { ok: true, passkey: toEnrolled({ id, value }), proof }
}

type Verified = { readonly ok: true; readonly data: AuthenticatorData } | Refused

async function verify(context: PasskeysContext, shown: PresentedAttestation): Promise<Verified> {
  const { relyingParty, userVerification } = context
  const foreign = judgeClientData(shown.clientData, { type: 'webauthn.create', relyingParty })
  if (foreign !== null) return refused(foreign)
  const object = readAttestationObject(bytesOf(shown.attestationObject))
  if (!object?.data.attested) return refused('malformed')
  const unfit = judgeAuthenticatorData(object.data, { relyingPartyId: relyingParty.id, userVerification })
  if (unfit !== null) return refused(unfit)
  if (!isAttested(shown.credentialId, object.data)) return refused('credential-id')
  const unproven = await judgeKey(context, object)
  if (unproven !== null) return refused(unproven)
  return (await isVerified(context, shown)) ? { ok: true, data: object.data } : refused('attestation')
}

async function judgeKey({ algorithms }: PasskeysContext, object: AttestedData): Promise<UnsignedRefusal | null> {
  const key = readCoseKey(object.data.attested?.publicKey ?? new Uint8Array())
  if (key === null) return 'malformed'
  if (!(await isKeyOf(algorithms, key))) return 'algorithm'
  return object.isAccepted ? null : 'attestation'
}

/** The library's own verdict. Its messages quote the response, so they end here. */
async function isVerified(context: PasskeysContext, shown: PresentedAttestation): Promise<boolean> {
  const { relyingParty, userVerification, algorithms } = context
  const response: RegistrationResponseJSON = {
    id: shown.id,
    rawId: shown.id,
    type: 'public-key',
    response: { clientDataJSON: shown.clientDataJSON, attestationObject: shown.attestationObject },
    clientExtensionResults: {},
  }
  const result = verifyRegistrationResponse({
    response,
    expectedChallenge: shown.clientData.challenge,
    expectedOrigin: [...relyingParty.origins],
    expectedRPID: relyingParty.id,
    requireUserVerification: userVerification === 'required',
    supportedAlgorithmIDs: algorithms.map((name) => passkeyAlgorithms[name].cose),
  })
  return result.then(
    ({ verified }) => verified,
    () => false,
  )
}

interface Activation {
  readonly id: string
  readonly accountId: string
  readonly value: PasskeyValue
  readonly beforeActivation: (() => Promise<boolean>) | undefined
}

async function activate(context: PasskeysContext, activation: Activation): Promise<UnsignedRefusal | null> {
  const { passkeys } = context
  const { id, accountId, beforeActivation } = activation
  if ((await passkeys.ownerOf(id)) !== undefined) return 'already-registered'
  if ((await passkeys.listByOwner(accountId)).length >= mostPasskeys) return 'limit'
  if (beforeActivation && (await beforeActivation()) !== true) return 'not-activated'
  return store(context, activation).catch(async (error: unknown) => {
    // The passkey may be stored all the same. The owner is not told of it, so it must not sign in.
    await takeBack(context, activation).catch(() => undefined)
    throw error
  })
}

async function store(
  { passkeys }: PasskeysContext,
  { id, accountId, value }: Activation,
): Promise<UnsignedRefusal | null> {
  if (!(await passkeys.insert(id, accountId, value))) return 'already-registered'
  // Registrations at the same moment have all seen room for one: who finds too many now takes back the own one.
  if ((await passkeys.listByOwner(accountId)).length <= mostPasskeys) return null
  await passkeys.remove(id)
  return 'limit'
}

/** Removes the passkey of this registration: another passkey under the same id has another owner, key or time. */
async function takeBack({ passkeys }: PasskeysContext, { id, accountId, value }: Activation): Promise<void> {
  await untilFirst(async () => {
    const found = await passkeys.get(id)
    if (found?.owner !== accountId) return null
    const { publicKey, createdAt } = found.value
    const isOwn = publicKey === value.publicKey && createdAt === value.createdAt
    return isOwn && !(await passkeys.removeVersion(found)) ? overtaken : null
  })
}

function toValue(
  { id, transports }: PresentedAttestation,
  data: AuthenticatorData,
  given: Pick<PasskeyValue, 'name' | 'userHandle' | 'createdAt'>,
): PasskeyValue {
  return {
    credentialId: id,
    publicKey: encodeBase64url(data.attested?.publicKey ?? new Uint8Array()),
    userHandle: given.userHandle,
    counter: data.counter,
    transports,
    name: given.name,
    backupEligible: data.isBackupEligible,
    backedUp: data.isBackedUp,
    userVerified: data.isUserVerified,
    createdAt: given.createdAt,
    lastUsedAt: null,
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64url(text) ?? new Uint8Array()
}
