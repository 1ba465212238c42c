import { completeFlow, flow, flowConditions } from './authorization-flow.ts'
import type { ConformanceModule } from './conformance-module.ts'
import { answers, changesJson, overlooks, refuses } from './mistakes.ts'
import { type ProviderUnderTest, posting } from './provider-under-test.ts'

const isGrant = async (request: Request, name: string): Promise<boolean> =>
  new URLSearchParams(await request.clone().text()).get('grant_type') === name
const isCode = (request: Request) => isGrant(request, 'authorization_code')

/** Modules whose request has one parameter more, which must not disturb it (§15.1). */
function succeedsWith(name: string, parameter: string, value: string): ConformanceModule {
  return {
    name,
    conditions: flow,
    async run(provider, holds) {
      await completeFlow(provider, holds, { changes: { [parameter]: value } })
    },
    violation: { what: `refuses ${parameter}`, between: refuses(parameter), breaks: flowConditions.code },
  }
}

const userinfoConditions = {
  json: 'userinfo answers 200 with JSON',
  sub: 'userinfo has the sub of the id token',
  claims: 'every claim of userinfo has the type that it has in OpenID Connect Core §5.1',
}

const textClaims = ['sub', 'name', 'given_name', 'family_name', 'email', 'locale', 'picture', 'profile']

/** Asks for the claims of the user in one way, and judges the answer. */
async function judgeUserinfo(
  provider: ProviderUnderTest,
  holds: (condition: string, isTrue: boolean) => void,
  { path, init }: { readonly path: string; readonly init: (accessToken: string) => RequestInit },
): Promise<void> {
  const { tokens, claims } = await completeFlow(provider, holds)
  const { status, headers, body } = await provider.json(path, init(String(tokens.access_token)))
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  holds(userinfoConditions.json, status === 200 && isJson)
  holds(userinfoConditions.sub, typeof body.sub === 'string' && body.sub === claims.sub)
  const isTyped = textClaims.every((name) => ['string', 'undefined'].includes(typeof body[name]))
  holds(userinfoConditions.claims, isTyped && ['boolean', 'undefined'].includes(typeof body.email_verified))
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Modules of one scope: userinfo has its claims, and neither it nor the id token has others. */
function givesClaims(
  name: string,
  {
    scope,
    given,
    withheld,
  }: Readonly<Record<'scope', string>> & Readonly<Record<'given' | 'withheld', readonly string[]>>,
): ConformanceModule {
  const [has, has_not, inIdToken] = [
    `userinfo has ${given.join(', ')}`,
    `userinfo has no ${withheld.join(', ')}`,
    'the id token has none of these claims, since there is an access token',
  ]
  return {
    name,
    conditions: [...flow, has, has_not, inIdToken],
    async run(provider, holds) {
      const { userinfo, claims } = await completeFlow(provider, holds, { changes: { scope } })
      holds(
        has,
        given.every((claim) => userinfo.body[claim] !== undefined),
      )
      holds(
        has_not,
        withheld.every((claim) => userinfo.body[claim] === undefined),
      )
      holds(
        inIdToken,
        [...given, ...withheld].every((claim) => claims[claim] === undefined),
      )
    },
    violation: {
      what: 'answers what another scope opens',
      between: changesJson('/userinfo', (body) => ({ ...body, [withheld[0] ?? '']: 'told' })),
      breaks: has_not,
    },
  }
}

/** Modules of scopes that the provider does not have: the suite skips them by `scopes_supported`. */
function skipsScope(name: string, scopes: readonly string[]): ConformanceModule {
  const condition = `scopes_supported does not have all of ${scopes.join(', ')}: the module is skipped`
  return {
    name,
    conditions: [condition],
    async run(provider, holds) {
      const { body } = await provider.json('/.well-known/openid-configuration')
      holds(condition, !scopes.every((scope) => (body.scopes_supported as string[]).includes(scope)))
    },
    violation: {
      what: 'says that it has a scope which it has not',
      between: changesJson('/.well-known/openid-configuration', (body) => ({
        ...body,
        scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
      })),
      breaks: condition,
    },
  }
}

const unsigned = (idToken: unknown): string => {
  const payload = String(idToken).split('.')[1]
  return `${btoa(JSON.stringify({ alg: 'none', kid: 'a' })).replaceAll('=', '')}.${payload}.`
}

const isWithoutNonce = 'the id token has no nonce where none was sent'
const isAnsweredInBody = 'a token in the body of a POST is answered as one in a header, or refused with 4xx'

export const basicFlows: readonly ConformanceModule[] = [
  {
    name: 'oidcc-server',
    conditions: flow,
    async run(provider, holds) {
      await completeFlow(provider, holds)
    },
    violation: {
      what: 'does not sign its id tokens',
      between: changesJson('/token', (body) => ({ ...body, id_token: unsigned(body.id_token) }), isCode),
      breaks: flowConditions.idToken,
    },
  },
  {
    name: 'oidcc-userinfo-get',
    conditions: [...flow, ...Object.values(userinfoConditions)],
    run: (provider, holds) => judgeUserinfo(provider, holds, { path: '/userinfo', init: bearer }),
    violation: {
      what: 'answers userinfo with another sub',
      between: changesJson('/userinfo', (body) => ({ ...body, sub: 'somebody' })),
      breaks: userinfoConditions.sub,
    },
  },
  {
    name: 'oidcc-userinfo-post-header',
    conditions: [...flow, ...Object.values(userinfoConditions)],
    run: (provider, holds) =>
      judgeUserinfo(provider, holds, { path: '/userinfo', init: (token) => ({ method: 'POST', ...bearer(token) }) }),
    violation: {
      what: 'has no POST at userinfo',
      between: answers('/userinfo', ({ method }, response) =>
        method === 'POST' ? new Response(null, { status: 405 }) : response,
      ),
      breaks: userinfoConditions.json,
    },
  },
  {
    name: 'oidcc-userinfo-post-body',
    conditions: [...flow, isAnsweredInBody],
    async run(provider, holds) {
      const { tokens } = await completeFlow(provider, holds)
      const body = new URLSearchParams({ access_token: String(tokens.access_token) })
      const { status } = await provider.send('/userinfo', { method: 'POST', body })
      holds(isAnsweredInBody, status === 200 || (status >= 400 && status < 500))
    },
    violation: {
      what: 'fails at a form',
      between: answers('/userinfo', ({ method }, response) =>
        method === 'POST' ? new Response(null, { status: 500 }) : response,
      ),
      breaks: isAnsweredInBody,
    },
  },
  {
    name: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    conditions: [...flow, isWithoutNonce],
    async run(provider, holds) {
      const { claims } = await completeFlow(provider, holds, { changes: { nonce: null } })
      holds(isWithoutNonce, !('nonce' in claims))
    },
    violation: {
      what: 'needs a nonce',
      between: answers('/authorize', (request, response) =>
        new URL(request.url).searchParams.has('response_type') && !new URL(request.url).searchParams.has('nonce')
          ? new Response('a nonce is required', { status: 400 })
          : response,
      ),
      breaks: flowConditions.code,
    },
  },
  givesClaims('oidcc-scope-profile', { scope: 'openid profile', given: ['name'], withheld: ['email'] }),
  givesClaims('oidcc-scope-email', {
    scope: 'openid email',
    given: ['email', 'email_verified'],
    withheld: ['name'],
  }),
  skipsScope('oidcc-scope-address', ['address']),
  skipsScope('oidcc-scope-phone', ['phone']),
  skipsScope('oidcc-scope-all', ['profile', 'email', 'address', 'phone']),
  {
    name: 'oidcc-alternate-happy-flow',
    conditions: flow,
    async run(provider, holds) {
      const changes = { scope: 'email openid' }
      const arrive = (path: string) => {
        const { pathname, searchParams } = new URL(path, 'https://id.example.com')
        return provider.browse(`${pathname}?${new URLSearchParams([...searchParams].reverse())}`)
      }
      await completeFlow(provider, holds, { changes, arrive })
    },
    violation: {
      what: 'looks at the first scope only',
      between: overlooks({ scope: 'email' }),
      breaks: flowConditions.token,
    },
  },
  succeedsWith('oidcc-display-page', 'display', 'page'),
  succeedsWith('oidcc-display-popup', 'display', 'popup'),
  succeedsWith('oidcc-ensure-request-with-unknown-parameter-succeeds', 'extra', 'foobar'),
  succeedsWith('oidcc-login-hint', 'login_hint', 'ada@example.com'),
  succeedsWith('oidcc-ui-locales', 'ui_locales', 'se'),
  succeedsWith('oidcc-claims-locales', 'claims_locales', 'se'),
  {
    name: 'oidcc-ensure-post-request-succeeds',
    conditions: flow,
    async run(provider, holds) {
      const arrive = (path: string) => {
        const { pathname, searchParams } = new URL(path, 'https://id.example.com')
        return provider.browse(pathname, Object.fromEntries(searchParams))
      }
      await completeFlow(provider, holds, { arrive })
    },
    violation: {
      what: 'has no POST at the authorization endpoint',
      between: answers('/authorize', ({ method }, response) =>
        method === 'POST' ? new Response(null, { status: 405 }) : response,
      ),
      breaks: flowConditions.code,
    },
  },
  {
    name: 'oidcc-server-client-secret-post',
    conditions: flow,
    async run(provider, holds) {
      await completeFlow(provider, holds, { client: posting })
    },
    violation: {
      what: 'reads no secrets in forms',
      between: answers('/token', (request, response) =>
        request.headers.has('authorization') ? response : new Response('{}', { status: 401 }),
      ),
      breaks: flowConditions.token,
    },
  },
  {
    name: 'oidcc-ensure-request-with-valid-pkce-succeeds',
    conditions: flow,
    async run(provider, holds) {
      await completeFlow(provider, holds)
    },
    violation: {
      what: 'answers the challenge of another request',
      between: overlooks({ code_challenge: 'A'.repeat(43) }),
      breaks: flowConditions.token,
    },
  },
  {
    name: 'oidcc-claims-essential',
    conditions: [...flow, 'the id token has no name'],
    async run(provider, holds) {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const completed = await completeFlow(provider, holds, { changes: { claims } })
      holds('the id token has no name', !('name' in completed.claims))
    },
    violation: { what: 'refuses claims', between: refuses('claims'), breaks: flowConditions.code },
  },
]
