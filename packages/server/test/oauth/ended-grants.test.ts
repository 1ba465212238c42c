import { unknownAttempt } from '@latchkey/accounts'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { life } from '../account-life/operations.ts'
import { newPassword, password, type SignedIn } from '../support/bench.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import { operations } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { ownPage } from '../support/visitor.ts'
import { createOAuthBench, desk, ended, lives, type OAuthBench, type TokenAnswer } from './support/oauth-bench.ts'

const offline = 'openid offline_access'
const deletion = { onDelete: () => {} }

interface Scene {
  readonly bench: OAuthBench
  readonly owner: SignedIn
  /** With `offline_access`. */
  readonly kept: TokenAnswer
  /** Without: it ends with the session. */
  readonly bound: TokenAnswer
  /** The form that `kept` was given for. */
  readonly form: Record<string, string>
}

async function open(): Promise<Scene> {
  const bench = createOAuthBench({
    options: { signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes }, accounts: { deletion } },
  })
  const owner = await bench.signedIn('AUTHOR')
  const form = await bench.giveCode(owner, { client: desk, scope: offline })
  const kept: TokenAnswer = JSON.parse((await bench.token(form)).text)
  const bound = await bench.give(owner, { client: desk, scope: 'openid' })
  expect(await livesOf({ bench, kept, bound })).toEqual([lives, lives])
  return { bench, owner, kept, bound, form }
}

async function livesOf({ bench, kept, bound }: Pick<Scene, 'bench' | 'kept' | 'bound'>) {
  return [await bench.livesAt(kept.access_token), await bench.livesAt(bound.access_token)]
}

function refresh({ bench, kept }: Pick<Scene, 'bench' | 'kept'>, token = kept.refresh_token ?? '') {
  const secret = { client_id: desk.id, client_secret: 'secret-of-the-desk' }
  return bench.token({ grant_type: 'refresh_token', refresh_token: token, ...secret })
}

type End = (scene: Scene) => Promise<unknown>

/** What ends everything that was given, and leaves what the account has allowed. */
const ends: Readonly<Record<string, End>> = {
  'a change of the password': ({ owner }) =>
    owner.ask(
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      { input: { currentPassword: password, newPassword } },
      ownPage,
    ),
  'a reset of the password': async ({ bench, owner }) => {
    const { email } = owner.account
    await bench.visitor().ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`)
    const input = { token: await bench.mailedToken(email), newPassword }
    return bench.visitor().ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', { input })
  },
  'the end of all other sessions': ({ owner }) => owner.ask('mutation { revokeAllSessions }', {}, ownPage),
  'the end of all sessions': ({ owner }) =>
    owner.ask('mutation { revokeAllSessions(exceptCurrent: false) }', {}, ownPage),
  'another role': async ({ bench, owner }) => {
    const admin = await bench.signedIn('ADMIN')
    const input = { accountId: owner.account.id, role: 'READER' }
    return admin.ask('mutation ($input: SetRoleInput!) { setRole(input: $input) { id } }', { input }, ownPage)
  },
  'a lock of the account': async ({ bench, owner }) =>
    (await bench.server.accounts()).disable({ id: owner.account.id, attempt: unknownAttempt }),
  'a lock by an administrator': async ({ bench, owner }) => {
    const admin = await bench.signedIn('ADMIN')
    return admin.ask(life.lockAccount, { id: owner.account.id }, ownPage)
  },
  'the end of all sessions by an administrator': async ({ bench, owner }) => {
    const admin = await bench.signedIn('ADMIN')
    return admin.ask(life.endSessions, { id: owner.account.id }, ownPage)
  },
  'another address': async ({ bench, owner }) => {
    await owner.ask(life.requestEmailChange, { input: { newEmail: 'elsewhere@example.org' } }, ownPage)
    const token = await bench.mailedToken('elsewhere@example.org')
    return bench.visitor().ask(life.confirmEmailChange, { input: { token } })
  },
  'a second factor': async ({ bench, owner }) => {
    const { secret } = (await owner.ask(operations.enroll, {}, ownPage)).data.startTotpEnrollment
    bench.advance(30)
    const input = { code: codeAt(secret, bench.clock.time) }
    return owner.ask(operations.confirm, { input }, ownPage)
  },
}

describe("a client's tokens are revoked from the next request after", () => {
  test.each(Object.entries(ends))('%s, and the consent stays', async (_what, end) => {
    const scene = await open()
    const { bench, owner } = scene
    await end(scene)
    expect(await livesOf(scene)).toEqual([ended, ended])
    expect((await refresh(scene)).status).toBe(400)
    expect(await grantsOf(bench, owner.account.id)).toMatchObject([{ clientId: 'desk' }])
  })

  test('a deletion of the account, which also removes the consent and unused codes', async () => {
    const scene = await open()
    const { bench, owner } = scene
    const code = await bench.giveCode(owner, { client: desk, scope: offline })
    const [deleted, refreshed] = await Promise.all([
      owner.ask(life.deleteAccount, { input: { confirm: true } }, ownPage),
      refresh(scene),
    ])
    expect(deleted.data).toEqual({ deleteAccount: true })
    expect(await livesOf(scene)).toEqual([ended, ended])
    expect((await refresh(scene)).status).toBe(400)
    expect((await bench.token(code)).status).toBe(400)
    if (refreshed.status === 200) {
      const next: TokenAnswer = JSON.parse(refreshed.text)
      expect(await bench.livesAt(next.access_token)).toEqual(ended)
      expect((await refresh(scene, next.refresh_token)).status).toBe(400)
    }
    expect(await grantsOf(bench, owner.account.id)).toEqual([])
  })

  test('an undone change of the address, which also removes the consent and unused codes', async () => {
    const scene = await open()
    const { bench, owner } = scene
    const code = await bench.giveCode(owner, { client: desk, scope: offline })
    await owner.ask(life.requestEmailChange, { input: { newEmail: 'undone@example.org' } }, ownPage)
    const undo = await bench.mailedToken(owner.account.email)
    await bench.visitor().ask(life.undoEmailChange, { input: { token: undo } })
    expect(await livesOf(scene)).toEqual([ended, ended])
    expect((await refresh(scene)).status).toBe(400)
    expect((await bench.token(code)).status).toBe(400)
    expect(await grantsOf(bench, owner.account.id)).toEqual([])
  })

  test('a revocation in the list of sessions', async () => {
    const scene = await open()
    const { sessions } = (await scene.owner.ask('{ sessions { id clientId expiresAt } }')).data
    const [last] = sessions
      .filter(({ clientId }: { clientId: string | null }) => clientId === 'desk')
      .sort((one: { expiresAt: string }, other: { expiresAt: string }) => (one.expiresAt < other.expiresAt ? 1 : -1))
    await scene.owner.ask(`mutation { revokeSession(id: "${last.id}") }`, {}, ownPage)
    expect(await livesOf(scene)).toEqual([ended, lives])
    expect((await refresh(scene)).status).toBe(400)
  })

  test('a code that is shown again', async () => {
    const scene = await open()
    expect((await scene.bench.token(scene.form)).status).toBe(400)
    expect(await livesOf(scene)).toEqual([ended, lives])
    expect((await refresh(scene)).status).toBe(400)
  })

  test('an account that is disabled, by its status alone', async () => {
    const scene = await open()
    const { accounts } = scene.bench.stores
    const { id, epoch, status } = (await accounts.get(scene.owner.account.id))!
    await accounts.replace(id, { epoch, status }, { status: 'disabled' })
    expect(await livesOf(scene)).toEqual([ended, ended])
    expect((await refresh(scene)).status).toBe(400)
  })

  test('a second use of a refresh token after ten seconds, for any grace of the service', async () => {
    const bench = createOAuthBench({ options: { sessions: { refresh: { graceSeconds: 0 } } } })
    const kept = await bench.give(await bench.signedIn(), { client: desk, scope: offline })
    const redeem = () => refresh({ bench, kept })
    const next = JSON.parse((await redeem()).text)
    bench.advance(9)
    expect(JSON.parse((await redeem()).text).refresh_token).toBe(next.refresh_token)
    bench.advance(2)
    expect((await redeem()).status).toBe(400)
  })

  test('a refresh token that is shown after its grace', async () => {
    const scene = await open()
    const next = JSON.parse((await refresh(scene)).text)
    scene.bench.advance(9)
    expect(JSON.parse((await refresh(scene)).text).refresh_token).toBe(next.refresh_token)
    scene.bench.advance(2)
    expect((await refresh(scene)).status).toBe(400)
    expect((await refresh(scene, next.refresh_token)).status).toBe(400)
    expect(await livesOf(scene)).toEqual([ended, lives])
    expect(await scene.bench.livesAt(next.access_token)).toEqual(ended)
  })
})

describe("a client's tokens without offline_access are revoked, and tokens with it stay valid, after", () => {
  /** What ends the session of the browser, in each way. */
  const sessionEnds: Readonly<Record<string, End>> = {
    'a sign-out': ({ owner }) => owner.ask('mutation { signOut }', {}, ownPage),
    'a sign-out on the page': ({ owner }) => owner.post('/sign-out', {}, ownForm),
    'the end of the session in the list': async ({ owner }) => {
      const { sessions } = (await owner.ask('{ sessions { id current } }')).data
      const { id } = sessions.find(({ current }: { current: boolean }) => current)
      return owner.ask(`mutation { revokeSession(id: "${id}") }`, {}, ownPage)
    },
    'a sign-in of another account in the browser': async ({ bench, owner }) => {
      const { email } = await bench.insert()
      return owner.signIn(email, password)
    },
    'a sign-in by token in place of the session': ({ owner }) => owner.signIn(owner.account.email, password, 'TOKEN'),
    'a logout that a client asks for': async ({ owner, bound }) => {
      const { status } = await owner.get(`/end-session?id_token_hint=${bound.id_token}`)
      expect(status).toBe(200)
      expect(owner.jar.has('__Host-session')).toBe(false)
    },
  }

  test.each(Object.entries(sessionEnds))('%s', async (_what, end) => {
    const scene = await open()
    await end(scene)
    expect(await livesOf(scene)).toEqual([lives, ended])
    expect((await refresh(scene)).status).toBe(200)
  })

  /** What leaves the browser of an account with another session, in each way. */
  const renewals: Readonly<Record<string, End>> = {
    'another sign-in of the account': ({ owner }) => owner.signIn(owner.account.email, password),
    'a fresh proof of the password': async ({ owner }) => {
      const document = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { csrfToken } }'
      const { data } = await owner.ask(document, { input: { currentPassword: password } }, ownPage)
      owner.csrfToken = data.confirmPassword.csrfToken
    },
  }
  const ways = Object.entries(renewals).flatMap(([renewed, renew]) =>
    Object.entries(sessionEnds).map(([how, end]) => [how, renewed, renew, end] as const),
  )

  test.each(ways)('%s, and not by %s before, which renews the session', async (_how, _renewed, renew, end) => {
    const scene = await open()
    const session = scene.owner.jar.get('__Host-session')
    for (let time = 0; time < 2; time++) {
      await renew(scene)
      expect(await livesOf(scene)).toEqual([lives, lives])
    }
    expect(scene.owner.jar.get('__Host-session')).not.toBe(session)
    await end(scene)
    expect(await livesOf(scene)).toEqual([lives, ended])
  })

  test('the revocation of the session before the code is exchanged', async () => {
    const { bench, owner } = await open()
    const form = await bench.giveCode(owner, { client: desk })
    const ofOffline = await bench.giveCode(owner, { client: desk, scope: offline })
    await owner.ask('mutation { signOut }', {}, ownPage)
    expect((await bench.token(form)).status).toBe(400)
    expect((await bench.token(ofOffline)).status).toBe(200)
  })

  /** A service whose records are not found by their owner while it is down, and a sign-out that fails by that. */
  async function failToSignOut() {
    let isDown = false
    const bench = createOAuthBench({
      around: async (name, call) => {
        if (isDown && name === 'records.listByOwner')
          throw Object.assign(new Error('down'), { code: 'STORE_UNAVAILABLE' })
        return call()
      },
    })
    const owner = await bench.signedIn()
    const bound = await bench.give(owner, { client: desk })
    isDown = true
    expect((await owner.ask('mutation { signOut }', {}, ownPage)).status).toBe(503)
    const recover = (): void => {
      isDown = false
    }
    return { bench, owner, bound, kept: bound, form: {}, recover }
  }

  test('no failed sign-out: session and tokens stay valid', async () => {
    const { bench, owner, bound, recover } = await failToSignOut()
    recover()
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    expect(await bench.livesAt(bound.access_token)).toEqual(lives)
  })

  test.each(Object.entries(renewals))(
    '%s after a sign-out that has failed, and clients are given anew',
    async (_what, renew) => {
      const { recover, ...scene } = await failToSignOut()
      const { bench, owner, bound } = scene
      recover()
      await renew(scene)
      expect(await bench.livesAt(bound.access_token)).toEqual(ended)
      const next = await bench.give(owner, { client: desk })
      expect(await bench.livesAt(next.access_token)).toEqual(lives)
      await renew(scene)
      expect(await bench.livesAt(next.access_token)).toEqual(lives)
      await owner.ask('mutation { signOut }', {}, ownPage)
      expect(await bench.livesAt(next.access_token)).toEqual(ended)
    },
  )

  test('no new sign-in after a failed sign-out in an outage: it creates no session', async () => {
    const { bench, owner, bound, recover } = await failToSignOut()
    const session = owner.jar.get('__Host-session')
    expect((await owner.signIn(owner.account.email, password)).status).toBe(503)
    expect(owner.jar.get('__Host-session')).toBe(session)
    recover()
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    expect(await bench.livesAt(bound.access_token)).toEqual(lives)
  })
})
