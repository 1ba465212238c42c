import { createHmac } from 'node:crypto'
import type { Message } from '@latchkey/accounts'
import type { SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import type { Claims, Credential, Facts } from '../deeds/deed.ts'
import type { Line } from '../service/line.ts'

/** Someone with an account, and what they hold: credentials, mails, the secret of an authenticator app. */
export interface Person {
  readonly name: string
  /** The address that they believe to sign in with. */
  email: string
  /** All addresses whose mails they read. */
  readonly addresses: readonly string[]
  /** What the deeds call the account, before it has an id, too. */
  readonly account: string
  /** Null: it is not there yet. */
  id: string | null
  readonly isAdministrator: boolean
  /** The address of their network. */
  readonly address: string
  /** The password that they believe to have, and those before it. */
  passwords: readonly string[]
  readonly credentials: Held[]
  /** Codes that they gave to an application. */
  readonly codes: AppCode[]
  /** What the application got for them. */
  readonly apps: Held[]
  readonly keys: Held[]
  /** What administrators act as others with. */
  readonly acting: Held[]
  /** The streams that they have opened. */
  readonly lines: { readonly line: Line; readonly held: Held }[]
  readonly signUps: SignUp[]
  readonly mails: Letter[]
  /** The changes of address that they have asked for. */
  readonly asked: { readonly newEmail: string; readonly by: Credential }[]
  /** The codes by mail that they have asked for, the newest last. */
  readonly askedCodes: AskedCode[]
  /** Whether they believe that their user of the provider is linked. */
  isLinked: boolean
  /** Whether they have ever asked to link it. */
  hasLinked: boolean
  readonly passkeys: HeldPasskeys
  /** A secret that waits for its confirmation. */
  pendingTotp: { readonly secret: string; readonly held: Held } | null
  totp: string | null
  recoveryCodes: readonly string[]
  /** Those that the service has removed or replaced. */
  formerCodes: readonly string[]
  /** The questions for a second factor, the newest last. */
  readonly challenges: Challenge[]
  /** What their devices show instead of a second factor. */
  readonly devices: string[]
  /** The codes that were accepted, the newest last. */
  readonly usedCodes: Code[]
}

/** A sign-up, by the name that was typed. */
export interface SignUp {
  readonly name: string
  readonly password: string
  readonly browserSecret: string
}

/** A code for an application. */
export interface AppCode {
  readonly text: string
  /** The lineage of the session with which the access ends; omitted: the access outlives the session. */
  readonly lineage?: string
}

/** A mail that has arrived. */
export type Letter = Pick<Message, 'to' | 'kind' | 'url'> & { readonly at: number; readonly code?: string }

/** A code that was asked for: its mail brings the code, which only the browser that asked for it can show. */
export interface AskedCode {
  readonly challenge: string
  readonly at: number
}

/** The passkeys of somebody, of whom the service has one at most. */
export interface HeldPasskeys {
  /** Those that they have tried to register, the newest last. */
  readonly tried: Passkey[]
  /** A passkey that waits for its registration. */
  pending: { readonly passkey: Passkey; readonly response: object; readonly held: Held } | null
  /** The passkey that is registered, or may be, as nobody has answered. */
  perhaps: Passkey | null
  /** The registrations that have no answer yet. */
  underWay: number
  /** What a passkey has signed to sign in, the newest last. */
  readonly responses: PasskeyResponse[]
}

/** A passkey in an authenticator of its own. */
export interface Passkey {
  readonly id: string
  readonly authenticator: SoftwareAuthenticator
}

export interface PasskeyResponse {
  readonly id: string
  readonly ceremony: string
  readonly response: object
}

/** A question for a second factor, and what its answer sets beside it. */
export interface Challenge {
  readonly text: string
  readonly sets?: Partial<Facts>
}

/** The answer to a second factor, as a deed claims it. */
export type Code = Pick<Claims, 'secondFactor' | 'app'> & { readonly secondFactor: string }

/** A credential with every refresh token that it had, the newest last. */
export interface Held {
  readonly credential: Credential
  readonly refreshTokens: string[]
  accessToken: string | null
  /** The access token before it. */
  formerAccessToken?: string | null
  /** Whether the last look with it was accepted. */
  isOpen?: boolean
  /** The key of a refresh whose answer is awaited or was lost, and its token. */
  retry?: { readonly token: string; readonly key: string }
}

/** RFC 6238 with SHA-1, six digits and 30 seconds, written anew: the oracle shares no code with the product. */
export function totpCode(secret: string, time: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)))
  const code = createHmac('sha1', Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))))
    .update(counter)
    .digest()
  const offset = (code.at(-1) ?? 0) & 15
  return String((code.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
