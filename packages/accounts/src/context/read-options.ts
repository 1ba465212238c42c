import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import { type CounterStore, createMemoryCounterStore, type DocumentStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { createProviderLinks, type ProviderLinks } from '../providers/provider-links.ts'
import { checkRoles } from '../store/account-store.ts'
import type { AuditOptions } from '../trail/audit-port.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { type AccountLife, readAccountLife } from './read-account-life.ts'
import { type ApiKeys, readApiKeys } from './read-api-keys.ts'
import { type ReadMails, readMails } from './read-mails.ts'
import { readPart } from './read-part.ts'
import { type ReadSignIn, readSignIn } from './read-sign-in.ts'
import { createOpenedReader, type SessionReader } from './session-reader.ts'

const parts = [
  'accounts',
  'records',
  'passwordHasher',
  'passwordPolicy',
  'sessions',
  'refreshTokens',
  'accessTokens',
] as const

const optionNames = {
  accounts: true,
  records: true,
  documents: true,
  counters: true,
  passwordHasher: true,
  passwordPolicy: true,
  sessions: true,
  refreshTokens: true,
  accessTokens: true,
  denyList: true,
  signUp: true,
  signIn: true,
  mails: true,
  emailUndoDays: true,
  deletion: true,
  administration: true,
  dataExport: true,
  impersonation: true,
  apiKeys: true,
  audit: true,
  storedVersion: true,
  now: true,
  onEvent: true,
} as const

/** The options as the use cases need them: checked, and with their defaults. */
export interface ReadOptions extends Pick<AccountsOptions, (typeof parts)[number]>, ReadSignIn, ReadMails, AccountLife {
  /** `null`: accounts have no documents. */
  readonly documents: DocumentStore | null
  /** `null`: there are no documents. */
  readonly links: ProviderLinks | null
  readonly counters: CounterStore
  /** `null`: there are no API keys. */
  readonly apiKeys: ApiKeys | null
  /** Reads what a credential has opened. */
  readonly opened: SessionReader
  /** `null`: decisions are not audited. */
  readonly audit: AuditOptions | null
  /** `null`: sign-up is closed. */
  readonly signUpRole: string | null
  /** The version of stored values to write. */
  readonly storedVersion: () => number
  readonly now: () => number
  readonly onEvent: AccountsOptions['onEvent']
}

/** @throws TypeError that names the option that is missing, unknown or not valid. */
export function readOptions(options: AccountsOptions): ReadOptions {
  checkOptionNames('createAccounts', options, optionNames)
  for (const name of parts) if (!options[name]) throw new TypeError(`"${name}" is required`)
  const { accounts, records, sessions, refreshTokens } = options
  const { documents = null, storedVersion = () => newestVersion, now = () => records.now() } = options
  checkStores({ records, ...(documents && { documents }) })
  const counters = readPart('counters', options.counters, 'hit') ?? createMemoryCounterStore({ now })
  const denyList = readPart('denyList', options.denyList, 'isDenied') ?? null
  const links = documents && createProviderLinks({ documents, storedVersion })
  const signIn = readSignIn(options.signIn, { records, documents, links, counters, now, storedVersion })
  const mails = readMails(options.mails)
  if (mails.notifiesNewDevices && !signIn.knownDevices) {
    throw new TypeError('"mails.notifyNewDevices" needs "signIn.knownDevices"')
  }
  return {
    accounts,
    records,
    documents,
    counters,
    passwordHasher: options.passwordHasher,
    passwordPolicy: options.passwordPolicy,
    sessions,
    refreshTokens,
    accessTokens: options.accessTokens,
    opened: createOpenedReader({ records, accounts, sessions, refreshTokens, denyList }),
    links,
    apiKeys: readApiKeys(options.apiKeys, { documents, counters, storedVersion }),
    ...readAccountLife(options, storedVersion),
    ...signIn,
    ...mails,
    audit: readAudit(options.audit),
    signUpRole: readSignUp(options.signUp),
    storedVersion,
    now,
    onEvent: options.onEvent,
  }
}

function readAudit(audit: AccountsOptions['audit']): AuditOptions | null {
  if (audit === undefined) return null
  const { log, secrets } = checkOptionNames('"audit"', audit, { log: true, secrets: true })
  if (typeof log?.intend !== 'function') throw new TypeError('"audit.log" must be createAuditLog(…)')
  return { log, secrets: checkSecrets(secrets, 'audit.secrets') }
}

function readSignUp(signUp: AccountsOptions['signUp']): string | null {
  if (signUp === 'closed') return null
  if (typeof signUp?.role !== 'string') throw new TypeError('"signUp" must be { role } or \'closed\'')
  const { role } = checkOptionNames('"signUp"', signUp, { role: true })
  checkRoles([role], 'signUp')
  return role
}
