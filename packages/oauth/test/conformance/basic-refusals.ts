import { authenticate, completeFlow, flow, judgeError, judgeIdToken, requestOf } from './authorization-flow.ts'
import type { ConformanceModule, Holds } from './conformance-module.ts'
import { answers, changesAnswer, changesJson, overlooks, trusts } from './mistakes.ts'
import {
  type Between,
  type Client,
  callback,
  first,
  type Json,
  type ProviderUnderTest,
  second,
} from './provider-under-test.ts'

const missing = 'the user sees an error page, or the callback has invalid_request or unsupported_response_type'
const unregistered = 'the user sees an error page, and no address that is not registered is opened'
const rejected = 'the callback has request_not_supported with the state and the issuer'
const undeclared = 'the metadata says that request objects are not supported'

const reused = 'the code that is shown again is answered 400 with invalid_grant in JSON'
const ended = 'the access token that the code gave opens nothing any more'

const isError = ({ status, headers, body }: Json, error: string): boolean =>
  status === 400 && /^application\/json\b/.test(headers.get('content-type') ?? '') && body.error === error

/** An unsigned request object: its parts are those of the request, and an issuer and audience. */
function requestObject(parameters: URLSearchParams): string {
  const encode = (part: object) =>
    btoa(JSON.stringify(part)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')
  return `${encode({ alg: 'none' })}.${encode({ ...Object.fromEntries(parameters), iss: first.id })}.`
}

async function judgeReuse(provider: ProviderUnderTest, holds: Holds, seconds: number): Promise<void> {
  const { form, tokens } = await completeFlow(provider, holds)
  provider.advance(seconds)
  holds(reused, isError(await provider.json('/token', authenticate(first, form)), 'invalid_grant'))
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  if (seconds > 0) holds(ended, (await provider.send('/userinfo', { headers })).status === 401)
}

/** Refuses the second use of a code itself: what the first one gave stays. */
function forgetsReuse(): Between {
  const seen = new Set<string>()
  return async (request, next) => {
    if (new URL(request.url).pathname !== '/token') return next(request)
    const code = new URLSearchParams(await request.clone().text()).get('code') ?? ''
    const isNew = !seen.has(code)
    seen.add(code)
    if (isNew) return next(request)
    const headers = { 'content-type': 'application/json' }
    return new Response('{"error":"invalid_grant"}', { status: 400, headers })
  }
}

const refreshed = {
  allowed: 'the refresh token has characters of RFC 6749 §A.17 only',
  answer: 'a refresh is answered 200 with JSON that nothing stores, and a Bearer access token of a stated lifetime',
  different: 'the access token is another one',
  claims: 'the id token of a refresh has the iss, sub, aud and auth_time of the first one, and a later iat',
  bound: 'the refresh token of another client is answered 400 with invalid_grant in JSON',
}

async function signInOffline(provider: ProviderUnderTest, holds: Holds, client: Client) {
  const changes = { scope: 'openid offline_access', prompt: 'consent' }
  return completeFlow(provider, holds, { client, changes })
}

async function judgeRefresh(provider: ProviderUnderTest, holds: Holds, client: Client): Promise<string> {
  const { tokens, claims } = await signInOffline(provider, holds, client)
  const token = String(tokens.refresh_token)
  holds(refreshed.allowed, /^[ -~]+$/.test(token) && tokens.refresh_token !== undefined)
  provider.advance(1)
  const form = { grant_type: 'refresh_token', refresh_token: token }
  const { status, headers, body } = await provider.json('/token', authenticate(client, form))
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  const isUnstored = headers.get('cache-control') === 'no-store' && headers.get('pragma') === 'no-cache'
  const isBearer = String(body.token_type).toLowerCase() === 'bearer' && Number(body.expires_in) > 0
  holds(refreshed.answer, status === 200 && isJson && isUnstored && isBearer)
  holds(refreshed.different, body.access_token !== tokens.access_token)
  const next = await judgeIdToken(provider, holds, { idToken: String(body.id_token), client })
  const isSame = ['iss', 'sub', 'aud', 'auth_time'].every((name) => next[name] === claims[name])
  holds(refreshed.claims, isSame && Number(next.iat) > Number(claims.iat))
  return String(body.refresh_token)
}

export const basicRefusals: readonly ConformanceModule[] = [
  {
    name: 'oidcc-response-type-missing',
    conditions: [missing],
    async run(provider, holds) {
      const arrival = await provider.browse(requestOf(provider, first, { response_type: null }))
      if (arrival.at === 'page') return holds(missing, arrival.status >= 400)
      judgeError(holds, missing, arrival, ['invalid_request', 'unsupported_response_type'])
    },
    violation: {
      what: 'has another error for it',
      between: changesAnswer((to) => to.searchParams.set('error', 'server_error')),
      breaks: missing,
    },
  },
  {
    name: 'oidcc-codereuse',
    conditions: [...flow, reused],
    run: (provider, holds) => judgeReuse(provider, holds, 0),
    violation: {
      what: 'has another error for it',
      between: changesJson('/token', (body) => (body.error ? { error: 'invalid_request' } : body)),
      breaks: reused,
    },
  },
  {
    name: 'oidcc-codereuse-30seconds',
    conditions: [...flow, reused, ended],
    run: (provider, holds) => judgeReuse(provider, holds, 30),
    violation: {
      what: 'refuses a code and forgets what it gave',
      between: forgetsReuse(),
      breaks: ended,
    },
  },
  {
    name: 'oidcc-ensure-registered-redirect-uri',
    conditions: [unregistered],
    async run(provider, holds) {
      const arrival = await provider.browse(requestOf(provider, first, { redirect_uri: `${callback}/a1b2c3` }))
      holds(unregistered, arrival.at === 'page' && arrival.status === 400)
    },
    violation: {
      what: 'goes wherever a request says',
      between: trusts('/authorize', 'redirect_uri'),
      breaks: unregistered,
    },
  },
  {
    name: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    conditions: [undeclared, rejected],
    async run(provider, holds) {
      const { body } = await provider.json('/.well-known/openid-configuration')
      holds(undeclared, body.request_parameter_supported === false)
      const path = requestOf(provider, first)
      const request = requestObject(new URL(path, callback).searchParams)
      judgeError(holds, rejected, await provider.browse(`${path}&${new URLSearchParams({ request })}`), [
        'request_not_supported',
      ])
    },
    violation: { what: 'overlooks request objects', between: overlooks({ request: null }), breaks: rejected },
  },
  {
    name: 'oidcc-ensure-request-object-with-redirect-uri',
    conditions: [unregistered],
    async run(provider, holds) {
      const request = requestObject(new URL(requestOf(provider, first), callback).searchParams)
      const arrival = await provider.browse(requestOf(provider, first, { redirect_uri: `${callback}/other`, request }))
      holds(unregistered, arrival.at === 'page' && arrival.status === 400)
    },
    violation: {
      what: 'answers at the address of the client that it has, whatever was asked for',
      between: answers('/authorize', () => new Response(null, { status: 303, headers: { location: callback } })),
      breaks: unregistered,
    },
  },
  {
    name: 'oidcc-refresh-token',
    conditions: [...flow, ...Object.values(refreshed)],
    async run(provider, holds) {
      await judgeRefresh(provider, holds, first)
      const ofSecond = await judgeRefresh(provider, holds, second)
      const form = { grant_type: 'refresh_token', refresh_token: ofSecond }
      holds(refreshed.bound, isError(await provider.json('/token', authenticate(first, form)), 'invalid_grant'))
    },
    violation: {
      what: 'lets answers with tokens be stored',
      between: answers('/token', (_request, response) => {
        response.headers.delete('cache-control')
        return response
      }),
      breaks: refreshed.answer,
    },
  },
]
