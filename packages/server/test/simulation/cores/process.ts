import { createHmac } from 'node:crypto'
import {
  type Accounts,
  type AccountsOptions,
  allowUnlimitedAttempts,
  createAccounts,
  type Message,
  unknownAttempt,
} from '@latchkey/accounts'
import { createJwtSigner, createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createPasskeys } from '@latchkey/passkeys'
import { createPasswordHasher, createPasswordPolicy, type PasswordEngine } from '@latchkey/password'
import { createRefreshTokens, createSessions, type RefreshTokens, type Sessions } from '@latchkey/sessions'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import type { Stores } from './shared-stores.ts'

export const email = 'ada@example.com'
export const password = 'otters read quietly at dawn'
export const attempt = unknownAttempt
export const issuer = 'https://example.com'
export const secrets = [{ id: 'root', bytes: new Uint8Array(32).fill(7) }] as const

/** What differs from one core to another. */
export interface ProcessOptions {
  /** @default 10 */
  readonly graceSeconds?: number
  readonly offersPasskeys?: boolean
  readonly offersMailedCodes?: boolean
  /** Apps and recovery codes. */
  readonly offersSecondFactors?: boolean
}

/** The use cases of one process of a service, over the stores that it shares with the others. */
export interface Process {
  readonly stores: Stores
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly refreshTokens: RefreshTokens
  readonly now: () => number
  /** The mails that this process has sent, once `accounts.settled()` resolves. */
  readonly outbox: readonly Message[]
}

/** It computes in this turn of the event loop. */
const engine: PasswordEngine = {
  name: 'in-this-turn',
  kinds: ['argon2id'],
  run: (job) =>
    createHmac('sha256', job.kind === 'argon2id' ? job.salt : '')
      .update(job.password)
      .digest(),
}
const passwordHasher = createPasswordHasher({ engines: { argon2id: engine } })
const passwordPolicy = createPasswordPolicy()
const key = await generateJwtKey('HS256')

export function openProcess(stores: Stores, now: () => number, options: ProcessOptions = {}): Process {
  const { accounts: stored, records, documents, counters } = stores
  const { graceSeconds = 10, offersPasskeys = false, offersMailedCodes = false, offersSecondFactors = false } = options
  const outbox: Message[] = []
  const onEvent = () => undefined
  const sessions = createSessions({ records, now, onEvent })
  const refreshTokens = createRefreshTokens({ records, secrets, now, graceSeconds, onEvent })
  const signIn: AccountsOptions['signIn'] = {
    attemptLimits: allowUnlimitedAttempts,
    ...(offersMailedCodes && { emailCode: {} }),
    ...(offersSecondFactors && {
      totp: createTotp({ documents, secrets, now, issuer: 'Example' }),
      recoveryCodes: createRecoveryCodes({ documents, secrets, now }),
    }),
    ...(offersPasskeys && {
      recoveryCodes: createRecoveryCodes({ documents, secrets, now }),
      passkeys: createPasskeys({
        ...{ documents, records, secrets, now },
        relyingParty: { id: 'example.com', name: 'Example', origins: [issuer] },
      }),
    }),
  }
  const accounts = createAccounts({
    ...{ accounts: stored, records, documents, counters, passwordHasher, passwordPolicy, sessions, refreshTokens },
    ...{ signIn, now, onEvent },
    deletion: { onDelete: () => undefined },
    administration: { isAdministrator: ({ roles }) => roles.includes('ADMIN') },
    accessTokens: createJwtSigner({ issuer, audience: issuer, keys: createKeyRing({ keys: [key], now }), now }),
    signUp: { role: 'READER' },
    mails: { mailer: { send: async (message) => void outbox.push(message) }, baseUrl: issuer, maxDelayMs: 0 },
  })
  return { stores, accounts, sessions, refreshTokens, now, outbox }
}
