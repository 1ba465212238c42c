import type { AccountsOptions, ProviderIdentity, SignInResult } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import type { DocumentStore } from '@latchkey/store'
import { type Bench, joinOptions } from '../bench.ts'
import { createFactorsBench, type FactorsBench, type FactorsBenchOptions } from '../factors/factors-bench.ts'

export const issuer = 'https://id.example.com'
export const otherIssuer = 'https://login.example.org'
export const session = { delivery: 'session' } as const

export interface ProvidersBench extends FactorsBench {
  /** What a provider says of its user: signed in there just now, in answer to a sign-in. */
  readonly shown: (change?: Partial<ProviderIdentity>) => ProviderIdentity
  /** Signs in with it, by the way that is asked for. */
  readonly byProvider: (
    change?: Partial<ProviderIdentity>,
    request?: Partial<Parameters<Bench['accounts']['signInWithProvider']>[0]>,
  ) => Promise<SignInResult>
  /** Puts a link into the store. */
  readonly link: (accountId: string, subject?: string, of?: string) => Promise<void>
}

export interface ProvidersBenchOptions extends FactorsBenchOptions {
  readonly providers?: AccountsOptions['signIn']['providers']
  /** What stands before the documents of links. */
  readonly aroundLinks?: (store: DocumentStore) => DocumentStore
}

/** The bench of accounts with every kind of factor, and sign-in with providers. */
export function createProvidersBench({
  providers = {},
  aroundLinks = (store) => store,
  aroundDocuments = (store) => store,
  ...options
}: ProvidersBenchOptions = {}): ProvidersBench {
  const bench = createFactorsBench({
    ...options,
    aroundDocuments: (store) => wrapLinks(aroundDocuments(store), aroundLinks(store)),
    options: joinOptions({ signIn: { providers } }, options.options),
  })
  const shown = (change: Partial<ProviderIdentity> = {}): ProviderIdentity => ({
    issuer,
    subject: '42',
    claims: { name: 'Provided Name' },
    email: 'provided@example.com',
    emailVerified: true,
    amr: [],
    sid: null,
    authenticatedAt: bench.now(),
    binding: null,
    ...change,
  })
  return {
    ...bench,
    shown,
    byProvider: (change, request) => bench.accounts.signInWithProvider({ ...shown(change), ...session, ...request }),
    async link(accountId, subject = '42', of = issuer) {
      await bench.links.insert({ issuer: of, subject, accountId, createdAt: bench.now() })
    },
  }
}

/** Documents of links by one store, all others by another. */
function wrapLinks(store: DocumentStore, links: DocumentStore): DocumentStore {
  const storeOf = (collection: string): DocumentStore => (collection === 'provider-link' ? links : store)
  return {
    ...store,
    get: (collection, id) => storeOf(collection).get(collection, id),
    insert: (document) => storeOf(document.collection).insert(document),
    remove: (document) => storeOf(document.collection).remove(document),
    listByOwner: (owner, options) => storeOf(`${options?.collections}`).listByOwner(owner, options),
  }
}

/** The success that must have come of a sign-in. */
export async function successOf(result: Promise<SignInResult>): Promise<SignInSuccess> {
  const signedIn = await result
  if (signedIn.ok && signedIn.status === 'signed-in') return signedIn
  throw new Error(`the sign-in was refused: ${JSON.stringify(signedIn)}`)
}

/** All that a bench keeps of an account and of users of providers: by it a refusal shows that nothing has changed. */
export async function heldOf({ store, sessions, links }: ProvidersBench, id: string) {
  const opened = await sessions.list(id)
  return {
    account: await store.get(id),
    open: opened.map(({ key, epoch }) => `${key} ${epoch}`).sort(),
    links: await links.listByAccount(id),
  }
}
