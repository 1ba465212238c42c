import { createMemoryAccountStore, type Message, type StoredAccount } from '@latchkey/accounts'
import { createProviderLinks, type ProviderLinks } from '@latchkey/accounts/internal'
import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import type { Resolvers } from '@latchkey/graphql'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import {
  createServer,
  type Server,
  type ServerContext,
  type ServerEvent,
  type ServerOptions,
  type ServerStores,
} from '@latchkey/server'
import {
  createMemoryAuditStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
} from '@latchkey/store'
import { createFailureCounter, type FailureCounter, storedVersion } from '@latchkey/store/internal'
import { createVisitor, type Delivery, type Visitor } from './visitor.ts'
import { type Around, wrapStore } from './wrapped-store.ts'

export const password = 'otters read quietly at dawn'
export const newPassword = 'seven kettles hum along'

export const policy = definePolicy({
  permissions: [
    'notes:write',
    'accounts:read',
    'accounts:update',
    'accounts:impersonate',
    'audit:read',
    'ownership:bypass',
  ],
  roles: {
    READER: {},
    AUTHOR: { permissions: ['notes:write'] },
    ADMIN: {
      inherits: ['AUTHOR'],
      permissions: ['accounts:read', 'accounts:update', 'accounts:impersonate', 'audit:read', 'ownership:bypass'],
    },
  },
})
type AppPolicy = typeof policy

export const typeDefs = `
  extend type Account { greeting: String! @public }
  type Query { hello: String! @public, secretPlan: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
`
const resolvers = {
  Account: { greeting: ({ name }: { readonly name: string }) => `Hello ${name}` },
  Query: {
    hello: () => 'Hello',
    secretPlan: () => {
      throw new Error('the database at 10.0.0.7 said: select * from plans')
    },
  },
  Mutation: { writeNote: (_source, { text }: { text: string }) => text },
} satisfies Resolvers<ServerContext<AppPolicy>>

// The weakest parameters there are: nothing here measures them.
export const passwords = createPasswordHasher({
  argon2id: { memoryKib: 8, iterations: 1 },
  strength: allowWeakHashes,
  concurrency: 2,
})
const hashOfPassword = await passwords.hash(password)

type ServiceParts = Extract<ServerOptions<AppPolicy>, { readonly typeDefs: object | string }>

/** The options of a service that differ from those of the bench. */
export type AppOptions = Partial<Omit<ServiceParts, 'mails'>> & { readonly mails?: Partial<ServiceParts['mails']> }

export interface BenchOptions {
  readonly options?: AppOptions
  /** Stands around every call of a store: `records.get` and so on. */
  readonly around?: Around
  /** The stores and secrets of another instance. */
  readonly beside?: Pick<Bench, 'stores' | 'secrets' | 'clock' | 'outbox'>
}

export interface Bench {
  readonly server: Server
  /** The same server for a listener at this port of 127.0.0.1: it also serves that host. */
  readonly at: (port: number) => Server
  readonly stores: ServerStores
  readonly secrets: SecretKeys
  readonly outbox: Message[]
  readonly events: ServerEvent[]
  readonly clock: { time: number }
  readonly advance: (seconds: number) => void
  readonly visitor: () => Visitor
  /** Puts an account into the store whose password is `password`. */
  readonly insert: (change?: Partial<StoredAccount>) => Promise<StoredAccount>
  /** A visitor with an account of its own who has signed in. */
  readonly signedIn: (role?: 'READER' | 'AUTHOR' | 'ADMIN', delivery?: Delivery) => Promise<SignedIn>
  /** The token of the next mail to an address that was not read yet. */
  readonly mailedToken: (to: string) => Promise<string>
}

export interface SignedIn extends Visitor {
  readonly account: StoredAccount
}

let drawn = 0

/** A service on memory stores, with one clock. */
export function createBench({ options = {}, around, beside }: BenchOptions = {}): Bench {
  const clock = beside?.clock ?? { time: 1_800_000_000_000 }
  const now = () => clock.time
  const stores = beside?.stores ?? createMemoryStores(now)
  const secrets = beside?.secrets ?? ([{ id: 'a', bytes: randomBytes(32) }] as const)
  const outbox: Message[] = beside?.outbox ?? []
  const events: ServerEvent[] = []
  const baseUrl = options.baseUrl ?? 'https://example.com'
  const serverOptions = {
    baseUrl,
    secrets: { load: async () => secrets },
    stores: around ? wrapStores(stores, around) : stores,
    signUp: { role: 'READER' },
    policy,
    typeDefs,
    resolvers,
    ...options,
    mails: { mailer: { send: async (message) => void outbox.push(message) }, maxDelayMs: 0, ...options.mails },
    signIn: { passwordHasher: passwords, ...options.signIn },
    // A test that sends thousands of requests lets no timer run.
    http: { maxLoopDelayMs: Number.POSITIVE_INFINITY, ...options.http },
    observe: { onEvent: (event) => void events.push(event), ...options.observe },
  } satisfies ServiceParts
  const server = createServer<AppPolicy>(serverOptions)
  const insert: Bench['insert'] = async (change = {}) => {
    const id = `acc_${++drawn}`
    const account: StoredAccount = {
      id,
      email: `${id}@example.com`,
      name: 'A Reader',
      roles: ['READER'],
      status: 'active',
      passwordHash: hashOfPassword,
      epoch: 0,
      keptKey: null,
      enrolled: [],
      ...change,
    }
    await stores.accounts.insert(account)
    return account
  }
  return {
    server,
    at: (port) =>
      createServer<AppPolicy>({
        ...serverOptions,
        http: { ...serverOptions.http, allowedHosts: [`127.0.0.1:${port}`] },
      }),
    stores,
    secrets,
    outbox,
    events,
    clock,
    advance: (seconds) => {
      clock.time += seconds * 1000
    },
    visitor: () => createVisitor(server, baseUrl),
    insert,
    async signedIn(role = 'READER', delivery = 'SESSION') {
      const account = await insert({ roles: [role] })
      const visitor = createVisitor(server, baseUrl)
      const { status, text } = await visitor.signIn(account.email, password, delivery)
      if (status !== 200) throw new Error(`the sign-in was answered ${status}: ${text}`)
      return Object.assign(visitor, { account })
    },
    async mailedToken(to) {
      // Mails are sent in a later turn than the answer.
      for (let turn = 0; turn < 200; turn++) {
        const index = outbox.findIndex((message) => message.to === to && message.url !== null)
        const [message] = index < 0 ? [] : outbox.splice(index, 1)
        if (message) return new URL(message.url ?? '').searchParams.get('token') ?? ''
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      throw new Error('no such mail was sent')
    },
  }
}

export function createMemoryStores(now: () => number = Date.now): ServerStores {
  const accounts = createMemoryAccountStore()
  return {
    records: createMemoryRecordStore({ now }),
    accounts,
    documents: createMemoryDocumentStore(),
    lockouts: createMemoryCounterStore({ now }),
    counters: createMemoryCounterStore({ now }),
    audit: createMemoryAuditStore(),
  }
}

/** The same stores, where no address is reserved for the account that left it. */
export function withoutReservations({ accounts, ...stores }: ServerStores): ServerStores {
  const { reservations: _none, ...rest } = accounts
  return { ...stores, accounts: rest }
}

/** The links to providers in a store of documents. */
export function linksIn(documents: DocumentStore): ProviderLinks {
  return createProviderLinks({ documents, storedVersion: () => storedVersion })
}

/** The failures in a row of one factor, in the stores of a service. */
export function failuresOf({ counters, lockouts = counters }: ServerStores, factor: string): FailureCounter {
  if (!lockouts) throw new Error('the stores count no failures')
  return createFailureCounter(lockouts, factor)
}

/** Returns how many wrong codes in a row the authenticator app of an account has counted. */
export async function failuresOfApp({ documents }: ServerStores, accountId: string): Promise<number> {
  return JSON.parse((await documents?.get('factor-totp', accountId))?.value ?? '{"failures":0}').failures
}

/** Disables the authenticator app of an account, as 100 wrong codes do. */
export async function disableApp({ documents }: ServerStores, accountId: string): Promise<void> {
  const app = await documents?.get('factor-totp', accountId)
  const value = JSON.stringify({ ...JSON.parse(app?.value ?? '{}'), failures: 100 })
  if (app) await documents?.replace(app, { version: 'disabled', value })
}

function wrapStores(
  { records, accounts, documents, lockouts, counters, audit }: ServerStores,
  around: Around,
): ServerStores {
  return {
    records: wrapStore('records', records, around),
    accounts: wrapStore('accounts', accounts, around),
    documents: wrapStore('documents', documents, around),
    ...(counters && { counters: wrapStore('counters', counters, around) }),
    ...(audit && { audit: wrapStore('audit', audit, around) }),
    ...(lockouts && { lockouts: wrapStore('lockouts', lockouts, around) }),
  }
}
