import { decodeBase64url } from '@latchkey/bytes'
import { type ClientData, readClientData } from './client-data.ts'
import { type Refused, refused } from './verdicts.ts'

/** The common part of both responses of a client. */
interface PresentedCredential {
  readonly ok: true
  readonly id: string
  readonly credentialId: Uint8Array<ArrayBuffer>
  readonly clientDataJSON: string
  readonly clientData: ClientData
}

/** The response to a registration. */
export interface PresentedAttestation extends PresentedCredential {
  readonly attestationObject: string
  readonly transports: readonly string[]
}

/** The response to a sign-in. */
export interface PresentedAssertion extends PresentedCredential {
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle: string | null
}

/** No response of a client is larger: the longest has a credential id of 1023 bytes, an RSA key and extensions. */
const mostCharacters = 32_768
const mostCredentialIdBytes = 1023

type Members = Readonly<Record<string, unknown>>

/** Returns a response to a registration, from its JSON form or the text of it. */
export function readAttestation(response: unknown): PresentedAttestation | Refused {
  return read(response, (shown, members) => {
    const attestationObject = base64urlAt(members, 'attestationObject')
    if (attestationObject === null) return refused('malformed')
    return { ...shown, attestationObject, transports: readTransports(members.transports) }
  })
}

/** Returns a response to a sign-in, from its JSON form or the text of it. */
export function readAssertion(response: unknown): PresentedAssertion | Refused {
  return read(response, (shown, members) => {
    const authenticatorData = base64urlAt(members, 'authenticatorData')
    const signature = base64urlAt(members, 'signature')
    const isAbsent = isAbsentHandle(members.userHandle)
    const userHandle = isAbsent ? null : base64urlAt(members, 'userHandle')
    if (authenticatorData === null || signature === null || isAbsent !== (userHandle === null))
      return refused('malformed')
    return { ...shown, authenticatorData, signature, userHandle }
  })
}

/** Returns the response, or `malformed` if it cannot be read. Hostile input never throws. */
function read<Shown extends PresentedCredential>(
  response: unknown,
  readMembers: (shown: PresentedCredential, members: Members) => Shown | Refused,
): Shown | Refused {
  try {
    const credential = toMembers(typeof response === 'string' ? parse(response) : response)
    const members = toMembers(credential?.response)
    if (!credential || !members) return refused('malformed')
    const shown = readCredential(credential, members)
    return shown.ok ? readMembers(shown, members) : shown
  } catch {
    return refused('malformed')
  }
}

function readCredential({ id, rawId, type }: Members, members: Members): PresentedCredential | Refused {
  const clientDataJSON = base64urlAt(members, 'clientDataJSON')
  const clientData = clientDataJSON === null ? null : readClientData(clientDataJSON)
  if (typeof id !== 'string' || typeof rawId !== 'string' || type !== 'public-key') return refused('malformed')
  if (clientDataJSON === null || clientData === null || id.length > mostCharacters) return refused('malformed')
  if (id !== rawId) return refused('credential-id')
  const credentialId = decodeBase64url(id)
  if (!credentialId) return refused('malformed')
  if (credentialId.length === 0 || credentialId.length > mostCredentialIdBytes) return refused('credential-id')
  return { ok: true, id, credentialId, clientDataJSON, clientData }
}

function parse(text: string): unknown {
  return text.length > mostCharacters ? null : JSON.parse(text)
}

/** Copies own members only: members of a prototype are not part of the response. */
function toMembers(value: unknown): Members | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const members = Object.create(null) as Record<string, unknown>
  for (const name of memberNames) {
    if (Object.hasOwn(value, name)) members[name] = (value as Members)[name]
  }
  return members
}

const memberNames = [
  ...['id', 'rawId', 'type', 'response'],
  ...['clientDataJSON', 'attestationObject', 'transports', 'authenticatorData', 'signature', 'userHandle'],
]

/** The library would decode other alphabets, padding and white space as well. */
function base64urlAt(members: Members, name: string): string | null {
  const text = members[name]
  return typeof text === 'string' && text.length <= mostCharacters && decodeBase64url(text) ? text : null
}

/** Some clients write an absent handle as `""` (WebAuthn Level 3, §7.2 step 6). */
function isAbsentHandle(handle: unknown): boolean {
  return handle == null || handle === ''
}

/** Returns the known transports: hints for the next ceremony, on which no decision depends. */
function readTransports(transports: unknown): readonly string[] {
  const known = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal']
  return Array.isArray(transports) ? known.filter((name) => transports.slice(0, 16).includes(name)) : []
}
