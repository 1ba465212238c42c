import { generateKeyPair, SignJWT } from 'jose'
import { issuer } from '../support/provider.ts'
import { completeFlow, flow, judgeError, requestOf } from './authorization-flow.ts'
import type { ConformanceModule, Holds } from './conformance-module.ts'
import { answers, changesJson, redirectTo, trusts } from './mistakes.ts'
import { type Arrival, type Between, first, loggedOut, type ProviderUnderTest } from './provider-under-test.ts'

const returned = 'the browser is at the registered address, with the state that was sent and nothing else'
const returnedWithout = 'the browser is at the registered address, without a state and anything else'
const left = 'the browser is at no address of the client: the user sees an error or is asked'
const shown = 'the user sees a page that says that they are signed out, after a confirmation where that is asked'
const ended = 'a request with prompt=none has an error of those that need a user interface'

const needsUser = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']

type Sent = Readonly<Record<string, string | null>>

/** Completes a flow, and sends the browser to the end session endpoint then. */
async function logOut(
  provider: ProviderUnderTest,
  holds: Holds,
  change: (idToken: string) => Sent | Promise<Sent> = () => ({}),
): Promise<Arrival> {
  const { tokens } = await completeFlow(provider, holds)
  const idToken = String(tokens.id_token)
  const sent = { id_token_hint: idToken, post_logout_redirect_uri: loggedOut, state: 'bye', ...(await change(idToken)) }
  const entries = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)
  return provider.browse(`/end-session?${new URLSearchParams(entries)}`)
}

/** Confirms on the page that asks, where one does. */
async function confirm(provider: ProviderUnderTest, arrival: Arrival): Promise<Arrival> {
  if (arrival.at !== 'page' || !arrival.html.includes('<form')) return arrival
  const fields = [...arrival.html.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  return provider.browse('/end-session', Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])))
}

async function judgeEnded(provider: ProviderUnderTest, holds: Holds): Promise<void> {
  judgeError(holds, ended, await provider.browse(requestOf(provider, first, { prompt: 'none' })), needsUser)
}

function isReturned(arrival: Arrival, answer: object): boolean {
  if (arrival.at !== 'client') return false
  const { origin, pathname } = arrival.url
  return `${origin}${pathname}` === loggedOut && JSON.stringify(arrival.answer) === JSON.stringify(answer)
}

const keepsSession: Between = answers('/end-session', (_request, response) => {
  response.headers.delete('set-cookie')
  return response
})

const dropsQuery: Between = answers('/end-session', (_request, response) => {
  const location = response.headers.get('location')?.replace(/\?.*/, '') ?? ''
  return location.startsWith('https:') ? redirectTo(location) : response
})

/** Modules in which the browser must not come back to the client. */
function staysHere(
  name: string,
  change: (idToken: string) => Sent | Promise<Sent>,
  mistake?: Between,
): ConformanceModule {
  return {
    name,
    conditions: [...flow, left],
    async run(provider, holds) {
      holds(left, (await logOut(provider, holds, change)).at === 'page')
    },
    violation: {
      what: 'goes wherever it is told',
      between: mistake ?? trusts('/end-session', 'post_logout_redirect_uri'),
      breaks: left,
    },
  }
}

/** Modules in which the user sees that they are signed out. */
function signsOut(name: string, sent: Sent): ConformanceModule {
  return {
    name,
    conditions: [...flow, shown, ended],
    async run(provider, holds) {
      const arrival = await confirm(provider, await logOut(provider, holds, () => sent))
      holds(shown, arrival.at === 'page' && arrival.status === 200 && /signed out/i.test(arrival.html))
      await judgeEnded(provider, holds)
    },
    violation: { what: 'shows the page and keeps the session', between: keepsSession, breaks: ended },
  }
}

const none = { id_token_hint: null, post_logout_redirect_uri: null, state: null }

function unsigned(idToken: string): string {
  const [, payload] = idToken.split('.')
  return `${btoa('{"alg":"none"}').replaceAll('=', '')}.${payload}.`
}

/** An id token with the right claims that another provider has signed. */
async function forged(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256')
  const token = new SignJWT({ sub: 'acc_ada' }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).setIssuer(issuer)
  return token.setAudience(first.id).setIssuedAt().setExpirationTime('5m').sign(privateKey)
}

const published = 'end_session_endpoint is an https address of the provider'

export const logoutModules: readonly ConformanceModule[] = [
  {
    name: 'oidcc-rp-initiated-logout-discovery-endpoint-verification',
    conditions: [published],
    async run(provider, holds) {
      const { body } = await provider.json('/.well-known/openid-configuration')
      holds(published, String(body.end_session_endpoint).startsWith(`${issuer}/`))
    },
    violation: {
      what: 'does not publish the endpoint',
      between: changesJson('/.well-known/openid-configuration', ({ end_session_endpoint: _none, ...body }) => body),
      breaks: published,
    },
  },
  {
    name: 'oidcc-rp-initiated-logout',
    conditions: [...flow, returned, ended],
    async run(provider, holds) {
      holds(returned, isReturned(await logOut(provider, holds), { state: 'bye' }))
      await judgeEnded(provider, holds)
    },
    violation: { what: 'loses the state', between: dropsQuery, breaks: returned },
  },
  staysHere('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', () => ({
    post_logout_redirect_uri: `${loggedOut}/a1b2c3`,
  })),
  staysHere('oidcc-rp-initiated-logout-modified-id-token-hint', (idToken) => ({ id_token_hint: unsigned(idToken) })),
  staysHere('oidcc-rp-initiated-logout-no-id-token-hint', () => ({ id_token_hint: null })),
  signsOut('oidcc-rp-initiated-logout-no-params', none),
  signsOut('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', { post_logout_redirect_uri: null }),
  {
    name: 'oidcc-rp-initiated-logout-no-state',
    conditions: [...flow, returnedWithout, ended],
    async run(provider, holds) {
      holds(returnedWithout, isReturned(await logOut(provider, holds, () => ({ state: null })), {}))
      await judgeEnded(provider, holds)
    },
    violation: { what: 'keeps the session', between: keepsSession, breaks: ended },
  },
  signsOut('oidcc-rp-initiated-logout-only-state', { ...none, state: 'bye' }),
  staysHere('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', () => ({
    post_logout_redirect_uri: `${loggedOut}?foo=bar`,
  })),
  staysHere('oidcc-rp-initiated-logout-bad-id-token-hint', async () => ({ id_token_hint: await forged() })),
]
