import { allowNativeDelivery, createAccounts, createAttemptLimits, createKnownDevices } from '@latchkey/accounts'
import { createAuditLog } from '@latchkey/audit'
import { createDenyList, createJwtSigner, createJwtVerifier } from '@latchkey/jwt'
import { createPasskeys } from '@latchkey/passkeys'
import { createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
import { createRefreshTokens, createSessions, type Sessions } from '@latchkey/sessions'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { runIn } from '../world/machine.ts'
import { openApps } from './apps.ts'
import { engineOf } from './password-engine.ts'
import type { Apps, Service, ServiceParts } from './service.ts'
import { limits } from './terms.ts'

/** Puts the packages together as a service does, in its machine. */
export function startService(parts: ServiceParts): Service {
  return runIn(parts.machine, () => {
    const service = assemble(parts, (sessions) => bindLate(sessions, () => apps))
    const apps = openApps(parts, service.accounts)
    return { ...service, apps }
  })
}

/** Most processes need no authorization server: it is created at the first call that it has a part in. */
function bindLate(sessions: Sessions, apps: () => Apps): Sessions {
  let bound: Sessions | null = null
  const open = (): Sessions => {
    bound ??= apps().bindSessions(sessions)
    return bound
  }
  return {
    ...sessions,
    create: (input) => (input.replaces ? open() : sessions).create(input),
    regenerate: (...input) => open().regenerate(...input),
    revoke: (...input) => open().revoke(...input),
    revokeAll: (...input) => open().revokeAll(...input),
  }
}

function assemble(parts: ServiceParts, bind: Apps['bindSessions']): Omit<Service, 'apps'> {
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
      sessions: bind(
        createSessions({ records, now, onEvent: happened, ttlSeconds: terms.session, idleSeconds: terms.idle }),
      ),
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
        trustedDevices: { days: 30 },
        totp: createTotp({ documents, secrets, now, issuer: 'Example' }),
        recoveryCodes: createRecoveryCodes({ documents, secrets, now }),
        ...(parts.hasOtherWays && {
          emailCode: { lifetimeSeconds: terms.mailedCode },
          providers: { newAccounts: 'verified-email' },
          passkeys: createPasskeys({
            ...{ documents, records, secrets, now, algorithms: ['EdDSA'], challengeSeconds: terms.ceremony },
            relyingParty: { id: 'example.com', name: 'Example', origins: [issuer] },
          }),
        }),
      },
      mails: {
        baseUrl: issuer,
        maxDelayMs: 0,
        mailer: {
          async send(message) {
            await world.wait('mail', { failure: () => new Error('the mail server is away') })
            mailed(message)
          },
        },
      },
      administration: { isAdministrator: ({ roles }) => roles.includes('ADMIN') },
      deletion: { onDelete: () => undefined },
      impersonation: {
        lifetimeSeconds: terms.acting,
        mayImpersonate: (by, { roles }) => by.roles.includes('ADMIN') && !roles.includes('ADMIN'),
      },
      apiKeys: { prefix: 'lk_', mayGrant: () => true },
      audit: { log: audit, secrets },
    }),
  }
}
