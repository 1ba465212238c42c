import { allowNativeDelivery, unknownAttempt } from '@latchkey/accounts'
import { createMemoryBroadcast } from '@latchkey/store'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { actAs, signedInAdmin } from '../account-life/impersonating.ts'
import { createOAuthBench, desk } from '../oauth/support/oauth-bench.ts'
import { newPassword, password } from '../support/bench.ts'
import { keep, okData, operations } from '../support/factor-bench.ts'
import { copyOf, type Delivery, ownPage, type Visitor } from '../support/visitor.ts'
import { type Heard, patience, serveBoth } from './both-transports.ts'

const broadcast = createMemoryBroadcast()
const typeDefs = `
  type Query { hello: String! @public }
  type Subscription { noted: String! @requires(permissions: "notes:write") }`
const resolvers = {
  Query: { hello: () => 'Hello' },
  Subscription: { noted: { subscribe: () => broadcast.listen('notes'), resolve: (text: string) => text } },
}
const noted = 'subscription { noted }'

const bench = createOAuthBench({
  options: {
    typeDefs,
    resolvers,
    // Longer than an access token.
    accounts: { impersonation: { lifetimeSeconds: 1800 }, apiKeys: { prefix: 'lk_', scopes: ['notes:write'] } },
    sessions: { nativeDelivery: allowNativeDelivery },
    signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes },
    graphql: { streamLimits: { recheckMs: 100 } },
  },
})
const served = await serveBoth(bench)
afterAll(served.close)

/** Who has opened the streams, and the browser of the same account. */
interface Scene {
  readonly who: Visitor
  readonly owner: Visitor & { readonly account: { readonly id: string; readonly email: string } }
}
type Open = () => Promise<Scene>
type Change = (scene: Scene) => Promise<unknown>

const by =
  (delivery: Delivery): Open =>
  async () => {
    const owner = await bench.signedIn('AUTHOR', delivery)
    return { who: owner, owner }
  }
const byClient =
  (scope: string): Open =>
  async () => {
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(owner, { client: desk, scope: `openid notes:write ${scope}` })
    return { who: bench.bearing(token), owner }
  }
/** Ten minutes before the session ends, although it is used. */
const byLateClient: Open = async () => {
  const owner = await bench.signedIn('AUTHOR')
  for (let count = 0; count < 10; count++) {
    bench.advance(2820)
    okData(await owner.ask(operations.viewer))
  }
  const { access_token: token } = await bench.give(owner, { client: desk, scope: 'openid notes:write' })
  return { who: bench.bearing(token), owner }
}
const byKey: Open = async () => {
  const owner = await bench.signedIn('AUTHOR')
  const query = `mutation { createApiKey(input: { name: "Notes", scopes: ["notes:write"], expiresInDays: 1 }) { key } }`
  return { who: bench.bearing(okData(await owner.ask(query, {}, ownPage)).createApiKey.key), owner }
}
const byMachine: Open = async () => ({
  who: bench.bearing(await bench.machineToken()),
  owner: await bench.signedIn(),
})
const byAdministrator =
  (delivery: Delivery): Open =>
  async () => {
    const owner = await bench.signedIn('AUTHOR')
    return { who: await actAs(await signedInAdmin(bench, delivery), owner.account.id), owner }
  }

const confirm: Change = async ({ who }) => {
  const query = `mutation ($input: ConfirmPasswordInput!) {
    confirmPassword(input: $input) { csrfToken accessToken refreshToken } }`
  keep(who, okData(await who.ask(query, { input: { currentPassword: password } })).confirmPassword)
}
const changePassword: Change = async ({ who }) =>
  okData(
    await who.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
      input: { currentPassword: password, newPassword },
    }),
  )
const addApp: Change = async ({ who }) => {
  const { secret } = okData(await who.ask(operations.enroll)).startTotpEnrollment
  okData(await who.ask(operations.confirm, { input: { code: codeAt(secret, bench.clock.time) } }))
}
const signInAgain: Change = async ({ who, owner }) => okData(await who.signIn(owner.account.email, password))
const signOut: Change = async ({ who }) => okData(await who.ask('mutation { signOut }'))
const expire =
  (seconds: number): Change =>
  async () =>
    bench.advance(seconds)
const inTurn =
  (...changes: readonly Change[]): Change =>
  async (scene) => {
    for (const change of changes) await change(scene)
  }

/** The same account on another device. */
const elsewhere =
  (query: string): Change =>
  async ({ owner }) => {
    const other = bench.visitor()
    okData(await other.signIn(owner.account.email, password))
    const { sessions } = okData(await other.ask('{ sessions { id current } }'))
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    okData(await other.ask(query, query.includes('$id') ? { id } : {}))
  }
const revokeElsewhere = elsewhere('mutation ($id: ID!) { revokeSession(id: $id) }')
const disable: Change = async ({ owner }) =>
  (await bench.server.accounts()).disable({ id: owner.account.id, attempt: unknownAttempt })
const resetPassword: Change = async ({ owner: { account } }) => {
  const anyone = bench.visitor()
  await anyone.ask('mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }', {
    input: { email: account.email },
  })
  const input = { token: await bench.mailedToken(account.email), newPassword }
  okData(await anyone.ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', { input }))
}
const revokeGrant: Change = async ({ owner }) => {
  const [{ id }] = okData(await owner.ask('{ grants { id } }')).grants
  okData(await owner.ask(`mutation { revokeGrant(id: "${id}") }`, {}, ownPage))
}
const revokeKey: Change = async ({ owner }) => {
  const [{ id }] = okData(await owner.ask('{ apiKeys { id } }')).apiKeys
  okData(await owner.ask(`mutation { revokeApiKey(id: "${id}") }`, {}, ownPage))
}
const lock: Change = async ({ owner }) =>
  (await bench.server.accounts()).lockAccount({ id: owner.account.id, attempt: unknownAttempt })
const endImpersonation: Change = async ({ who }) => okData(await who.ask('mutation { endImpersonation }'))
const revokeToken: Change = async ({ who }) => expect(await bench.server.revokeToken(who.bearer ?? '')).toBe(true)

const revokeByClient: Change = async ({ who }) => {
  const form = { token: who.bearer ?? '', client_id: desk.id, client_secret: desk.secret ?? '' }
  expect((await bench.visitor().post('/revoke', form)).status).toBe(200)
}
const byOwner =
  (change: Change): Change =>
  ({ owner }) =>
    change({ who: owner, owner })

interface Streams {
  readonly scene: Scene
  readonly heard: readonly Heard[]
  /** The same credentials as those that have opened the streams. */
  readonly old: Visitor
}

const subscribe = (visitor: Visitor) => Promise.all(served.subscribe.map((to) => to(visitor, noted)))

/** Opens a stream over each transport, and waits for an event on both. */
async function openStreams(open: Open): Promise<Streams> {
  const scene = await open()
  const old = copyOf(scene.who, bench.visitor())
  const heard = await subscribe(scene.who)
  await vi.waitFor(async () => {
    await broadcast.publish('notes', 'early')
    for (const { data } of heard) expect(data).toContain('early')
  }, patience)
  return { scene, heard, old }
}

async function untilOver({ heard }: Streams): Promise<void> {
  await vi.waitFor(() => {
    bench.advance(0.2)
    for (const { ended } of heard) expect(ended).not.toBe(null)
  }, patience)
}

const told = (heard: readonly Heard[]) => heard.map(({ codes, ended }) => [codes, ended])
const renewed = [
  [[], 'without complete'],
  [[], 'closed with 4403 UNAUTHENTICATED'],
]
const final = [
  [['UNAUTHENTICATED'], 'with complete'],
  [['UNAUTHENTICATED'], 'closed with 4401 UNAUTHENTICATED'],
]
const refused = [
  [['UNAUTHENTICATED'], 'refused with 401'],
  [['UNAUTHENTICATED'], 'refused with an error'],
]

/** The credentials that have opened the streams open none any more. */
async function expectRefused({ old }: Streams): Promise<void> {
  // For five seconds after its end a token is accepted.
  bench.advance(6)
  const reopened = await subscribe(old)
  await vi.waitFor(() => expect(told(reopened)).toEqual(refused), patience)
}

describe('the streams of a credential', () => {
  const renewals: readonly (readonly [what: string, open: Open, renew: Change])[] = [
    ['a session is stepped up', by('SESSION'), confirm],
    ['a session is stepped up twice', by('SESSION'), inTurn(confirm, confirm)],
    ['a token in a page is stepped up', by('TOKEN'), confirm],
    ['a token in a page is stepped up twice', by('TOKEN'), inTurn(confirm, confirm)],
    ['a token of an application is stepped up', by('NATIVE'), confirm],
    ['a session changes its password', by('SESSION'), changePassword],
    ['a session adds a factor', by('SESSION'), addApp],
    ['a session signs in again', by('SESSION'), signInAgain],
    ['an access token has expired', by('TOKEN'), expire(900)],
    ['an access token of an application has expired', by('NATIVE'), expire(900)],
    ['an access token has expired after its renewal', by('TOKEN'), inTurn(confirm, expire(900))],
    ['an access token has expired after a change of password', by('TOKEN'), inTurn(changePassword, expire(900))],
    ['a token of a client with a refresh token has expired', byClient('offline_access'), expire(900)],
    ['a token of a client has expired, and the session is open', byClient(''), expire(900)],
    ['a token of a machine has expired', byMachine, expire(900)],
  ]
  test.each(renewals)(
    'close for a reconnect when %s, and it cannot open another stream',
    async (_what, open, renew) => {
      const streams = await openStreams(open)
      await renew(streams.scene)
      await untilOver(streams)
      await broadcast.publish('notes', 'late')
      expect(told(streams.heard)).toEqual(renewed)
      for (const { data } of streams.heard) expect(data).not.toContain('late')
      await expectRefused(streams)
    },
  )

  test.each([
    ['changes its password', changePassword],
    ['adds a factor', addApp],
  ])('close for a reconnect when a token %s, which stays valid', async (_what, renew) => {
    const streams = await openStreams(by('TOKEN'))
    await renew(streams.scene)
    await untilOver(streams)
    expect(told(streams.heard)).toEqual(renewed)
    const reopened = await subscribe(streams.old)
    expect(told(reopened)).toEqual([
      [[], null],
      [[], null],
    ])
  })

  test.each(['SESSION', 'TOKEN'] as const)(
    'by %s close at an event after a renewal, without sending it',
    async (delivery) => {
      const streams = await openStreams(by(delivery))
      await confirm(streams.scene)
      await broadcast.publish('notes', 'late')
      await vi.waitFor(() => expect(told(streams.heard)).toEqual(renewed), patience)
      for (const { data } of streams.heard) expect(data).not.toContain('late')
      const reopened = await subscribe(streams.scene.who)
      await vi.waitFor(async () => {
        await broadcast.publish('notes', 'again')
        for (const { data } of reopened) expect(data).toContain('again')
      }, patience)
    },
  )

  const endings: readonly (readonly [what: string, open: Open, end: Change])[] = [
    ['a session signs out', by('SESSION'), signOut],
    ['a token signs out', by('TOKEN'), signOut],
    ['another device revokes a session', by('SESSION'), revokeElsewhere],
    ['another device revokes a token', by('TOKEN'), revokeElsewhere],
    ['another device signs out all', by('SESSION'), elsewhere('mutation { revokeAllSessions }')],
    ['the account of a session is disabled', by('SESSION'), disable],
    ['the account of a token is disabled', by('TOKEN'), disable],
    ['the password of a session is reset', by('SESSION'), resetPassword],
    ['the password of a token is reset', by('TOKEN'), resetPassword],
    ['a session is stepped up and signs out', by('SESSION'), inTurn(confirm, signOut)],
    ['a token is stepped up and signs out', by('TOKEN'), inTurn(confirm, signOut)],
    ['a session is stepped up and its account disabled', by('SESSION'), inTurn(confirm, disable)],
    ['a token is stepped up and its account disabled', by('TOKEN'), inTurn(confirm, disable)],
    ['a session changes its password, which is reset', by('SESSION'), inTurn(changePassword, resetPassword)],
    ['a session has expired', by('SESSION'), expire(3600)],
    ['an access token has expired with its family', by('TOKEN'), expire(31 * 86_400)],
    ['the account of a token is disabled and the token has expired', by('TOKEN'), inTurn(disable, expire(900))],
    ['an access token is revoked by itself', by('TOKEN'), revokeToken],
    ['an impersonation by session ends', byAdministrator('SESSION'), endImpersonation],
    ['an impersonation by token ends', byAdministrator('NATIVE'), endImpersonation],
    ['the time of an impersonation by session is over', byAdministrator('SESSION'), expire(1800)],
    ['the only token of an impersonation has expired', byAdministrator('NATIVE'), expire(900)],
    ['an API key is revoked', byKey, revokeKey],
    ['an API key has expired', byKey, expire(86_400)],
    ['another device signs out all, and an API key', byKey, elsewhere('mutation { revokeAllSessions }')],
    ['the password of the owner of an API key changes', byKey, byOwner(changePassword)],
    ['the account of an API key is locked', byKey, lock],
    ['a grant is revoked', byClient('offline_access'), revokeGrant],
    ['a grant is revoked and its token has expired', byClient('offline_access'), inTurn(revokeGrant, expire(900))],
    ['a token of a client has expired after its session', byLateClient, expire(900)],
    ['a client revokes its token', byClient('offline_access'), revokeByClient],
    ['a client revokes its token, which has expired', byClient('offline_access'), inTurn(revokeByClient, expire(900))],
    ['a client has a token of a session that signs out', byClient(''), byOwner(signOut)],
    [
      'a client has a token of an account that changes its password',
      byClient('offline_access'),
      byOwner(changePassword),
    ],
  ]
  test.each(endings)('close for good when %s', async (_what, open, end) => {
    const streams = await openStreams(open)
    await end(streams.scene)
    await untilOver(streams)
    expect(told(streams.heard)).toEqual(final)
    await expectRefused(streams)
  })
})
