import { allowNativeDelivery } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { createBench, password, passwords, type SignedIn } from '../support/bench.ts'
import { openGrant } from '../support/grants.ts'
import { type Answer, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }'
const confirmation = `mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) {
  status account { id email } accessToken expiresIn refreshToken csrfToken challenge factors
} }`
const options = { sessions: { nativeDelivery: allowNativeDelivery } } as const
const viewer = '{ viewer { id } }'

async function confirm(visitor: Visitor, shown = password, headers = {}): Promise<Answer> {
  const answer = await visitor.ask(confirmation, { input: { currentPassword: shown } }, headers)
  const delivered = answer.data?.confirmPassword
  if (!delivered) return answer
  visitor.csrfToken = delivered.csrfToken
  visitor.bearer = delivered.accessToken
  visitor.refreshToken = delivered.refreshToken
  return answer
}

/** The credentials that a visitor has, to show them once more later. */
function copyOf(bench: ReturnType<typeof createBench>, { jar, bearer, csrfToken, refreshToken }: Visitor): Visitor {
  const copy = bench.visitor()
  for (const [name, value] of jar) copy.jar.set(name, value)
  return Object.assign(copy, { bearer, csrfToken, refreshToken })
}

describe.each(['SESSION', 'TOKEN', 'NATIVE'] as const)('an administrator with only a password, by %s,', (delivery) => {
  async function open(): Promise<{
    bench: ReturnType<typeof createBench>
    admin: SignedIn
    promote: () => Promise<Answer>
  }> {
    const bench = createBench({ options })
    const admin = await bench.signedIn('ADMIN', delivery)
    const { id: accountId } = await bench.insert()
    let turn = 0
    const promote = () => admin.ask(setRole, { input: { accountId, role: turn++ % 2 ? 'READER' : 'AUTHOR' } })
    return { bench, admin, promote }
  }

  test('must confirm it 300 s after the last proof, which then counts for another 300 s', async () => {
    const { bench, admin, promote } = await open()
    bench.advance(300)
    expect(outcomeOf(await promote())).toEqual([200, null])
    bench.advance(1)
    const asked = await promote()
    expect(outcomeOf(asked)).toEqual([401, 'STEP_UP_REQUIRED'])
    expect(asked.errors[0]?.extensions).toEqual({
      code: 'STEP_UP_REQUIRED',
      challenge: 'insufficient_user_authentication',
      factors: ['password'],
      maxAgeSeconds: 300,
    })
    expect(asked.headers.get('www-authenticate')).toContain('max_age="300"')
    const confirmed = await confirm(admin)
    expect(outcomeOf(confirmed)).toEqual([200, null])
    const { id, email } = admin.account
    expect(confirmed.data.confirmPassword).toMatchObject({ status: 'SIGNED_IN', account: { id, email }, factors: [] })
    expect(outcomeOf(await promote())).toEqual([200, null])
    bench.advance(300)
    expect(outcomeOf(await promote())).toEqual([200, null])
    bench.advance(1)
    expect(outcomeOf(await promote())).toEqual([401, 'STEP_UP_REQUIRED'])
  })

  test('gets new credentials of the same kind, and the old credentials are revoked at once', async () => {
    const { bench, admin } = await open()
    const before = copyOf(bench, admin)
    const { data, cookies } = await confirm(admin)
    const { accessToken, refreshToken, csrfToken } = data.confirmPassword
    const inBody = {
      accessToken: accessToken !== null,
      refreshToken: refreshToken !== null,
      csrfToken: csrfToken !== null,
    }
    const isSession = delivery === 'SESSION'
    expect(inBody).toEqual({ accessToken: !isSession, refreshToken: delivery === 'NATIVE', csrfToken: isSession })
    const names = { SESSION: ['__Host-session'], TOKEN: ['__Host-refresh'], NATIVE: [] }
    expect(cookies.map((line) => line.split('=')[0])).toEqual(names[delivery])
    expect(outcomeOf(await admin.ask(viewer))).toEqual([200, null])
    expect(outcomeOf(await before.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect(outcomeOf(await refresh(bench, before))).toEqual([401, 'UNAUTHENTICATED'])
    if (!isSession) expect(outcomeOf(await refresh(bench, admin))).toEqual([200, null])
    expect((await admin.ask('{ sessions { current } }')).data.sessions).toEqual([{ current: true }])
  })

  test('is refused a wrong password with one hash and the same bytes, and stays signed in', async () => {
    const { bench, admin, promote } = await open()
    bench.advance(301)
    const other = await bench.insert({ status: 'locked' })
    const answers: string[] = []
    for (const wrong of ['otters sing loudly at noon', '', '\0', other.email]) {
      const before = passwords.stats.evaluations
      const answer = await confirm(admin, wrong)
      expect(passwords.stats.evaluations - before).toBe(1)
      expect([...outcomeOf(answer), answer.cookies]).toEqual([403, 'INVALID_CREDENTIALS', []])
      answers.push(answer.text)
    }
    expect(new Set(answers).size).toBe(1)
    expect(outcomeOf(await admin.ask(viewer))).toEqual([200, null])
    expect(outcomeOf(await promote())).toEqual([401, 'STEP_UP_REQUIRED'])
    const refused = bench.events.filter(({ type }) => type === 'password.confirmation-failed')
    expect(refused.map((event) => 'reason' in event && event.reason)).toEqual(Array(4).fill('wrong-password'))
  })

  test('keeps exactly one of two concurrent confirmations, and the other changes no session', async () => {
    const { bench, admin } = await open()
    const twice = await Promise.all([confirm(copyOf(bench, admin)), confirm(copyOf(bench, admin))])
    expect(twice.map(outcomeOf).sort()).toEqual([
      [200, null],
      [403, 'INVALID_CREDENTIALS'],
    ])
    expect(await (await bench.server.accounts()).listSessions(admin.account.id)).toHaveLength(1)
  })
})

test('a native family is not renewed for a page, even with the right password', async () => {
  const bench = createBench({ options })
  const admin = await bench.signedIn('ADMIN', 'NATIVE')
  const before = passwords.stats.evaluations
  const answer = await confirm(admin, password, ownPage)
  expect(answer.errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.delivery' })
  expect(passwords.stats.evaluations).toBe(before)
  expect(outcomeOf(await admin.ask(viewer))).toEqual([200, null])
})

test("confirmPassword is refused without a sign-in, and for a client's token", async () => {
  const bench = createBench({ options })
  const admin = await bench.insert({ roles: ['ADMIN'] })
  expect(outcomeOf(await confirm(bench.visitor()))).toEqual([401, 'UNAUTHENTICATED'])
  const visitor = bench.visitor()
  visitor.bearer = (await openGrant(bench, admin, { clientId: 'demo-spa', scopes: ['openid'] })).accessToken
  expect(outcomeOf(await confirm(visitor))).toEqual([403, 'FORBIDDEN'])
})

async function refresh(bench: ReturnType<typeof createBench>, { jar, refreshToken }: Visitor): Promise<Answer> {
  const visitor = bench.visitor()
  const cookie = jar.get('__Host-refresh')
  if (cookie) visitor.jar.set('__Host-refresh', cookie)
  const input = refreshToken && { refreshToken }
  return visitor.ask('mutation ($input: RefreshInput) { refresh(input: $input) { expiresIn } }', { input })
}
