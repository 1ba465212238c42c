import { createAuthorizationServer } from '@latchkey/oauth/server'
import { describe, expect, test } from 'vitest'
import { life } from '../account-life/operations.ts'
import { newPassword, password, type SignedIn } from '../support/bench.ts'
import { ownForm } from '../support/forms.ts'
import { ownPage } from '../support/visitor.ts'
import { createOAuthBench, desk, type OAuthBench, spa, type TokenAnswer } from './support/oauth-bench.ts'

interface Scene {
  readonly bench: OAuthBench
  /** The browser that asks: it has given `desk` tokens. */
  readonly owner: SignedIn
  /** Another browser of the same account: it has given `desk` tokens, too. */
  readonly elsewhere: SignedIn
  readonly here: TokenAnswer
  /** The names of the sessions that `desk` was told of: `here`, `elsewhere`. */
  toldOf(): Promise<readonly string[]>
}

type Step = (scene: Scene) => Promise<unknown>

async function open(answer: () => Promise<Response> = async () => new Response()): Promise<Scene> {
  const told: string[] = []
  const settled: (() => Promise<void>)[] = []
  const fetch = (async (_url: string, { body }: RequestInit) => {
    told.push(`${sidOf(new URLSearchParams(`${body}`).get('logout_token'))}`)
    return answer()
  }) as typeof globalThis.fetch
  const fixedClients = [spa, { ...desk, backchannelLogoutUri: 'https://desk.example.org/logout' }]
  const bench = createOAuthBench({
    options: {
      accounts: { deletion: { onDelete: () => {} } },
      oauth(parts) {
        const server = createAuthorizationServer({ ...parts, fixedClients, consent: () => 'granted', fetch })
        settled.push(server.settled)
        return server
      },
    },
  })
  const owner = await bench.signedIn('AUTHOR')
  const elsewhere = Object.assign(bench.visitor(), { account: owner.account })
  await elsewhere.signIn(owner.account.email, password)
  const here = await bench.give(owner, { client: desk })
  const there = await bench.give(elsewhere, { client: desk, scope: 'openid offline_access' })
  await bench.give(owner, { client: spa })
  const names = new Map([
    [sidOf(here.id_token), 'here'],
    [sidOf(there.id_token), 'elsewhere'],
  ])
  return {
    ...{ bench, owner, elsewhere, here },
    async toldOf() {
      // What ends once the answer is there ends in a later turn.
      await (await bench.server.accounts()).settled()
      await settled[0]?.()
      return told.map((sid) => names.get(sid) ?? sid).toSorted()
    },
  }
}

function sidOf(token: string | null | undefined): unknown {
  return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()).sid
}

const signOut: Step = ({ owner }) => owner.ask('mutation { signOut }', {}, ownPage)

describe('a client is notified of the session of its id token, and of no other session, after', () => {
  const ends: Readonly<Record<string, Step>> = {
    'a sign-out': signOut,
    'a sign-out on the page': ({ owner }) => owner.post('/sign-out', {}, ownForm),
    'the end of the session in the list of devices': async ({ owner, elsewhere }) => {
      const { sessions } = (await owner.ask('{ sessions { id current } }')).data
      const { id } = sessions.find(({ current }: { current: boolean }) => current)
      return elsewhere.ask(`mutation { revokeSession(id: "${id}") }`, {}, ownPage)
    },
    'a sign-in of another account in the browser': async ({ bench, owner }) =>
      owner.signIn((await bench.insert()).email, password),
    'a logout that a client asks for': ({ owner, here }) => owner.get(`/end-session?id_token_hint=${here.id_token}`),
    'the end of all others, asked for elsewhere': ({ elsewhere }) =>
      elsewhere.ask('mutation { revokeAllSessions }', {}, ownPage),
    'a change of the password elsewhere': ({ elsewhere }) =>
      elsewhere.ask(
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
        { input: { currentPassword: password, newPassword } },
        ownPage,
      ),
  }
  test.each(Object.entries(ends))('%s', async (_what, end) => {
    const scene = await open()
    expect(await scene.toldOf()).toEqual([])
    await end(scene)
    expect(await scene.toldOf()).toEqual(['here'])
  })
})

test('a client is notified of a session that lasts longer than a session, because it was renewed', async () => {
  const scene = await open()
  const { bench, owner } = scene
  const useFor = async (hours: number) => {
    for (let half = 0; half < 2 * hours; half++) {
      bench.advance(1800)
      expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    }
  }
  await useFor(7)
  const confirm = 'mutation ($old: String!) { confirmPassword(input: { currentPassword: $old }) { status } }'
  expect((await owner.ask(confirm, { old: password }, ownPage)).data).toEqual({
    confirmPassword: { status: 'SIGNED_IN' },
  })
  await useFor(2)
  await owner.post('/sign-out', {}, ownForm)
  expect(await scene.toldOf()).toEqual(['here'])
})

describe('a client is notified of every session of an account after', () => {
  const ends: Readonly<Record<string, Step>> = {
    'the end of all of them': ({ owner }) =>
      owner.ask('mutation { revokeAllSessions(exceptCurrent: false) }', {}, ownPage),
    'a reset of the password': async ({ bench, owner: { account } }) => {
      await bench.visitor().ask(`mutation { requestPasswordReset(input: { email: "${account.email}" }) }`)
      const input = { token: await bench.mailedToken(account.email), newPassword }
      return bench.visitor().ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', { input })
    },
    'a deletion of the account': ({ owner }) => owner.ask(life.deleteAccount, { input: { confirm: true } }, ownPage),
    'a lock by an administrator': async ({ bench, owner }) =>
      (await bench.signedIn('ADMIN')).ask(life.lockAccount, { id: owner.account.id }, ownPage),
    'the end of all sessions by an administrator': async ({ bench, owner }) =>
      (await bench.signedIn('ADMIN')).ask(life.endSessions, { id: owner.account.id }, ownPage),
  }
  test.each(Object.entries(ends))('%s', async (_what, end) => {
    const scene = await open()
    await end(scene)
    expect(await scene.toldOf()).toEqual(['elsewhere', 'here'])
  })
})

test('a renewed session stays valid, and its clients are notified when it is revoked', async () => {
  const scene = await open()
  const { owner, toldOf } = scene
  await owner.signIn(owner.account.email, password)
  expect(await toldOf()).toEqual([])
  await signOut(scene)
  expect(await toldOf()).toEqual(['here'])
})

test('a client that never answers delays no sign-out', async () => {
  const scene = await open(() => new Promise(() => {}))
  expect(await signOut(scene)).toMatchObject({ status: 200, data: { signOut: true } })
  expect((await scene.owner.ask('{ viewer { id } }')).status).toBe(401)
  expect(scene.bench.events.filter(({ type }) => type.startsWith('logout.'))).toEqual([])
})

test('a service has notified its clients when it has closed', async () => {
  const scene = await open(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    return new Response()
  })
  await signOut(scene)
  await scene.bench.server.close()
  expect(scene.bench.events.filter(({ type }) => type === 'logout.sent')).toMatchObject([
    { clientId: 'desk', accountId: scene.owner.account.id },
  ])
})
