import { type Bench, type BenchOptions, createMemoryStores, linksIn } from '../bench.ts'
import { createFactorBench } from '../factor-bench.ts'
import { ownForm } from '../forms.ts'
import type { Answer, Visitor } from '../visitor.ts'
import { createFakeProvider, type FakeProvider, type FakeProviderOptions } from './fake-provider.ts'

const secrets = [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] as const

export interface ProviderBenchOptions extends Omit<BenchOptions, 'options'> {
  readonly options?: BenchOptions['options']
  /** Beside the clients. */
  readonly providers?: NonNullable<NonNullable<BenchOptions['options']>['signIn']>['providers']
  readonly one?: Partial<FakeProviderOptions>
  /** Makes the service. @default createFactorBench */
  readonly make?: (given: BenchOptions) => Bench
}

/** A service with two providers, `one` and `two`. */
export function createProviderBench({
  options = {},
  providers = {},
  one,
  make = createFactorBench,
  ...given
}: ProviderBenchOptions = {}) {
  const clock = { time: 1_800_000_000_000 }
  const now = () => clock.time
  const stores = given.beside?.stores ?? createMemoryStores(now)
  const linkReads = { before: async (): Promise<void> => undefined }
  const { get } = stores.documents
  stores.documents.get = async (collection, id) => {
    if (collection === 'provider-link') await linkReads.before()
    return get(collection, id)
  }
  const beside = given.beside ?? { stores, secrets, clock, outbox: [] }
  const shared = { records: stores.records, secrets, now: () => beside.clock.time }
  const fakes = {
    one: createFakeProvider({ name: 'one', ...shared, ...one }),
    two: createFakeProvider({ name: 'two', ...shared }),
  }
  const clients = { one: fakes.one.client, two: fakes.two.client }
  const bench = make({
    ...given,
    beside,
    options: {
      ...options,
      signIn: { ...options.signIn, providers: { labels: { one: 'One' }, ...providers, clients } },
    },
  })
  const links = linksIn(stores.documents)
  return {
    ...bench,
    ...fakes,
    links,
    /** `before` is called before a link is read. */
    linkReads,
    /** Links the user of a provider to an account. */
    link: (accountId: string, { issuer }: FakeProvider = fakes.one, subject = 'ada') =>
      links.insert({ issuer, subject, accountId, createdAt: now() }),
  }
}

export type ProviderBench = ReturnType<typeof createProviderBench>

/** Presses a button that leads to a provider, and returns where to. */
export async function pressed(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  return leadOf(await visitor.post(path, fields, ownForm))
}

/** Returns where a page leads at once. */
export function leadOf({ status, headers, text }: Answer): string {
  const url = /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1]
  if (url === undefined) throw new Error(`it was answered ${status}: ${text}`)
  return url
}

/** What a browser sends when the page of another site has led to this one. */
const fromElsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

/** Follows where a provider leads, through the page that asks for the same from here. */
export async function comeBack(visitor: Visitor, url: URL): Promise<Answer> {
  const first = await visitor.get(`${url.pathname}${url.search}`, fromElsewhere)
  return visitor.get(leadOf(first), { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })
}

/** Signs in with a provider, from the button on. */
export async function signInWith(
  visitor: Visitor,
  provider: FakeProvider,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const name = new URL(provider.issuer).hostname.split('.', 1)[0]
  return comeBack(visitor, provider.authorize(await pressed(visitor, `/sign-in/with/${name}`, fields)))
}

export const locationOf = ({ status, headers }: Answer) => [status, headers.get('location')]

export const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.ask('{ viewer { id } }')).status === 200

/** Returns the code that a page of a refusal shows. */
export const codeOf = ({ text }: Answer): string | undefined => /<code>(.*)<\/code>/.exec(text)?.[1]
