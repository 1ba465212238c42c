import type { SignInResult, StoredAccount } from '@latchkey/accounts'
import { createProviderLinks, type ProviderLinks, type SignInSuccess } from '@latchkey/accounts/internal'
import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { createMemoryDocumentStore, type DocumentStore, type StoredDocument } from '@latchkey/store'
import { storedVersion } from '@latchkey/store/internal'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import {
  type Bench,
  type BenchOptions,
  createBench,
  email,
  joinOptions,
  password,
  type SignInOptions,
} from '../bench.ts'

const origin = 'https://example.com'
const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }] as const

export interface FactorsBench extends Bench {
  readonly documents: DocumentStore
  /** The links to providers among them. */
  readonly links: ProviderLinks
  readonly authenticator: SoftwareAuthenticator
  /** Returns the code that the app shows now. */
  readonly codeOf: (secret: string, steps?: number) => string
  /** Signs in with the password alone, whatever comes of it. */
  readonly tryPassword: () => Promise<SignInResult>
  /** Signs an account in, and adds an authenticator app to it. */
  readonly enrollTotp: (account: StoredAccount) => Promise<Enrolled>
  /** Signs an account in, and adds a passkey to it. */
  readonly addPasskey: (signedIn: SignInSuccess) => Promise<Added>
  /** Returns what the browser answers to a sign-in with a passkey. */
  readonly showPasskey: (challenge?: string | null, identity?: SignInSuccess['identity']) => Promise<unknown>
}

export interface Enrolled {
  readonly secret: string
  readonly codes: readonly string[]
  /** The session that goes on. */
  readonly identity: SignInSuccess['identity']
  readonly credential: string
}

export interface Added {
  readonly id: string
  readonly codes: readonly string[] | null
  readonly identity: SignInSuccess['identity']
}

export interface FactorsBenchOptions extends BenchOptions {
  readonly aroundDocuments?: (store: DocumentStore) => DocumentStore
  /** @default `required`: a passkey is two factors. */
  readonly userVerification?: 'required' | 'preferred'
}

/** The bench of accounts, with every kind of factor over memory stores. */
export function createFactorsBench(
  { aroundDocuments = (store) => store, userVerification = 'required', ...options }: FactorsBenchOptions = {},
  change: (factors: SignInOptions) => SignInOptions = (factors) => factors,
): FactorsBench {
  let clock = (): number => 0
  const now = () => clock()
  const stored = createMemoryDocumentStore()
  const documents = aroundDocuments(stored)
  const deferred: { records?: Bench['records'] } = {}
  const passkeysOver = (records: Bench['records']) =>
    createPasskeys({
      documents,
      records,
      secrets,
      relyingParty: { id: 'example.com', name: 'Example', origins: [origin] },
      userVerification,
      now,
    })
  const passkeys = () => passkeysOver(deferred.records as Bench['records'])
  const factors: SignInOptions = {
    totp: createTotp({ documents, secrets, issuer: 'Example', now }),
    recoveryCodes: createRecoveryCodes({ documents, secrets, now }),
    passkeys: {
      startRegistration: (...given) => passkeys().startRegistration(...given),
      finishRegistration: (...given) => passkeys().finishRegistration(...given),
      startSignIn: (...given) => passkeys().startSignIn(...given),
      finishSignIn: (...given) => passkeys().finishSignIn(...given),
      list: (id) => passkeys().list(id),
      rename: (...given) => passkeys().rename(...given),
      remove: (...given) => passkeys().remove(...given),
    },
  }
  const bench = createBench({
    ...options,
    options: joinOptions({ documents, signIn: change(factors) }, options.options),
  })
  clock = bench.now
  deferred.records = bench.records
  const { accounts } = bench
  const authenticator = createSoftwareAuthenticator({ origin })
  const codeOf = (secret: string, steps = 0): string => codeAt(secret, bench.now() + steps * 30_000)
  const identify = async (credential: string): Promise<SignInSuccess['identity']> => {
    const facts = await accounts.identifySession(await bench.sessions.read(credential))
    if (!facts) throw new Error('the session has ended')
    return facts
  }
  return {
    ...bench,
    documents: stored,
    links: linksIn(stored),
    authenticator,
    codeOf,
    tryPassword: () => accounts.signIn({ email, password, delivery: 'session' }),
    async enrollTotp(account) {
      const { identity } = await bench.signIn({ email: account.email })
      const begun = await accounts.startTotpEnrollment({ identity })
      if (!begun.ok) throw new Error('no enrolment has begun')
      const { secret } = begun
      const confirmed = await accounts.confirmTotpEnrollment({ identity, code: codeOf(secret) })
      if (!confirmed.ok || !confirmed.credentials) throw new Error('the enrolment was refused')
      const { credential } = confirmed.credentials
      return { secret, codes: confirmed.codes ?? [], identity: await identify(credential), credential }
    },
    async addPasskey({ identity }) {
      const begun = await accounts.startPasskeyRegistration({ identity })
      if (!begun.ok) throw new Error('no registration has begun')
      const response = await authenticator.create(begun.options as never, { ignoresLists: true })
      const added = await accounts.finishPasskeyRegistration({ identity, name: 'Phone', response })
      if (!added.ok || !added.credentials) throw new Error('the passkey was refused')
      const { passkey, codes, credentials } = added
      return { id: passkey.id, codes, identity: await identify(credentials.credential) }
    },
    async showPasskey(challenge = null, identity) {
      const begun = await accounts.startPasskeySignIn({ challenge, ...(identity && { identity }) })
      if (!begun.ok) throw new Error('no ceremony has begun')
      return authenticator.get(begun.options as never)
    },
  }
}

/** The links to providers in a store of documents. */
export function linksIn(documents: DocumentStore): ProviderLinks {
  return createProviderLinks({ documents, storedVersion: () => storedVersion })
}

/** A challenge that a sign-in with the password has led to. */
export async function challengeOf(result: Promise<SignInResult>): Promise<string> {
  const signedIn = await result
  if (signedIn.ok && signedIn.status === 'second-factor-required') return signedIn.challenge
  throw new Error('no second factor was asked for')
}

/** Begins to add an authenticator app, in a session; what it resolves to confirms it. */
export async function beginTotp(bench: FactorsBench, { identity }: Pick<SignInSuccess, 'identity'>) {
  const begun = await bench.accounts.startTotpEnrollment({ identity })
  if (!begun.ok) throw new Error('no enrolment has begun')
  const code = bench.codeOf(begun.secret)
  return () => bench.accounts.confirmTotpEnrollment({ identity, code })
}

/** Begins to add a passkey, in a session; what it resolves to confirms it. */
export async function beginPasskey(bench: FactorsBench, { identity }: Pick<SignInSuccess, 'identity'>) {
  const begun = await bench.accounts.startPasskeyRegistration({ identity })
  if (!begun.ok) throw new Error('no registration has begun')
  const response = await bench.authenticator.create(begun.options as never)
  return () => bench.accounts.finishPasskeyRegistration({ identity, name: 'Phone', response })
}

/** A factor of an account, as it is stored. */
export interface StoredFactor extends StoredDocument {
  readonly kind: string
}

/** Returns the factors that are stored for an account. */
export async function storedFactors(
  { documents }: Pick<FactorsBench, 'documents'>,
  accountId: string,
): Promise<readonly StoredFactor[]> {
  const { items } = await documents.listByOwner(accountId)
  return items.flatMap((stored) => {
    const [, kind] = /^factor-(.*)$/.exec(stored.collection) ?? []
    return kind === undefined ? [] : [{ ...stored, kind }]
  })
}

/** Leaves of the factors of one kind, or of one of them, what cannot be read. */
export async function breakStored({ documents }: FactorsBench, kind: string, id?: string, value = '{'): Promise<void> {
  const { items } = await documents.list(`factor-${kind}`)
  for (const factor of items.filter((one) => id === undefined || one.id === id))
    await documents.replace(factor, { version: 'broken', value })
}
