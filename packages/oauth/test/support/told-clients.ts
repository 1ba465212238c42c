import type { AuthorizationServerOptions, FixedClient } from '@latchkey/oauth/server'
import { answerOf, authorizeTarget, type Browser, createProvider, type Provider, pair, spa, web } from './provider.ts'

/** Clients that are told of the end of a session. */
export const desk: FixedClient = {
  ...web,
  id: 'desk',
  backchannelLogoutUri: 'https://desk.example.com/logout?tenant=1',
}
export const board: FixedClient = { ...web, id: 'board', backchannelLogoutUri: 'https://board.example.com/logout' }

/** What a client was sent. */
export interface Told {
  readonly url: string
  readonly init: RequestInit
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
}

export interface ToldProvider extends Provider {
  /** What clients were sent, in this order. */
  readonly told: Told[]
}

/** A server whose clients answer by `fetch`; omitted: 200. */
export async function createToldProvider(
  answer: (url: string, init: RequestInit) => Promise<Response> = async () => new Response('thanks'),
  changes: Partial<AuthorizationServerOptions> = {},
): Promise<ToldProvider> {
  const told: Told[] = []
  const fetch = (async (url: string, init: RequestInit) => {
    const [header = '', claims = ''] = (new URLSearchParams(`${init.body}`).get('logout_token') ?? '').split('.')
    told.push({ url, init, header: read(header), claims: read(claims) })
    return answer(url, init)
  }) as typeof globalThis.fetch
  const fixedClients = [desk, board, web, spa]
  return { ...(await createProvider({ fixedClients, consent: () => 'granted', fetch, ...changes })), told }
}

function read(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

/** Lets a browser give a client a code. */
export async function giveCode(browser: Browser, client: FixedClient = desk, scope = 'openid'): Promise<string> {
  const [redirectUri = ''] = client.redirectUris ?? []
  const target = authorizeTarget({ client_id: client.id, redirect_uri: redirectUri, scope })
  return answerOf(await browser.get(target), redirectUri).code ?? ''
}

/** Shows a code, and returns what the client is answered. */
export async function redeem(browser: Browser, code: string, client: FixedClient = desk) {
  const [redirectUri = ''] = client.redirectUris ?? []
  const shown = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: pair.verifier }
  const secret = client.secret === undefined ? {} : { client_secret: client.secret }
  const response = await browser.post('/token', { ...shown, client_id: client.id, ...secret })
  return { status: response.status, answer: await response.json() }
}

/** Lets a browser give a client tokens. */
export async function give(browser: Browser, client: FixedClient = desk, scope = 'openid'): Promise<void> {
  const { status, answer } = await redeem(browser, await giveCode(browser, client, scope), client)
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(answer)}`)
}
