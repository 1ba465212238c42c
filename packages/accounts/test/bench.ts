import {
  type Account,
  type AccountStore,
  type Accounts,
  type AccountsEvent,
  type AccountsOptions,
  type AddressReservations,
  type Attempt,
  allowUnlimitedAttempts,
  createAccounts,
  createKnownDevices,
  createMemoryAccountStore,
  type IdentityReads,
  type Message,
  type StoredAccount,
  unknownAttempt,
} from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { randomBytes } from '@latchkey/bytes'
import {
  createDenyList,
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  type DenyList,
  generateJwtKey,
  type VerifiedClaims,
} from '@latchkey/jwt'
import { allowWeakHashes, createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { createIdentityReads } from './stores/create-identity-reads.ts'
import { type AroundAccounts, type AroundRecords, wrapAccountStore, wrapRecordStore } from './stores/test-stores.ts'

export const password = 'otters read quietly at dawn'
export const newPassword = 'seven kettles hum along'
export const email = 'reader@example.com'

// The weakest parameters there are: these tests count hashes, they do not measure them.
export const passwords = createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 1 }, strength: allowWeakHashes })
const keys = createKeyRing({ keys: [await generateJwtKey('HS256')] })
const hashOfPassword = await passwords.hash(password)

/** The group `signIn`, or a part of it. */
export type SignInOptions = Partial<AccountsOptions['signIn']>

/** What a test changes of the options, within groups too. */
export type TestOptions = Partial<Omit<AccountsOptions, 'signIn' | 'mails'>> & {
  readonly signIn?: SignInOptions
  readonly mails?: Partial<AccountsOptions['mails']>
}

/** Joins options, those of a group one by one; the given ones win. */
export function joinOptions<Options extends TestOptions>(options: Options, given: TestOptions = {}): Options {
  const within = (name: 'signIn' | 'mails'): object =>
    name in given ? { [name]: given[name] && { ...options[name], ...given[name] } } : {}
  return { ...options, ...given, ...within('signIn'), ...within('mails') }
}

export interface BenchOptions {
  readonly aroundRecords?: AroundRecords
  readonly aroundAccounts?: AroundAccounts
  readonly options?: TestOptions
  /** Whether a record is read with its account, as one database does. @default false */
  readonly readsTogether?: boolean
  /** Whether the store lists who holds roles. @default true */
  readonly knowsHolders?: boolean
  /** What stands before the reservations; `null`: the store has none. */
  readonly aroundReservations?: (group: AddressReservations) => AddressReservations | null
  /** What stands before the reader of both. */
  readonly aroundIdentities?: (group: IdentityReads) => IdentityReads
}

/** The use cases as most tests call them: an attempt that a test does not name is unknown. */
export type StrangersAccounts = Omit<Strangers<Accounts>, 'forRequest'> & {
  readonly forRequest: (request: Parameters<Accounts['forRequest']>[0]) => StrangersAccounts
}
type Strangers<UseCases> = { readonly [Name in keyof UseCases]: FromStrangers<UseCases[Name]> }
type FromStrangers<UseCase> = UseCase extends (input: infer Input) => infer Answer
  ? Input extends { readonly attempt: Attempt }
    ? (input: Omit<Input, 'attempt'> & { readonly attempt?: Attempt }) => Answer
    : UseCase
  : UseCase

export interface Bench {
  readonly accounts: StrangersAccounts
  /** The same, as they are. */
  readonly unnamed: Accounts
  readonly store: ReturnType<typeof createMemoryAccountStore>
  readonly records: ReturnType<typeof createMemoryRecordStore>
  readonly sessions: ReturnType<typeof createSessions>
  readonly refreshTokens: ReturnType<typeof createRefreshTokens>
  readonly denyList: DenyList
  readonly outbox: Message[]
  readonly events: AccountsEvent[]
  readonly now: () => number
  readonly advance: (seconds: number) => void
  /** Puts an account into the store whose password is `password`. */
  readonly insert: (change?: Partial<StoredAccount>) => Promise<StoredAccount>
  readonly signIn: (change?: Partial<Parameters<Accounts['signIn']>[0]>) => Promise<SignInSuccess>
  /** The token of the latest mail, once all mails are sent. */
  readonly mailedToken: () => Promise<string>
  readonly verify: (token: string) => Promise<VerifiedClaims>
}

/** The verdicts on what is not accepted. */
export const invalidCredentials = { ok: false, reason: 'invalid-credentials' }
export const invalidStepUp = { ...invalidCredentials, isStepUp: true }
export const invalidLink = { ok: false, reason: 'link-invalid' }

/** The facts of an identity that did not come through a client of others. */
export const firstPartyFacts = {
  kind: 'account',
  clientId: 'first-party',
  firstParty: true,
  scopes: null,
  grant: null,
  keyBinding: null,
  impersonator: null,
  enrolledFactors: [],
  enrollmentDueAt: null,
  mustEnroll: false,
}

/** The account of a link that must be accepted. */
export async function accountOf(verdict: ReturnType<Accounts['verifyEmail' | 'resetPassword']>): Promise<Account> {
  const result = await verdict
  if (result.ok && 'account' in result) return result.account
  throw new Error(`the link was not accepted: ${JSON.stringify(result)}`)
}

let drawn = 0

/** Everything on memory stores and one clock. */
export function createBench({
  aroundRecords,
  aroundAccounts,
  options = {},
  readsTogether,
  knowsHolders = true,
  aroundReservations = (group) => group,
  aroundIdentities = (reader) => reader,
}: BenchOptions = {}): Bench {
  let time = 1_800_000_000_000
  const now = () => time
  const records = createMemoryRecordStore({ now })
  const store = createMemoryAccountStore()
  const seenRecords = aroundRecords ? wrapRecordStore(records, aroundRecords) : records
  const { listRoleHolders: _, ...pagedAlone } = store
  const known = knowsHolders ? store : pagedAlone
  const seenAccounts: AccountStore = aroundAccounts ? wrapAccountStore(known, aroundAccounts) : known
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const sessions = createSessions({ records: seenRecords, now })
  const refreshTokens = createRefreshTokens({ records: seenRecords, secrets, now })
  const issuer = 'https://example.com'
  const accessTokens = createJwtSigner({ issuer, audience: issuer, keys, now })
  const verifier = createJwtVerifier({ issuer, audience: issuer, algorithms: ['HS256'], keys, now })
  const documents = createMemoryDocumentStore()
  const denyList = createDenyList({ documents, now })
  const reads = { records: seenRecords, accounts: seenAccounts, documents }
  Object.assign(seenAccounts, {
    reservations: aroundReservations(store.reservations) ?? undefined,
    ...(readsTogether && { identities: aroundIdentities(createIdentityReads(reads)) }),
  })
  const outbox: Message[] = []
  const events: AccountsEvent[] = []
  const byDefault: AccountsOptions = {
    accounts: seenAccounts,
    records: seenRecords,
    passwordHasher: passwords,
    passwordPolicy: createPasswordPolicy(),
    sessions,
    refreshTokens,
    accessTokens,
    counters: createMemoryCounterStore({ now }),
    signUp: { role: 'READER' },
    signIn: { attemptLimits: allowUnlimitedAttempts, knownDevices: createKnownDevices({ secrets, now }) },
    mails: {
      mailer: { send: async (message) => void outbox.push(message) },
      baseUrl: 'https://example.com/',
      maxDelayMs: 0,
    },
    now,
    onEvent: (event) => events.push(event),
    denyList,
  }
  const accounts = createAccounts(joinOptions(byDefault, options))

  return {
    accounts: fromStrangers(accounts),
    unnamed: accounts,
    store,
    records,
    sessions,
    refreshTokens,
    denyList,
    outbox,
    events,
    now,
    advance: (seconds) => {
      time += seconds * 1000
    },
    async insert(change = {}) {
      const account: StoredAccount = {
        id: `acc_${++drawn}`,
        email,
        name: 'A Reader',
        roles: ['READER'],
        status: 'active',
        passwordHash: hashOfPassword,
        epoch: 0,
        keptKey: null,
        enrolled: [],
        ...change,
      }
      await store.insert(account)
      return account
    },
    async signIn(change = {}) {
      const result = await accounts.signIn({ email, password, delivery: 'session', attempt: unknownAttempt, ...change })
      if (!result.ok || result.status !== 'signed-in') throw new Error('the sign-in was refused')
      return result
    },
    async mailedToken() {
      await accounts.settled()
      return new URL(outbox.at(-1)?.url ?? '').searchParams.get('token') ?? ''
    },
    async verify(token) {
      const verdict = await verifier.verify(token)
      if (!verdict.ok) throw new Error(verdict.reason)
      return verdict.claims
    },
  }
}

/** The attempt of a device that shows this token, and of which nothing else is known. */
export function presentedBy(deviceToken: string | null | undefined): Attempt {
  return { ...unknownAttempt, deviceToken: deviceToken ?? null }
}

const unasked = new Set([
  'get',
  'findByEmail',
  'list',
  'listSessions',
  'listApiKeys',
  'isApiKey',
  'listFactors',
  'listPasskeys',
  'linkedProviders',
  'identifySession',
  'identifyCredential',
  'identifyToken',
  'settled',
])

function fromStrangers(accounts: Accounts): StrangersAccounts {
  const named = Object.entries(accounts).map(([name, useCase]) => {
    return [name, unasked.has(name) ? useCase : (input: object) => useCase({ attempt: unknownAttempt, ...input })]
  })
  const asked: StrangersAccounts = {
    ...Object.fromEntries(named),
    forRequest(request: Parameters<Accounts['forRequest']>[0]) {
      const bound = accounts.forRequest(request)
      return bound === accounts ? asked : fromStrangers(bound)
    },
  }
  return asked
}

/** How many hashes were computed while something ran. */
export async function countHashes(run: () => Promise<unknown>): Promise<number> {
  const before = passwords.stats.evaluations
  await run()
  return passwords.stats.evaluations - before
}

/** What a call was refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<object> {
  const error = await call.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error) || !('code' in error)) throw error
  const { code, field, reason } = error as Error & { code: unknown; field?: unknown; reason?: unknown }
  return { code, field, reason }
}

/** What a use case says that needs an option. */
export function needs(option: string): string {
  return `this operation is not available: it needs "${option}"`
}
