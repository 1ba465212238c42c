import { describe, expect, test } from 'vitest'
import type { Question, Reply } from './link-process.ts'
import { backends, timeout } from './shared-stores.ts'
import { password, useFourProcesses } from './use-four-processes.ts'

// What ends an API key at one process ends it at the next request to every other.

const created = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id } } }'
const input = { name: 'Export', scopes: ['notes:read'] }
const processes = [0, 1, 2, 3]

const by = (bearer: string, query: string, variables: object = {}): Question => ({
  undoDays: 7,
  query,
  variables,
  bearer,
})
const statuses = (replies: readonly Reply[]): readonly number[] => replies.map(({ status }) => status)

describe.each(backends)('an API key at four processes on %s', (backend) => {
  const { all, ask, insert, mailsTo } = useFourProcesses(backend)

  async function signIn() {
    const account = await insert()
    const query = `mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }`
    const asked = { email: account.email, password, delivery: 'TOKEN' }
    const { data } = await ask({ undoDays: 7, query, variables: { input: asked } })
    return { account, token: String(data.signIn.accessToken) }
  }
  async function create(token: string, index = 0): Promise<{ readonly key: string; readonly id: string }> {
    const { data } = await ask(by(token, created, { input }), index)
    return { key: data.createApiKey.key, id: data.createApiKey.apiKey.id }
  }
  const showAtAll = async (key: string) =>
    statuses(await Promise.all(processes.map((index) => ask(by(key, '{ notes }'), index))))

  test(
    'a key of one process is accepted by all, is refused by all after another has revoked it, and one of fifty revocations wins',
    async () => {
      const { token } = await signIn()
      const { key, id } = await create(token)
      expect(await showAtAll(key)).toEqual([200, 200, 200, 200])
      const revoke = by(token, `mutation { revokeApiKey(id: "${id}") }`)
      const replies = await all().four.askAll(Array.from({ length: 50 }, () => revoke))
      expect(replies.filter(({ data }) => data.revokeApiKey === true)).toHaveLength(1)
      expect(await showAtAll(key)).toEqual([401, 401, 401, 401])
    },
    timeout,
  )

  test.each([
    ['all other sessions are revoked', true, 'mutation { revokeAllSessions }', {}],
    ['all sessions are revoked', false, 'mutation { revokeAllSessions(exceptCurrent: false) }', {}],
    [
      'the password changes',
      true,
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      { input: { currentPassword: password, newPassword: 'seven kettles hum along' } },
    ],
  ])(
    'a key is refused by all processes after %s, as are keys that are created at the same moment',
    async (_what, goesOn, query, variables) => {
      const { account, token } = await signIn()
      const { key } = await create(token)
      const creations = Array.from({ length: 12 }, () => by(token, created, { input }))
      const replies = await all().four.askAll([
        ...creations.slice(0, 6),
        by(token, query, variables),
        ...creations.slice(6),
      ])
      const end = replies[6]
      expect(end?.status).toBe(200)
      expect(await showAtAll(key)).toEqual([401, 401, 401, 401])
      const { items } = await all().stores.documents.listByOwner(account.id, { collections: ['api-keys'] })
      // By a session that goes on, a key may be created after the end.
      if (!goesOn) expect(items).toEqual([])
    },
    timeout,
  )

  test(
    'an account has at most 25 keys, however many requests arrive at once',
    async () => {
      const { account, token } = await signIn()
      const replies = await all().four.askAll(Array.from({ length: 50 }, () => by(token, created, { input })))
      const { items } = await all().stores.documents.listByOwner(account.id, { collections: ['api-keys'] })
      expect(items.length).toBeLessThanOrEqual(25)
      const given = replies.filter(({ data }) => data !== null && data !== undefined)
      expect(given).toHaveLength(items.length)
      await expect.poll(() => mailsTo(account.email, 'api-key-created')).toHaveLength(items.length)
    },
    timeout,
  )
})
