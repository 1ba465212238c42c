import { createHmac } from 'node:crypto'
import {
  type Accounts,
  allowNativeDelivery,
  createAccounts,
  createAttemptLimits,
  createKnownDevices,
  type Message,
} from '@latchkey/accounts'
import { createAuditLog } from '@latchkey/audit'
import type { SecretKeys } from '@latchkey/bytes'
import { createDenyList, createJwtSigner, createJwtVerifier, type JwtVerifier, type KeyRing } from '@latchkey/jwt'
import { createPasswordHasher, createPasswordPolicy, type PasswordEngine } from '@latchkey/password'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { type Machine, runIn } from '../world/machine.ts'
import type { WorldStores } from '../world/stores.ts'
import type { World } from '../world/world.ts'
import { type Apps, openApps } from './apps.ts'
import { limits, type Terms } from './terms.ts'

/** A process of the service: its use cases on the shared stores. */
export interface Service {
  readonly machine: Machine
  readonly accounts: Accounts
  readonly tokens: JwtVerifier
  readonly apps: Apps
  /** Removes records that have expired. */
  readonly sweep: () => Promise<unknown>
}

export interface ServiceParts {
  readonly world: World
  readonly stores: WorldStores
  readonly machine: Machine
  readonly secrets: SecretKeys
  readonly keys: KeyRing
  /** The keys of tokens for applications. */
  readonly appKeys: KeyRing
  readonly terms: Terms
  readonly mailed: (message: Message) => void
  readonly happened: (event: object) => void
}

/** Puts the packages together as a service does, in its machine. */
export function startService(parts: ServiceParts): Service {
  return runIn(parts.machine, () => {
    const service = assemble(parts)
    return { ...service, apps: openApps(parts, service.accounts) }
  })
}

function assemble(parts: ServiceParts): Omit<Service, 'apps'> {
  const { world, stores, machine, secrets, keys, mailed, happened, terms } = parts
  const { records, accounts, documents, counters } = stores
  const now = () => records.now()
  const issuer = 'https://example.com'
  const tokenOptions = { issuer, audience: issuer, keys, now }
  const audit = createAuditLog({ store: stores.audit, secrets, now, onEvent: happened, deadlineMs: 60_000 })
  return {
    machine,
    sweep: async () => records.sweep?.(100),
    tokens: createJwtVerifier({ ...tokenOptions, algorithms: ['HS256'] }),
    accounts: createAccounts({
      records,
      accounts,
      documents,
      counters,
      now,
      onEvent: happened,
      passwordHasher: createPasswordHasher({ engines: { argon2id: engineOf(world) }, concurrency: 4, now }),
      passwordPolicy: createPasswordPolicy(),
      sessions: createSessions({
        records,
        now,
        onEvent: happened,
        ttlSeconds: terms.session,
        idleSeconds: terms.idle,
      }),
      refreshTokens: createRefreshTokens({
        records,
        secrets,
        now,
        onEvent: happened,
        ttlSeconds: terms.refreshToken,
        familyTtlSeconds: terms.family,
        graceSeconds: terms.grace,
      }),
      accessTokens: createJwtSigner({ ...tokenOptions, ttlSeconds: terms.accessToken }),
      denyList: createDenyList({ documents, now }),
      signUp: { role: 'READER' },
      signIn: {
        attemptLimits: createAttemptLimits({ counters, secrets, now, perAccount: limits.guesses }),
        knownDevices: createKnownDevices({ secrets, now }),
        nativeDelivery: allowNativeDelivery,
        totp: createTotp({ documents, secrets, now, issuer: 'Example' }),
        recoveryCodes: createRecoveryCodes({ documents, secrets, now }),
      },
      mails: {
        baseUrl: issuer,
        maxDelayMs: 0,
        mailer: {
          async send(message) {
            await world.wait('mail', () => new Error('the mail server is away'))
            mailed(message)
          },
        },
      },
      administration: { isAdministrator: ({ roles }) => roles.includes('ADMIN') },
      deletion: { onDelete: () => undefined },
      audit: { log: audit, secrets },
    }),
  }
}

/** Computes no real hash, in the turn in which the schedule picks it. */
function engineOf(world: World): PasswordEngine {
  return {
    name: 'simulated',
    kinds: ['argon2id'],
    async run(job) {
      await world.wait('hash')
      return createHmac('sha256', job.salt).update(job.password).digest()
    },
  }
}
