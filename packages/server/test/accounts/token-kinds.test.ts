import { allowNativeDelivery } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import { openGrant, signToken } from '../support/grants.ts'
import { type Answer, type Delivery, outcomeOf, type Visitor } from '../support/visitor.ts'

const bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
let drawn = 0

/** Signs an administrator in and returns what is in one of its cookies, or in the body. */
async function signIn(delivery: Delivery): Promise<Visitor & { readonly account: Parameters<typeof openGrant>[1] }> {
  return bench.signedIn('ADMIN', delivery)
}

async function openSpa() {
  return openGrant(bench, await bench.insert({ roles: ['ADMIN'] }), { clientId: 'demo-spa', scopes: ['openid'] })
}

async function mailSignUp(): Promise<string> {
  const email = `person-${++drawn}@example.com`
  const input = { email, password, name: 'A Person' }
  await bench.visitor().ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input })
  return bench.mailedToken(email)
}

async function mailReset(): Promise<string> {
  const { email } = await bench.insert()
  await bench.visitor().ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`)
  return bench.mailedToken(email)
}

async function keyOf(delivery: Delivery): Promise<string> {
  const { data } = await (await signIn(delivery)).ask('{ sessions { id } }')
  return data.sessions[0].id
}

/** Every kind of token, each drawn anew. */
const kinds: Readonly<Record<string, (bench: Bench) => Promise<string | null | undefined>>> = {
  'a session id': async () => (await signIn('SESSION')).jar.get('__Host-session'),
  'a CSRF token': async () => (await signIn('SESSION')).csrfToken,
  'an access token': async () => (await signIn('TOKEN')).bearer,
  'an access token of a third party': async () => (await openSpa()).accessToken,
  'an access token of a machine': () =>
    signToken(bench, { sub: 'machine', client_id: 'machine', scope: 'notes:write' }),
  'a refresh token of a cookie': async () => (await signIn('TOKEN')).jar.get('__Host-refresh'),
  'a refresh token of the body': async () => (await signIn('NATIVE')).refreshToken,
  'a refresh token of a third party': async () => (await openSpa()).refreshToken,
  'the token of a sign-up': mailSignUp,
  'the token of a reset': mailReset,
  'the public key of a session': () => keyOf('SESSION'),
  'the public key of a family': () => keyOf('TOKEN'),
}

const asCookie = (name: string) => (token: string) =>
  ({ cookie: `${name}=${token}`, 'sec-fetch-site': 'same-origin' }) as const
const isKnown = ({ status }: Answer): boolean => status !== 401

/** Every place where a token is shown: whether it is accepted there. */
const places: Readonly<Record<string, (token: string) => Promise<boolean>>> = {
  'the session cookie': async (token) =>
    isKnown(await bench.visitor().ask('{ viewer { id } }', {}, asCookie('__Host-session')(token))),
  'the header Authorization': async (token) =>
    isKnown(await bench.visitor().ask('{ viewer { id } }', {}, { authorization: `Bearer ${token}` })),
  'the refresh cookie': async (token) =>
    isKnown(await bench.visitor().ask('mutation { refresh { expiresIn } }', {}, asCookie('__Host-refresh')(token))),
  'input.refreshToken': async (token) => {
    const mutation = 'mutation ($input: RefreshInput) { refresh(input: $input) { expiresIn } }'
    return isKnown(await bench.visitor().ask(mutation, { input: { refreshToken: token } }))
  },
  'the input of verifyEmail': async (token) => {
    const mutation = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
    return (await bench.visitor().ask(mutation, { input: { token } })).data?.verifyEmail === true
  },
  'the input of resetPassword': async (token) => {
    const mutation = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
    return (await bench.visitor().ask(mutation, { input: { token, newPassword } })).data?.resetPassword === true
  },
  'the header x-csrf-token': async (token) => {
    const visitor = await signIn('SESSION')
    visitor.csrfToken = token
    return outcomeOf(await visitor.ask('mutation { writeNote(text: "x") }'))[1] !== 'CSRF_REJECTED'
  },
}

/** All others are refused: no kind of token passes for another one. */
const accepted: ReadonlySet<string> = new Set([
  'a session id in the session cookie',
  'an access token in the header Authorization',
  'an access token of a third party in the header Authorization',
  'an access token of a machine in the header Authorization',
  'a refresh token of a cookie in the refresh cookie',
  'a refresh token of the body in input.refreshToken',
  'the token of a sign-up in the input of verifyEmail',
  'the token of a reset in the input of resetPassword',
])

const pairs = Object.keys(kinds).flatMap((kind) =>
  Object.keys(places).map((place) => [kind, place, accepted.has(`${kind} in ${place}`) ? 'accepted' : 'refused']),
)

describe('each kind of token at each endpoint', () => {
  test.each(pairs)('%s in %s is %s', async (kind = '', place = '', expected) => {
    const token = await kinds[kind]?.(bench)
    if (!token) throw new Error(`${kind} was not drawn`)
    expect((await places[place]?.(token)) ? 'accepted' : 'refused').toBe(expected)
  })

  test('a CSRF token is accepted with its own session only', async () => {
    const [own, other] = [await signIn('SESSION'), await signIn('SESSION')]
    const write = 'mutation { writeNote(text: "x") }'
    expect(outcomeOf(await own.ask(write))).toEqual([200, null])
    own.csrfToken = other.csrfToken
    expect(outcomeOf(await own.ask(write))).toEqual([403, 'CSRF_REJECTED'])
  })
})
