import type { Page } from '@latchkey/store'
import { checkAttempt } from './attempt.ts'
import { checkOwner } from './check-owner.ts'
import { type AccountsContext, createContext } from './context/accounts-context.ts'
import type { AccountsOptions } from './context/accounts-options.ts'
import type { AccountAdministration } from './contract/account-administration.ts'
import type { AccountApiKeys } from './contract/account-api-keys.ts'
import type { AccountFactors } from './contract/account-factors.ts'
import type { Accounts } from './contract/accounts.ts'
import { identifyCredential, identifySession, identifyToken } from './sign-in/identity-facts.ts'
import { toAccount } from './store/account-store.ts'
import {
  disable,
  enable,
  endSessions,
  lockAccount,
  setRoles,
  unlockAccount,
} from './use-cases/administration/administer.ts'
import { findAccounts } from './use-cases/administration/find-accounts.ts'
import { createApiKey } from './use-cases/api-keys/create-api-key.ts'
import { identifyApiKey } from './use-cases/api-keys/identify-api-key.ts'
import { listApiKeys } from './use-cases/api-keys/list-api-keys.ts'
import { revokeApiKey, revokeLeakedApiKey } from './use-cases/api-keys/revoke-api-key.ts'
import { changePassword } from './use-cases/change-password.ts'
import { confirmPassword } from './use-cases/confirm-password.ts'
import { createAccount } from './use-cases/create-account.ts'
import { requestSignInCode } from './use-cases/email-code/request-sign-in-code.ts'
import { signInWithCode } from './use-cases/email-code/sign-in-with-code.ts'
import { verifySecondFactor } from './use-cases/factors/answer-second-factor.ts'
import { disableTotp } from './use-cases/factors/disable-totp.ts'
import { listFactors, listPasskeys } from './use-cases/factors/list-factors.ts'
import { finishPasskeyRegistration, startPasskeyRegistration } from './use-cases/factors/passkey-registration.ts'
import { finishPasskeySignIn, startPasskeySignIn } from './use-cases/factors/passkey-sign-in.ts'
import { regenerateRecoveryCodes } from './use-cases/factors/regenerate-recovery-codes.ts'
import { removePasskey } from './use-cases/factors/remove-passkey.ts'
import { renamePasskey } from './use-cases/factors/rename-passkey.ts'
import { resetFactors } from './use-cases/factors/reset-factors.ts'
import { startStepUp } from './use-cases/factors/start-step-up.ts'
import { confirmTotpEnrollment, startTotpEnrollment } from './use-cases/factors/totp-enrollment.ts'
import { endImpersonation } from './use-cases/impersonation/end-impersonation.ts'
import { startImpersonation } from './use-cases/impersonation/start-impersonation.ts'
import { findByEmail, getAccount, getManyAccounts } from './use-cases/look-up.ts'
import { listSessions, revokeAllSessions, revokeSession } from './use-cases/manage-sessions.ts'
import { changeName } from './use-cases/own-account/change-name.ts'
import { checkLink } from './use-cases/own-account/check-link.ts'
import { confirmEmailChange } from './use-cases/own-account/confirm-email-change.ts'
import { deleteAccount } from './use-cases/own-account/delete-account.ts'
import { exportAccount } from './use-cases/own-account/export-account.ts'
import { requestEmailChange } from './use-cases/own-account/request-email-change.ts'
import { undoEmailChange } from './use-cases/own-account/undo-email-change.ts'
import { confirmProvider } from './use-cases/providers/confirm-provider.ts'
import { endProviderSessions } from './use-cases/providers/end-provider-sessions.ts'
import { importProviderLink } from './use-cases/providers/import-provider-link.ts'
import { linkProvider } from './use-cases/providers/link-provider.ts'
import { linkedProviders } from './use-cases/providers/list-providers.ts'
import { signInWithProvider } from './use-cases/providers/sign-in-with-provider.ts'
import { unlinkProvider } from './use-cases/providers/unlink-provider.ts'
import { refresh } from './use-cases/refresh.ts'
import { requestPasswordReset } from './use-cases/request-password-reset.ts'
import { resetPassword } from './use-cases/reset-password.ts'
import { signIn } from './use-cases/sign-in.ts'
import { signOut } from './use-cases/sign-out.ts'
import { signUp } from './use-cases/sign-up.ts'
import { verifyEmail } from './use-cases/verify-email.ts'

/**
 * Creates the use cases of accounts with passwords over the given stores and parts. It does not read or write before
 * the first call.
 *
 * @throws TypeError that names the missing, unknown or invalid option.
 *
 * @example
 * import { createAccounts, createAttemptLimits, createMemoryAccountStore, unknownAttempt } from '@latchkey/accounts'
 * import { randomBytes } from '@latchkey/bytes'
 * import { createJwtSigner, createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * import { createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
 * import { createRefreshTokens, createSessions } from '@latchkey/sessions'
 * import { createMemoryCounterStore, createMemoryRecordStore } from '@latchkey/store'
 * const records = createMemoryRecordStore()
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 * const accounts = createAccounts({
 *   accounts: createMemoryAccountStore(),
 *   records,
 *   passwordHasher: createPasswordHasher(),
 *   passwordPolicy: createPasswordPolicy(),
 *   sessions: createSessions({ records }),
 *   refreshTokens: createRefreshTokens({ records, secrets }),
 *   accessTokens: createJwtSigner({ issuer: 'https://example.com', audience: 'https://example.com', keys }),
 *   signUp: { role: 'READER' },
 *   signIn: { attemptLimits: createAttemptLimits({ counters: createMemoryCounterStore(), secrets }) },
 *   mails: { mailer: { send: async ({ to, subject }) => console.log(to, subject) }, baseUrl: 'https://example.com' },
 * })
 * const person = { email: 'reader@example.com', password: 'otters read quietly', name: 'A Reader' }
 * await accounts.signUp({ ...person, attempt: unknownAttempt })
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const context = createContext(options)
  const bind = (of: AccountsContext): Accounts => {
    const bound = {
      ...bindUseCases(of),
      forRequest: (request: Parameters<Accounts['forRequest']>[0]) =>
        request.waitUntil ? bind(of.forRequest(request)) : bound,
    }
    return bound as Accounts
  }
  return bind(context)
}

function bindUseCases(context: AccountsContext): Omit<Accounts, 'forRequest'> {
  return {
    signUp: async (input) => signUp(context, checkAttempt(input)),
    verifyEmail: async (input) => verifyEmail(context, checkAttempt(input)),
    signIn: async (input) => signIn(context, checkAttempt(input)),
    refresh: async (input) => refresh(context, checkAttempt(input)),
    signOut: async (input) => signOut(context, checkAttempt(input)),
    confirmPassword: async (input) => confirmPassword(context, checkOwner(checkAttempt(input))),
    changePassword: async (input) => changePassword(context, checkOwner(checkAttempt(input))),
    requestPasswordReset: async (input) => requestPasswordReset(context, checkAttempt(input)),
    resetPassword: async (input) => resetPassword(context, checkAttempt(input)),
    checkLink: async (input) => checkLink(context, checkAttempt(input)),
    listSessions: (subject) => listSessions(context, subject),
    revokeSession: async (input) => revokeSession(context, checkAttempt(input)),
    revokeAllSessions: async (input) => revokeAllSessions(context, checkOwner(checkAttempt(input))),
    identifySession: (session) => identifySession(context, session),
    identifyCredential: (credential, use) => identifyCredential(context, credential, use),
    identifyToken: (claims, presenter) => identifyToken(context, claims, presenter),
    changeName: async (input) => changeName(context, checkOwner(checkAttempt(input))),
    requestEmailChange: async (input) => requestEmailChange(context, checkOwner(checkAttempt(input))),
    confirmEmailChange: async (input) => confirmEmailChange(context, checkAttempt(input)),
    undoEmailChange: async (input) => undoEmailChange(context, checkAttempt(input)),
    deleteAccount: async (input) => deleteAccount(context, checkOwner(checkAttempt(input))),
    exportAccount: async (input) => exportAccount(context, checkOwner(checkAttempt(input))),
    settled: () => context.background.settled(),
    ...bindFactors(context),
    ...bindApiKeys(context),
    ...bindAdministration(context),
  }
}

function bindFactors(context: AccountsContext): AccountFactors {
  return {
    requestSignInCode: async (input) => requestSignInCode(context, checkAttempt(input)),
    signInWithCode: async (input) => signInWithCode(context, checkAttempt(input)),
    verifySecondFactor: async (input) => verifySecondFactor(context, checkAttempt(input)),
    startStepUp: async (input) => startStepUp(context, checkOwner(input)),
    startTotpEnrollment: async (input) => startTotpEnrollment(context, checkOwner(checkAttempt(input))),
    confirmTotpEnrollment: async (input) => confirmTotpEnrollment(context, checkOwner(checkAttempt(input))),
    disableTotp: async (input) => disableTotp(context, checkOwner(checkAttempt(input))),
    regenerateRecoveryCodes: async (input) => regenerateRecoveryCodes(context, checkOwner(checkAttempt(input))),
    startPasskeyRegistration: async (input) => startPasskeyRegistration(context, checkOwner(checkAttempt(input))),
    finishPasskeyRegistration: async (input) => finishPasskeyRegistration(context, checkOwner(checkAttempt(input))),
    startPasskeySignIn: async (input) => startPasskeySignIn(context, checkAttempt(input)),
    finishPasskeySignIn: async (input) => finishPasskeySignIn(context, checkAttempt(input)),
    removePasskey: async (input) => removePasskey(context, checkOwner(checkAttempt(input))),
    renamePasskey: async (input) => renamePasskey(context, checkOwner(input)),
    listFactors: (subject) => listFactors(context, subject),
    listPasskeys: (subject) => listPasskeys(context, subject),
    signInWithProvider: async (input) => signInWithProvider(context, checkAttempt(input)),
    confirmProvider: async (input) => confirmProvider(context, checkOwner(checkAttempt(input))),
    importProviderLink: async (input) => importProviderLink(context, checkAttempt(input)),
    linkProvider: async (input) => linkProvider(context, checkOwner(checkAttempt(input))),
    unlinkProvider: async (input) => unlinkProvider(context, checkOwner(checkAttempt(input))),
    linkedProviders: (subject) => linkedProviders(context, subject),
    endProviderSessions: async (input) => endProviderSessions(context, checkAttempt(input)),
  }
}

function bindApiKeys(context: AccountsContext): AccountApiKeys {
  return {
    createApiKey: async (input) => createApiKey(context, checkOwner(checkAttempt(input))),
    listApiKeys: (subject) => listApiKeys(context, subject),
    revokeApiKey: async (input) => revokeApiKey(context, checkAttempt(input)),
    revokeLeakedApiKey: async (input) => revokeLeakedApiKey(context, checkAttempt(input)),
    isApiKey: (text) => context.apiKeys !== null && text.startsWith(context.apiKeys.prefix),
    identifyApiKey: async (input) => identifyApiKey(context, checkAttempt(input)),
  }
}

function bindAdministration(context: AccountsContext): AccountAdministration {
  return {
    get: (id) => getAccount(context, id),
    getMany: async (ids) => getManyAccounts(context, ids),
    findByEmail: (email) => findByEmail(context, email),
    list: (page) => listAccounts(context, page),
    create: async (input) => createAccount(context, checkAttempt(input)),
    setRoles: async (input) => setRoles(context, checkAttempt(input)),
    disable: async (input) => disable(context, checkAttempt(input)),
    enable: async (input) => enable(context, checkAttempt(input)),
    lockAccount: async (input) => lockAccount(context, checkAttempt(input)),
    unlockAccount: async (input) => unlockAccount(context, checkAttempt(input)),
    endSessions: async (input) => endSessions(context, checkAttempt(input)),
    findAccounts: async (input) => findAccounts(context, input),
    resetFactors: async (input) => resetFactors(context, checkAttempt(input)),
    startImpersonation: async (input) => startImpersonation(context, checkAttempt(input)),
    endImpersonation: async (input) => endImpersonation(context, checkAttempt(input)),
  }
}

async function listAccounts({ accounts }: AccountsContext, page?: Page): ReturnType<Accounts['list']> {
  const { items, ...rest } = await accounts.list(page)
  return { ...rest, items: items.map(toAccount) }
}
