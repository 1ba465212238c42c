import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A server of this machine whose address is known before it answers. */
export interface Listening {
  readonly origin: string
  answerBy(listener: RequestListener): void
  close(): Promise<void>
}

export async function listen(): Promise<Listening> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    answerBy: (listener) => void http.on('request', listener),
    async close() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

/** A browser that keeps cookies, follows redirects and presses the button of every form that it is shown. */
export interface Robot {
  /** Goes to an address and on from there until it leaves the provider: returns where to. */
  visit(address: string): Promise<URL>
}

export function createRobot(origin: string, fields: Readonly<Record<string, string>>): Robot {
  const cookies = new Map<string, string>()
  async function request(url: URL, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const method = form ? { method: 'POST', body: form } : {}
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...method })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    async visit(address) {
      let url = new URL(address)
      let form: URLSearchParams | undefined
      for (let step = 0; step < 20; step++) {
        if (url.origin !== origin) return url
        const response = await request(url, form)
        const location = response.headers.get('location')
        if (location === null) ({ url, form } = readForm(await response.text(), url, fields))
        else [url, form] = [new URL(location, url), undefined]
      }
      throw new Error(`no way out of the provider at ${url}`)
    },
  }
}

function readForm(html: string, at: URL, fields: Readonly<Record<string, string>>) {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]
  if (action === undefined) throw new Error(`no form at ${at}: ${html.slice(0, 500)}`)
  const form = new URLSearchParams(fields)
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const [name, value] = [/name="([^"]+)"/.exec(input)?.[1], /value="([^"]*)"/.exec(input)?.[1]]
    if (name !== undefined && value !== undefined) form.set(name, value)
  }
  return { url: new URL(action, at), form }
}

export interface OidcProviderOptions {
  readonly redirectUri: string
  readonly postLogoutRedirectUri: string
  readonly backchannelLogoutUri: string
}

/** Opens `oidc-provider`, which many services are built on, with one client. */
export async function openOidcProvider(options: OidcProviderOptions): Promise<Listening> {
  const listening = await listen()
  const provider = new Provider(listening.origin, {
    clients: [
      {
        client_id: 'client',
        client_secret: 'secret-of-client',
        redirect_uris: [options.redirectUri],
        post_logout_redirect_uris: [options.postLogoutRedirectUri],
        backchannel_logout_uri: options.backchannelLogoutUri,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: 'Ada', email: `${sub}@one.example`, email_verified: true }),
    }),
    // Its own refuses to send anything to this machine.
    fetch: (
      url: string | Request | URL,
      { dispatcher: _guarded, ...init }: RequestInit & { readonly dispatcher?: unknown } = {},
    ) => fetch(url, init),
    cookies: { keys: ['key-of-cookies'] },
    features: {
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
    },
  })
  listening.answerBy(provider.callback())
  return listening
}
