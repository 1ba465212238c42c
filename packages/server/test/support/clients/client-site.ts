import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createPasskeys } from '@latchkey/passkeys'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { onTestFinished } from 'vitest'
import { openSite, type Site } from '../browser.ts'
import { reader } from './asking.ts'

export interface ClientSite extends Site {
  /** Where the client is, which is another site than the service. */
  readonly client: string
  /** The address of a request of the client; a page of the client links it. */
  readonly requestUrl: (changes?: Readonly<Record<string, string>>) => string
  /** Exchanges the code that a browser has come back with, and returns the answer. */
  readonly exchange: (callbackUrl: string) => Promise<{ readonly access_token: string }>
  /** How the service answers an access token. */
  readonly statusOf: (accessToken: string) => Promise<number>
}

type Options = NonNullable<Parameters<typeof openSite>[0]>

/** A service as a browser reaches it, and a client at another site whose pages link it, until the test is over. */
export async function openClientSite(options: Options = {}, name = 'Reader'): Promise<ClientSite> {
  const { verifier, challenge } = createPkcePair()
  let service = ''
  const pages = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://client')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    // A link, and a frame around the page that it leads to, are all that a client can put before the service.
    const target = `${service}/authorize?${searchParams}`.replaceAll('&', '&amp;')
    const body = pathname === '/framed' ? `<iframe src="${target}"></iframe>` : `<a href="${target}">Go on</a>`
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Client</title><main>${body}</main>`,
    )
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    pages.closeAllConnections()
    await new Promise((resolve) => pages.close(resolve))
  })
  const client = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const redirectUri = `${client}/callback`
  const site = await openSite({
    oauth: (parts) =>
      createAuthorizationServer({
        ...parts,
        fixedClients: [
          { ...reader, name, redirectUris: [redirectUri], postLogoutRedirectUris: [`${client}/`] },
          { ...reader, id: 'pocket', name: 'Pocket', kind: 'native', redirectUris: ['http://[::1]/callback'] },
          {
            id: 'television',
            name: 'Television',
            authentication: ['none'],
            grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
            redirectUris: [],
            scopes: ['openid', 'notes:write'],
          },
        ],
      }),
    ...options,
    signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes, ...options.signIn },
  })
  service = site.url
  const asked = { client_id: 'reader', redirect_uri: redirectUri, scope: 'openid email', state: 'state-1' }
  return {
    ...site,
    client,
    requestUrl: (changes = {}) =>
      `${client}/?${new URLSearchParams({ ...parametersOf(challenge), ...asked, ...changes })}`,
    exchange: (callbackUrl) => exchange(service, { redirectUri, verifier, callbackUrl }),
    statusOf: async (accessToken) =>
      (await fetch(`${service}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).status,
  }
}

const parametersOf = (challenge: ReturnType<typeof createPkcePair>['challenge']) => ({
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
})

async function exchange(
  service: string,
  given: { readonly redirectUri: string; readonly verifier: string; readonly callbackUrl: string },
): Promise<{ readonly access_token: string }> {
  const code = new URL(given.callbackUrl).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id: 'reader', redirect_uri: given.redirectUri, code }
  const body = new URLSearchParams({ ...form, code_verifier: given.verifier })
  const response = await fetch(`${service}/token`, { method: 'POST', body })
  if (!response.ok) throw new Error(`no tokens: ${response.status} ${await response.text()}`)
  return response.json() as Promise<{ access_token: string }>
}
