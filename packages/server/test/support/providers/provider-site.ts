import { randomBytes } from '@latchkey/bytes'
import { createOAuthClient, providers } from '@latchkey/oauth/client'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { type BenchOptions, createMemoryStores } from '../bench.ts'
import { openSiteAt, type Site } from '../browser.ts'

type Options = NonNullable<BenchOptions['options']>

/** A service whose users sign in with another one, Lighthouse, at another site. */
export interface ProviderSite extends Site {
  readonly lighthouse: Site
}

/** Opens both until the test is over, with one clock. A user of Lighthouse whom no account is linked to gets one. */
export async function openProviderSite(
  options: Options = {},
  changes: Omit<NonNullable<NonNullable<Options['signIn']>['providers']>, 'clients'> = {},
): Promise<ProviderSite> {
  const clock = { time: 1_800_000_000_000 }
  const clientSecret = 'secret-of-the-application'
  let lighthouse: Site | undefined
  const site = await openSiteAt('localhost', async (url) => {
    const redirectUri = `${url}/sign-in/with/lighthouse/callback`
    const authentication = ['client_secret_basic'] as const
    const scopes = ['openid', 'profile', 'email']
    const client = { id: 'app', name: 'Harbour', authentication, redirectUris: [redirectUri], scopes }
    const oauth: Options['oauth'] = (parts) =>
      createAuthorizationServer({ ...parts, fixedClients: [{ ...client, secret: clientSecret }] })
    const pages = { name: 'Lighthouse' }
    lighthouse = await openSiteAt('127.0.0.1', () => ({ beside: createKept(clock), options: { oauth, pages } }))
    const beside = createKept(clock)
    const { records } = beside.stores
    const provider = providers.openid({ issuer: lighthouse.url, name: 'lighthouse' })
    const registered = { clientId: client.id, clientSecret, redirectUri }
    const clients = {
      lighthouse: createOAuthClient({
        ...registered,
        provider,
        records,
        secrets: beside.secrets,
        // A machine with other work is no slow provider.
        timeoutMs: 30_000,
      }),
    }
    const labels = { lighthouse: 'Lighthouse' }
    const given = { labels, newAccounts: 'verified-email', ...changes, clients } as const
    return {
      beside,
      options: {
        ...options,
        pages: { name: 'Harbour', ...options.pages },
        signIn: { ...options.signIn, providers: given },
      },
    }
  })
  if (!lighthouse) throw new Error('the provider was not created')
  return { ...site, lighthouse }
}

function createKept(clock: { time: number }): NonNullable<BenchOptions['beside']> {
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  return { clock, secrets, outbox: [], stores: createMemoryStores(() => clock.time) }
}
