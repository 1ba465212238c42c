import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import {
  type CallbackVerdict,
  createOAuthClient,
  type OAuthClient,
  type OAuthClientEvent,
  type OAuthClientOptions,
  providers,
} from '@latchkey/oauth/client'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { createTestProvider, type TestProvider } from './test-provider.ts'

export const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]

export const redirectUri = 'https://app.example/sign-in/one/callback'

/** A browser's cookies for one site. */
export interface CookieJar {
  readonly cookies: Map<string, string>
  keep(line: string | null): void
  header(): string | null
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, string>()
  return {
    cookies,
    keep(line) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line ?? '') ?? []
      if (line === null) return
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    },
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
  }
}

export interface OpenClient {
  readonly client: OAuthClient
  readonly provider: TestProvider
  readonly records: RecordStore
  readonly events: OAuthClientEvent[]
  readonly jar: CookieJar
  readonly now: () => number
  advance(seconds: number): void
  /** Begins a sign-in in the browser, and returns where it goes. */
  begin(input?: Parameters<OAuthClient['begin']>[0]): Promise<string>
  /** Shows a callback with the cookies of the browser, and keeps what it answers. */
  finish(url: string | URL): Promise<CallbackVerdict>
  /** All of it. */
  signIn(input?: Parameters<OAuthClient['begin']>[0]): Promise<CallbackVerdict>
}

/** Opens a client of a provider in memory. */
export async function openClient(changes: Partial<OAuthClientOptions> = {}): Promise<OpenClient> {
  let time = 1_790_000_000_000
  const now = changes.now ?? (() => time)
  const issuer = changes.provider?.issuer ?? 'https://one.example'
  const clientId = changes.clientId ?? 'client'
  const provider = await createTestProvider({ issuer, now, clientId })
  const records = changes.records ?? createMemoryRecordStore({ now })
  const events: OAuthClientEvent[] = []
  const jar = createCookieJar()
  const client = createOAuthClient({
    provider: providers.openid({ issuer, name: 'one' }),
    clientId,
    ...(changes.privateKey === undefined && { clientSecret: 'secret-of-client' }),
    redirectUri,
    records,
    secrets,
    now,
    fetch: provider.fetch,
    // A machine with other work is no slow provider.
    timeoutMs: 30_000,
    onEvent: (event) => void events.push(event),
    ...changes,
  })
  const opened: OpenClient = {
    client,
    provider,
    records,
    events,
    jar,
    now,
    advance(seconds) {
      time += seconds * 1000
    },
    async begin(input = {}) {
      const { url, cookie } = await client.begin({ cookieHeader: jar.header(), ...input })
      jar.keep(cookie)
      return url
    },
    async finish(url) {
      const verdict = await client.finish(url, jar.header())
      jar.keep(verdict.cookie)
      return verdict
    },
    signIn: async (input) => opened.finish(provider.authorize(await opened.begin(input))),
  }
  return opened
}
