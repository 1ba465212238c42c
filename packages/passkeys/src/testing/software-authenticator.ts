import { encodeBase64url, randomBytes, sha256 } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { PasskeyAlgorithm } from '../algorithms.ts'
import { concatBytes, encodeCbor } from './encode-cbor.ts'
import { algorithmOf, createSigningKey, type SigningKey } from './signing-key.ts'

/** An authenticator and the browser before it, which answer with the JSON forms of WebAuthn. */
export interface SoftwareAuthenticator {
  /**
   * Makes a passkey, as `navigator.credentials.create` does.
   *
   * @throws Error `InvalidStateError` if it has an excluded passkey, `NotSupportedError` without a common algorithm.
   */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    /** Deviations from a real authenticator: each member makes the response invalid. */
    defects?: {
      readonly type?: string
      readonly challenge?: string
      readonly origin?: string
      readonly crossOrigin?: boolean
      readonly topOrigin?: string
      readonly rpId?: string
      readonly userPresent?: boolean
      readonly userVerified?: boolean
      readonly backupEligible?: boolean
      readonly backedUp?: boolean
      readonly counter?: number
      /** The credential id of the response and of the authenticator data: more than 1023 bytes are not valid. */
      readonly credentialId?: Uint8Array
      /** The credential id in the authenticator data alone. */
      readonly attestedId?: Uint8Array
      readonly rawId?: string
      /** `null`: none. */
      readonly userHandle?: string | null
      /** Signs something else. */
      readonly isForged?: boolean
      /** The public key that is registered, as COSE has it. */
      readonly publicKey?: ReadonlyMap<number, unknown>
      /** The form of the attestation, and its statement. */
      readonly attestation?: { readonly format: string; readonly statement: ReadonlyMap<string, unknown> }
      /**
       * Registers although `excludeCredentials` has one of its passkeys, and signs although `allowCredentials` has none
       * of them.
       */
      readonly ignoresLists?: boolean
      /** Signs with this passkey, which it must have. */
      readonly passkey?: string
    },
  ): Promise<RegistrationResponseJSON>
  /**
   * Signs in with its last allowed passkey, as `navigator.credentials.get` does.
   *
   * @throws Error `NotAllowedError` if it has no allowed passkey.
   */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    defects?: Parameters<SoftwareAuthenticator['create']>[1],
  ): Promise<AuthenticationResponseJSON>
}

type CeremonyDefects = NonNullable<Parameters<SoftwareAuthenticator['create']>[1]>

interface Held {
  readonly id: Uint8Array
  readonly rpId: string
  readonly userHandle: string
  readonly key: SigningKey
  counter: number
}

/**
 * Creates an authenticator in software, for tests: its passkeys are real, with keys of Web Crypto and user verification that
 * always succeeds, and live in its memory. It makes every defect that a server must refuse.
 *
 * @throws TypeError when an option is unknown.
 *
 * @example
 * import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
 * const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
 */
export function createSoftwareAuthenticator(options: {
  /** The origin of the page that the browser shows. */
  readonly origin: string
  /** @default the first offered algorithm */
  readonly algorithm?: 'ES256' | 'EdDSA' | 'RS256'
  /**
   * `packed`: the passkey itself signs its attestation.
   * @default 'none'
   */
  readonly attestation?: 'none' | 'packed'
  /**
   * The initial counter, which each sign-in increments. `null`: it stays zero, as for passkeys that sync.
   * @default null
   */
  readonly counter?: number | null
}): SoftwareAuthenticator {
  const names = { origin: true, algorithm: true, attestation: true, counter: true } as const
  const {
    origin,
    algorithm,
    attestation = 'none',
    counter = null,
  } = checkOptionNames('createSoftwareAuthenticator', options, names)
  const passkeys: Held[] = []

  return {
    async create(wanted, defects = {}) {
      if (!defects.ignoresLists && hasOneOf(passkeys, wanted.excludeCredentials)) throw failure('InvalidStateError')
      const key = await createSigningKey(algorithm ?? chooseAlgorithm(wanted))
      const rpId = wanted.rp.id ?? new URL(origin).hostname
      const id = defects.credentialId ?? randomBytes(32)
      const passkey: Held = { id, rpId, userHandle: wanted.user.id, key, counter: counter ?? 0 }
      const clientData = clientDataOf({ type: 'webauthn.create', challenge: wanted.challenge, origin }, defects)
      const authData = concatBytes(
        authenticatorData(passkey, { ...defects, isAttested: true }),
        attestedCredential(passkey, defects),
      )
      const statement = await attest(passkey, attestation, { authData, clientData, defects })
      passkeys.push(passkey)
      return {
        ...credentialOf(passkey, defects),
        response: {
          clientDataJSON: encodeBase64url(clientData),
          attestationObject: encodeBase64url(encodeCbor(statement)),
          transports: ['hybrid', 'internal'],
        },
      }
    },
    async get(wanted, defects = {}) {
      const passkey = choosePasskey(passkeys, wanted, defects)
      if (!passkey) throw failure('NotAllowedError')
      if (counter !== null) passkey.counter += 1
      const clientData = clientDataOf({ type: 'webauthn.get', challenge: wanted.challenge, origin }, defects)
      const authData = authenticatorData(passkey, defects)
      const signature = await signCeremony(passkey, { authData, clientData, defects })
      const userHandle = defects.userHandle === undefined ? passkey.userHandle : defects.userHandle
      return {
        ...credentialOf(passkey, defects),
        response: {
          clientDataJSON: encodeBase64url(clientData),
          authenticatorData: encodeBase64url(authData),
          signature: encodeBase64url(signature),
          ...(userHandle === null ? {} : { userHandle }),
        },
      }
    },
  }
}

function failure(name: 'InvalidStateError' | 'NotAllowedError' | 'NotSupportedError'): Error {
  return new DOMException('The authenticator cannot do this', name)
}

type Listed = readonly { readonly id: string }[] | undefined

function isListed({ id }: Held, list: Listed): boolean {
  return (list ?? []).some((listed) => listed.id === encodeBase64url(id))
}

function hasOneOf(passkeys: readonly Held[], list: Listed): boolean {
  return passkeys.some((passkey) => isListed(passkey, list))
}

function chooseAlgorithm({ pubKeyCredParams }: PublicKeyCredentialCreationOptionsJSON): PasskeyAlgorithm {
  const chosen = pubKeyCredParams.map(({ alg }) => algorithmOf(alg)).find((name) => name !== null)
  if (!chosen) throw failure('NotSupportedError')
  return chosen
}

function choosePasskey(
  passkeys: readonly Held[],
  { rpId, allowCredentials: allowed = [] }: PublicKeyCredentialRequestOptionsJSON,
  { ignoresLists, passkey: id }: CeremonyDefects,
): Held | undefined {
  const isWanted = (held: Held): boolean => id === undefined || encodeBase64url(held.id) === id
  const isAllowed = (held: Held): boolean => ignoresLists === true || allowed.length === 0 || isListed(held, allowed)
  return passkeys.findLast((held) => held.rpId === rpId && isWanted(held) && isAllowed(held))
}

function clientDataOf(
  honest: { readonly type: string; readonly challenge: string; readonly origin: string },
  { type, challenge, origin, crossOrigin = false, topOrigin }: CeremonyDefects,
): Uint8Array<ArrayBuffer> {
  const data = {
    type: type ?? honest.type,
    challenge: challenge ?? honest.challenge,
    origin: origin ?? honest.origin,
    crossOrigin,
    ...(topOrigin === undefined ? {} : { topOrigin }),
  }
  return new TextEncoder().encode(JSON.stringify(data))
}

function authenticatorData(
  { rpId, counter }: Held,
  defects: CeremonyDefects & { readonly isAttested?: boolean },
): Uint8Array<ArrayBuffer> {
  const {
    userPresent = true,
    userVerified = true,
    backupEligible = true,
    backedUp = true,
    isAttested = false,
  } = defects
  const flags = [userPresent, false, userVerified, backupEligible, backedUp, false, isAttested]
  const data = new Uint8Array(37)
  data.set(sha256(defects.rpId ?? rpId))
  data[32] = flags.reduce((bits, isSet, index) => bits | (Number(isSet) << index), 0)
  new DataView(data.buffer).setUint32(33, defects.counter ?? counter)
  return data
}

function attestedCredential({ id, key }: Held, { attestedId = id, publicKey }: CeremonyDefects): Uint8Array {
  const length = Uint8Array.of(attestedId.length >> 8, attestedId.length & 255)
  return concatBytes(new Uint8Array(16), length, attestedId, encodeCbor(publicKey ?? key.publicKey))
}

interface Signed {
  readonly authData: Uint8Array
  readonly clientData: Uint8Array
  readonly defects: CeremonyDefects
}

function signCeremony({ key }: Held, { authData, clientData, defects }: Signed): Promise<Uint8Array<ArrayBuffer>> {
  return key.sign(concatBytes(authData, defects.isForged ? new Uint8Array(32) : sha256(clientData)))
}

async function attest(passkey: Held, format: 'none' | 'packed', signed: Signed): Promise<ReadonlyMap<string, unknown>> {
  const { authData, defects } = signed
  const given = defects.attestation
  const packed = async () =>
    new Map<string, unknown>([
      ['alg', passkey.key.algorithm],
      ['sig', await signCeremony(passkey, signed)],
    ])
  const statement = given?.statement ?? (format === 'packed' ? await packed() : new Map<string, unknown>())
  return new Map<string, unknown>([
    ['fmt', given?.format ?? format],
    ['attStmt', statement],
    ['authData', authData],
  ])
}

function credentialOf({ id }: Held, { credentialId = id, rawId }: CeremonyDefects) {
  const text = encodeBase64url(credentialId)
  return {
    id: text,
    rawId: rawId ?? text,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  } as const
}
