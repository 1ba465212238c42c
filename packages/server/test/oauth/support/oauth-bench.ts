import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer, type FixedClient } from '@latchkey/oauth/server'
import { type AppOptions, type Bench, type BenchOptions, createBench } from '../../support/bench.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

export const callback = 'https://spa.example.org/callback'
const ownScopes = ['openid', 'profile', 'email', 'offline_access']
const permissions = ['notes:write', 'accounts:read', 'accounts:update']

export const spa: FixedClient = {
  id: 'spa',
  name: 'Reader',
  authentication: ['none'],
  redirectUris: [callback],
  postLogoutRedirectUris: ['https://spa.example.org/'],
  scopes: [...ownScopes, ...permissions],
}
const deskSecret = 'secret-of-the-desk'
export const desk: FixedClient = {
  ...spa,
  id: 'desk',
  name: 'Desk',
  authentication: ['client_secret_post'],
  secret: deskSecret,
  redirectUris: ['https://desk.example.org/callback'],
  postLogoutRedirectUris: [],
}
const machine: FixedClient = {
  id: 'machine',
  name: 'Nightly',
  authentication: ['client_secret_basic'],
  secret: 'secret-of-the-machine',
  grantTypes: ['client_credentials'],
  redirectUris: [],
  scopes: ['notes:write'],
}

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

export interface GivenOptions {
  readonly scope?: string
  readonly client?: FixedClient
  /** The resources that are asked for; omitted: none is named. */
  readonly resource?: string | readonly string[]
  /** Makes the `DPoP` header of the token request. */
  readonly proof?: string
}

export interface Lives {
  readonly graphql: boolean
  readonly userinfo: boolean
  readonly introspect: boolean
}
export const lives: Lives = { graphql: true, userinfo: true, introspect: true }
export const ended: Lives = { graphql: false, userinfo: false, introspect: false }

export interface OAuthBench extends Bench {
  /** Lets the browser of who is signed in give a client tokens, with its consent. */
  readonly give: (browser: Visitor, options?: GivenOptions) => Promise<TokenAnswer>
  /** Lets the browser give a code, and returns what it is exchanged with. */
  readonly giveCode: (browser: Visitor, options?: GivenOptions) => Promise<Record<string, string>>
  readonly token: (form: Record<string, string>, headers?: Record<string, string>) => Promise<Answer>
  /** A client that shows an access token as `Bearer`. */
  readonly bearing: (token: string) => Visitor
  /** Whether a token of `desk` is one at each place that says so. */
  readonly livesAt: (token: string) => Promise<Lives>
  /** Tokens of a machine. */
  readonly machineToken: () => Promise<string>
}

/** A service with an authorization server, in which everybody allows clients what they ask for. */
const withOAuth: AppOptions = {
  oauth: (parts) =>
    createAuthorizationServer({ ...parts, fixedClients: [spa, desk, machine], consent: () => 'granted' }),
}

export function createOAuthBench(given: BenchOptions = {}): OAuthBench {
  const bench = createBench({ ...given, options: { ...withOAuth, ...given.options } })
  const bearing: OAuthBench['bearing'] = (accessToken) => Object.assign(bench.visitor(), { bearer: accessToken })
  const token: OAuthBench['token'] = (form, headers = {}) => bench.visitor().post('/token', form, headers)

  const giveCode: OAuthBench['giveCode'] = async (browser, { scope = 'openid', client = spa, resource } = {}) => {
    const { verifier, challenge } = createPkcePair()
    const [redirectUri = ''] = client.redirectUris ?? []
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: redirectUri,
      scope,
      state: 'state-1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    for (const one of [resource ?? []].flat()) query.append('resource', one)
    const { status, headers, text } = await browser.get(`/authorize?${query}`)
    const location = headers.get('location') ?? ''
    const code = URL.parse(location)?.searchParams.get('code')
    if (!code) throw new Error(`no code: ${status} ${location} ${text}`)
    return {
      grant_type: 'authorization_code',
      client_id: client.id,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
      ...(client.secret !== undefined && { client_secret: client.secret }),
    }
  }

  return {
    ...bench,
    token,
    giveCode,
    async give(browser, options = {}) {
      const form = await giveCode(browser, options)
      const answer = await token(form, options.proof === undefined ? {} : { dpop: options.proof })
      if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`)
      return JSON.parse(answer.text)
    },
    bearing,
    async livesAt(accessToken) {
      const visitor = bearing(accessToken)
      const form = { token: accessToken, client_id: desk.id, client_secret: deskSecret }
      return {
        graphql: (await visitor.ask('{ viewer { id } }')).status === 200,
        userinfo: (await visitor.get('/userinfo')).status === 200,
        introspect: JSON.parse((await bench.visitor().post('/introspect', form)).text).active,
      }
    },
    async machineToken() {
      const authorization = `Basic ${btoa('machine:secret-of-the-machine')}`
      const { text } = await token({ grant_type: 'client_credentials' }, { authorization })
      return JSON.parse(text).access_token
    },
  }
}
