import { createSessions, type Session } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { answerOf, authorizeTarget, callback, createProvider, issuer, pair } from './support/provider.ts'

const startsAt = 1_790_000_000_000
const factors = [{ kind: 'password', at: startsAt, category: 'know' }] as const

/** Sessions that are bound to a provider; records of sessions cannot be removed while `isAway`. */
async function openBound() {
  const away = { isAway: false }
  const records = createMemoryRecordStore({ now: () => startsAt })
  const { server, openBrowser, now } = await createProvider({
    records,
    consent: () => 'granted',
    signedIn: ({ headers }) => sessions.read(headers.get('cookie')?.slice('session='.length) ?? null),
  })
  const remove: RecordStore['remove'] = (key) =>
    away.isAway ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store is away')) : records.remove(key)
  const sessions = server.bindSessions(createSessions({ records: { ...records, remove }, now }))
  const start = async (subject: string, replaces: Session | null = null): Promise<Session> => {
    const issued = await sessions.create({ subject, epoch: 0, factors, replaces })
    if (!issued) throw new Error('it was not created')
    browser.cookies.set('session', issued.credential)
    return issued.session
  }
  const browser = openBrowser()
  /** The answer to a token of the session in the browser. */
  const issue = async (): Promise<() => Promise<number>> => {
    const { code = '' } = answerOf(await browser.get(authorizeTarget({ scope: 'openid' })))
    const form = { grant_type: 'authorization_code', client_id: 'spa', redirect_uri: callback, code }
    const { access_token } = JSON.parse(
      await (await browser.post('/token', { ...form, code_verifier: pair.verifier })).text(),
    )
    const authorization = `Bearer ${access_token}`
    return async () => (await server.fetch(new Request(`${issuer}/userinfo`, { headers: { authorization } }))).status
  }
  return { away, sessions, start, issue }
}

test('a bound session that is revoked revokes its tokens first, and can be revoked again after a failure', async () => {
  const { away, sessions, start, issue } = await openBound()
  const { key } = await start('acc_ada')
  const statusOf = await issue()
  away.isAway = true
  await expect(sessions.revoke('acc_ada', key)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await statusOf()).toBe(401)
  away.isAway = false
  expect(await sessions.revoke('acc_ada', key)).toBe(true)
  expect(await sessions.revoke('acc_ada', key)).toBe(false)
})

test('a bound session that is renewed for its account keeps its lineage and its tokens', async () => {
  const { sessions, start, issue } = await openBound()
  const first = await start('acc_ada')
  const statusOf = await issue()
  const second = await start('acc_ada', first)
  const third = await sessions.regenerate('acc_ada', second.key, { epoch: 0, factors })
  expect([second.lineage, third?.session.lineage]).toEqual([first.lineage, first.lineage])
  expect(await statusOf()).toBe(200)
})

test.each(['create', 'regenerate'] as const)(
  'a bound session that `%s` renews after a failed revocation has another lineage',
  async (call) => {
    const { away, sessions, start } = await openBound()
    const first = await start('acc_ada')
    away.isAway = true
    await expect(sessions.revoke('acc_ada', first.key)).rejects.toThrow('the store is away')
    away.isAway = false
    const input = { epoch: 0, factors }
    const renewed = await (call === 'create'
      ? sessions.create({ ...input, subject: 'acc_ada', replaces: first })
      : sessions.regenerate('acc_ada', first.key, input))
    expect(renewed?.session.lineage).not.toBe(first.lineage)
    expect(await sessions.find('acc_ada', first.key)).toBeNull()
  },
)

test('a bound session that the session of another account replaces revokes its tokens', async () => {
  const { start, issue } = await openBound()
  const first = await start('acc_ada')
  const statusOf = await issue()
  await start('acc_eve', first)
  expect(await statusOf()).toBe(401)
})
