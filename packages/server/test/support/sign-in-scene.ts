import type { PasskeysFactor, RecoveryCodesFactor, StoredAccount, TotpFactor } from '@latchkey/accounts'
import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { listen } from '@latchkey/server/node'
import type { FactorVerdict } from '@latchkey/store'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { vi } from 'vitest'
import { type Bench, type BenchOptions, password } from './bench.ts'
import { createFactorBench } from './factor-bench.ts'
import { createVisitor, type Visitor } from './visitor.ts'
import type { MailedCode, Way } from './ways.ts'

export type Kind = 'totp' | 'recovery-code' | 'passkey'

interface Parts {
  totp: TotpFactor
  recoveryCodes: RecoveryCodesFactor
  passkeys: PasskeysFactor
}

/** A service over a socket, and what a test may make of its stores and factors. */
export interface Site extends Bench {
  readonly url: string
  readonly parts: Parts
  /** What the factors say of the next code in place of their own verdict; `proves-the-same`: it shows what a password shows. */
  says: FactorVerdict | 'proves-the-same' | null
  /** Runs something before the nth of these calls of a store, once. */
  before(call: string, nth: number, run: () => Promise<void>): void
  /** How often a store was called so while something ran. */
  countCalls(call: string, run: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

/** No test comes to it. */
const many = 1_000_000

/** Opens a service with every factor over a socket. */
async function openSite(options: BenchOptions['options'] = {}): Promise<Site> {
  const parts = {} as Parts
  let calls: string[] = []
  let waiting: { readonly call: string; readonly nth: number; readonly run: () => Promise<void> } | null = null
  const bench = createFactorBench({
    around: async (call, run) => {
      calls.push(call)
      const due = waiting
      if (due?.call === call && calls.filter((one) => one === call).length === due.nth) {
        waiting = null
        await due.run()
      }
      return run()
    },
    options: {
      ...options,
      signIn: {
        totp: (given) => saying('totp', 'verify', createTotp(given)),
        recoveryCodes: (given) => saying('recoveryCodes', 'verify', createRecoveryCodes(given)), // What counts here is the table, and what is tried of it comes from one address.
        attemptLimits: { perAddress: many, perAccount: many, perAccountOfStrangers: many, ceremoniesPerAddress: many },
        emailCode: {},
        passkeys: (given) => saying('passkeys', 'finishSignIn', createPasskeys(given)),
        ...options.signIn,
      },
    },
  })
  /** Keeps a part as it is, and returns one that says what a test makes it say. */
  function saying<Name extends keyof Parts>(name: Name, judging: keyof Parts[Name], part: Parts[Name]): Parts[Name] {
    parts[name] = part
    const judge = part[judging] as (...given: unknown[]) => Promise<FactorVerdict>
    const say = async (...given: unknown[]): Promise<FactorVerdict> => {
      if (site.says !== null && site.says !== 'proves-the-same') return site.says
      const verdict = await judge(...given)
      if (site.says === null || !verdict.ok) return verdict
      return { ...verdict, proof: { ...verdict.proof, category: 'know' } }
    }
    return { ...part, [judging]: say }
  }
  const listener = await listen(({ port }) => bench.at(port), {
    hostname: '127.0.0.1',
    port: 0,
    closeOn: [],
    print: null,
  })
  const url = `http://127.0.0.1:${listener.port}`
  const site: Site = {
    ...bench,
    url,
    parts,
    says: null,
    visitor: () => createVisitor(url),
    before(call, nth, run) {
      calls = []
      waiting = { call, nth, run }
    },
    async countCalls(call, run) {
      calls = []
      await run()
      return calls.filter((one) => one === call).length
    },
    close: () => listener.close(),
  }
  return site
}

/** The services of a file of tests. */
export interface Sites {
  /** Returns the service with these options of its own. */
  with(options?: BenchOptions['options']): Promise<Site>
  close(): Promise<void>
}

export function useSites(): Sites {
  const sites = new Map<BenchOptions['options'], Promise<Site>>()
  return {
    async with(options) {
      const opening = sites.get(options) ?? openSite(options)
      sites.set(options, opening)
      const site = await opening
      site.says = null
      return site
    },
    async close() {
      for (const site of sites.values()) await (await site).close()
    },
  }
}

/** What is shown next, and by whom. */
export interface Shows {
  visitor: Visitor
  password: string
  code: string
  /** The code of a mail; `null`: none was asked for. */
  mailed: MailedCode | null
  /** What an authenticator is asked; `null`: nothing. */
  ceremony: object | null
  isForged: boolean
}

/** An account with factors, and who signs in to it. */
export interface Scene {
  readonly site: Site
  readonly way: Way
  readonly account: StoredAccount
  readonly visitor: Visitor
  readonly authenticator: SoftwareAuthenticator
  readonly kinds: readonly Kind[]
  readonly shows: Shows
  /** Returns a code that was never shown. */
  newCode(kind: Kind): string
  /** Asks for a code by mail, by who shows what is next. */
  askForMail(): Promise<MailedCode>
  /** The key of the record that it is in. */
  mailedKey(): string
  /** The code of the app so many steps from now. */
  codeIn(steps: number): string
}

const everyKind: readonly Kind[] = ['totp', 'recovery-code', 'passkey']

export interface SceneOptions {
  /** @default every kind */
  readonly kinds?: readonly Kind[]
  readonly account?: Partial<StoredAccount>
}

export async function createScene(
  site: Site,
  way: Way,
  { kinds = everyKind, account: change = {} }: SceneOptions = {},
): Promise<Scene> {
  const { parts, clock, advance } = site
  const enrolled = kinds.filter((kind) => kind !== 'recovery-code')
  const account = await site.insert(change)
  const { id, email } = account
  await site.stores.accounts.replace(id, {}, { enrolled })
  const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com', counter: 7 })
  const { secret } = await parts.totp.enroll(id, email)
  if (kinds.includes('totp')) await parts.totp.confirm(id, codeAt(secret, clock.time))
  const codes = kinds.includes('recovery-code') ? [...(await parts.recoveryCodes.generate(id))] : []
  if (kinds.includes('passkey')) {
    const { options } = await parts.passkeys.startRegistration({ id, name: email, displayName: email })
    await parts.passkeys.finishRegistration(id, await authenticator.create(options as never), { name: 'Laptop' })
  }
  const visitor = site.visitor()
  const shows: Shows = { visitor, password, code: '', mailed: null, ceremony: null, isForged: false }
  return {
    site,
    way,
    account,
    visitor,
    authenticator,
    kinds,
    shows,
    newCode(kind) {
      if (kind === 'recovery-code') return codes.pop() ?? '7k2m-9q4x-0c3v-tn5d'
      advance(30)
      return codeAt(secret, clock.time)
    },
    async askForMail() {
      const challenge = await way.askForMail(shows.visitor, email)
      return { email, code: await codeOfMail(site, email), challenge }
    },
    mailedKey() {
      const text = shows.mailed?.challenge ?? shows.visitor.jar.get('__Host-sign-in-code') ?? ''
      return text.split('.', 1)[0] ?? ''
    },
    codeIn: (steps) => codeAt(secret, clock.time + steps * 30_000),
  }
}

/** Mails are sent in a later turn than the answer. */
async function codeOfMail({ outbox }: Site, to: string): Promise<string> {
  const find = () => outbox.find((mail) => mail.kind === 'sign-in-code' && mail.to === to)
  const mail = await vi.waitFor(() => find() ?? Promise.reject(new Error('no code was mailed')))
  outbox.splice(outbox.indexOf(mail), 1)
  return mail.kind === 'sign-in-code' ? mail.data.code : ''
}

/** What the stores hold of an account. */
export interface Held {
  readonly account: StoredAccount | null
  readonly factors: readonly string[]
  readonly open: readonly string[]
}

export async function readHeld({ site: { stores }, account: { id } }: Scene): Promise<Held> {
  const factors = (await stores.documents?.listByOwner(id))?.items ?? []
  const { items } = await stores.records.listByOwner(id)
  return {
    account: await stores.accounts.get(id),
    // Without the count of wrong codes, which each of them changes.
    factors: factors
      .map(({ collection, value }) => JSON.stringify([collection, { ...JSON.parse(value), failures: 0 }]))
      .sort(),
    open: items.map(({ key }) => key).sort(),
  }
}
