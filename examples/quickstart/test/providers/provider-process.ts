// One of several processes of a service whose users sign in with a provider: carries out what its parent sends.
import { fileURLToPath } from 'node:url'
import {
  type Accounts,
  allowUnlimitedAttempts,
  unknownAttempt as attempt,
  isAccountsError,
  type SignedInIdentity,
} from '@latchkey/accounts'
import { type CallbackVerdict, createOAuthClient, providers } from '@latchkey/oauth/client'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { openStores, origin, passwords } from '../links/link-process.ts'
import type { StoreSettings } from '../links/shared-stores.ts'

export interface ProcessSettings extends StoreSettings {
  readonly secret: string
  readonly issuer: string
}

/** As the provider has registered it. */
export const clientOf = {
  clientId: 'service',
  clientSecret: 'secret-of-the-service',
  redirectUri: `${origin}/sign-in/with/own/callback`,
} as const

/** A sign-in that has begun: where the browser goes, and its cookie. */
export interface Begun {
  readonly url: string
  readonly cookie: string
}

/** A browser that is back from the provider: where it is sent to, and its cookie. */
export type Callback = Begun

export type Order =
  /** Begins sign-ins; with `owners`, one for each of these, who sign in by `password` and want to be linked. */
  | { readonly kind: 'begin'; readonly count: number; readonly owners?: readonly string[]; readonly password?: string }
  /** Judges callbacks, and keeps the verdicts for `use`. */
  | { readonly kind: 'finish'; readonly callbacks: readonly Callback[] }
  /** From that moment on: signs in by each verdict that is kept, or links the owner who has begun it. */
  | { readonly kind: 'use'; readonly at: number }
  /** Both at once from that moment on. */
  | { readonly kind: 'sign-in'; readonly at: number; readonly callbacks: readonly Callback[] }

/** What became of a callback: `ok` with the account, or why it was refused. */
export interface Outcome {
  readonly result: string
  readonly accountId: string | null
}

/** What has become of an order. */
export interface Done {
  readonly begun?: readonly Begun[]
  readonly outcomes?: readonly Outcome[]
  readonly failed?: string
}

export type Report = ({ readonly id: number } & Done) | 'ready'

type Verdict = Extract<CallbackVerdict, { readonly ok: true }>

const refused = (result: string): Outcome => ({ result, accountId: null })

async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  return work().catch((error: unknown) => {
    if (isAccountsError(error)) return refused(error.code)
    throw error
  })
}

// The tests import what stands above; as a program it waits for orders.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { secret, issuer, ...settings }: ProcessSettings = JSON.parse(process.argv[2] ?? '')
  const { stores } = openStores(settings)
  const secrets = [{ id: 'one', bytes: new Uint8Array(Buffer.from(secret, 'hex')) }] as const
  const server = createServer({
    ...{ baseUrl: origin, stores, policy: definePolicy({ permissions: [], roles: { READER: {} } }) },
    signIn: {
      ...{ passwordHasher: passwords },
      attemptLimits: allowUnlimitedAttempts,
      providers: { newAccounts: 'verified-email' },
    },
    typeDefs: 'type Query { hello: String! @public }',
    resolvers: { Query: { hello: () => 'Hello' } },
    secrets: { load: async () => secrets },
    mails: { mailer: { send: async () => undefined } },
    signUp: { role: 'READER' },
    observe: { onEvent: () => undefined },
  })
  const accounts: Accounts = await server.accounts()
  const provider = providers.openid({ issuer })
  const client = createOAuthClient({
    ...{ provider, ...clientOf, records: stores.records, secrets, timeoutMs: 30_000 },
    onEvent: () => undefined,
  })
  const owners = new Map<string, SignedInIdentity>()
  let kept: readonly CallbackVerdict[] = []

  async function begin({ count, owners: emails, password = '' }: Extract<Order, { kind: 'begin' }>) {
    const begun: Begun[] = []
    for (let nth = 0; nth < count; nth++) {
      const email = emails?.[nth]
      const signedIn =
        email === undefined ? null : await accounts.signIn({ email, password, delivery: 'session', attempt })
      if (signedIn && !(signedIn.ok && signedIn.status === 'signed-in')) throw new Error('the owner was refused')
      const binding = signedIn ? `link:${signedIn.identity.key}` : null
      if (signedIn && binding) owners.set(binding, signedIn.identity)
      const { url, cookie } = await client.begin({ binding })
      begun.push({ url, cookie: cookie.split(';', 1)[0] ?? '' })
    }
    return begun
  }

  const finish = (callbacks: readonly Callback[]): Promise<readonly CallbackVerdict[]> =>
    Promise.all(callbacks.map(({ url, cookie }) => client.finish(url, cookie)))

  async function signIn(verdict: Verdict): Promise<Outcome> {
    const result = await accounts.signInWithProvider({ ...verdict, delivery: 'session', attempt })
    if (!result.ok) return refused(result.reason)
    return { result: result.status, accountId: result.status === 'signed-in' ? result.identity.subject : null }
  }

  async function link(verdict: Verdict, identity: SignedInIdentity): Promise<Outcome> {
    const result = await accounts.linkProvider({ ...verdict, identity, attempt })
    return result.ok ? { result: 'linked', accountId: identity.subject } : refused(result.reason)
  }

  function use(verdict: CallbackVerdict): Promise<Outcome> {
    if (!verdict.ok) return Promise.resolve(refused(verdict.reason))
    const owner = owners.get(verdict.binding ?? '')
    return outcomeOf(() => (owner ? link(verdict, owner) : signIn(verdict)))
  }

  const until = (at: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, at - Date.now()))

  async function carryOut(order: Order): Promise<Done> {
    if (order.kind === 'begin') return { begun: await begin(order) }
    if (order.kind === 'finish') {
      kept = await finish(order.callbacks)
      return { outcomes: kept.map((verdict) => refused(verdict.ok ? 'ok' : verdict.reason)) }
    }
    await until(order.at)
    if (order.kind === 'use') return { outcomes: await Promise.all(kept.map(use)) }
    const outcomes = order.callbacks.map(async ({ url, cookie }) => use(await client.finish(url, cookie)))
    return { outcomes: await Promise.all(outcomes) }
  }

  process.on('message', async ({ id, ...order }: Order & { readonly id: number }) => {
    const report = await carryOut(order).catch((error: Error) => ({ failed: `${error.stack} ${error.cause}` }))
    process.send?.({ id, ...report })
  })
  process.on('disconnect', () => process.exit())
  process.send?.('ready' satisfies Report)
}
