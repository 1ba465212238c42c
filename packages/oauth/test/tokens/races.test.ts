import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Form, openServer } from './open-server.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Each call takes a few turns of the event loop before and after it takes effect, as over a network. */
function delayed(records: RecordStore): RecordStore {
  let drawn = 20261123
  const wait = async () => {
    drawn = (drawn * 48_271) % 2_147_483_647
    for (let left = drawn % 4; left > 0; left--) await turn()
  }
  const late =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await wait()
      const result = await call(...given)
      await wait()
      return result
    }
  const { insert, get, replace, remove } = records
  return { ...records, insert: late(insert), get: late(get), replace: late(replace), remove: late(remove) }
}

const fifty = <Result>(call: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: 50 }, () => call()))

describe('fifty at once', () => {
  const records = (now: () => number) => delayed(createMemoryRecordStore({ now }))
  const open = (graceSeconds = 10) => openServer({ graceSeconds, records })

  test('one code has at most one winner of fifty, and its tokens are then refused', async () => {
    const { giveCode, post, present, refresh, stored } = await open()
    const code = await giveCode()
    const answers = await fifty(() => post('/token', code))
    const won = answers.filter(({ status }) => status === 200)
    expect(won.length).toBeLessThanOrEqual(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ body }) => body.error))).toEqual(new Set(['invalid_grant']))
    expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
    for (const { body } of won) {
      expect((await present(body.access_token)).status).toBe(401)
      expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    }
  })

  test('one refresh token has one successor for fifty callers with a grace', async () => {
    const { signIn, refresh, present } = await open()
    const { refresh_token } = await signIn()
    const answers = await fifty(() => refresh(refresh_token))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    const [first] = answers
    expect((await present(first?.body.access_token)).status).toBe(200)
    expect((await refresh(first?.body.refresh_token)).status).toBe(200)
  })

  test('one refresh token has exactly one winner of fifty without a grace, and its family is revoked', async () => {
    const { signIn, refresh, stored } = await open(0)
    const { refresh_token } = await signIn()
    const answers = await fifty(() => refresh(refresh_token))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
  })

  test('fifty codes of fifty sign-ins at once all succeed', async () => {
    const { giveCode, post, present } = await open()
    const codes: Form[] = []
    for (let given = 0; given < 50; given++) codes.push(await giveCode())
    const answers = await Promise.all(codes.map((code) => post('/token', code)))
    for (const { body } of answers) expect((await present(body.access_token)).status).toBe(200)
  })

  test('a consent that is withdrawn during the use of its codes leaves no valid token', async () => {
    const { giveCode, post, present, refresh, withdraw } = await open()
    const codes: Form[] = []
    for (let given = 0; given < 50; given++) codes.push(await giveCode())
    const [answers] = await Promise.all([Promise.all(codes.map((code) => post('/token', code))), withdraw('spa')])
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      expect((await present(body.access_token)).status).toBe(401)
      expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    }
  })

  test('a family that is revoked during its refresh leaves no valid token', async () => {
    const { signIn, post, present, refresh } = await open()
    const { refresh_token = '' } = await signIn()
    const revoke = post('/revoke', { token: refresh_token, client_id: 'spa' })
    const [answers] = await Promise.all([fifty(() => refresh(refresh_token)), revoke])
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      expect((await present(body.access_token)).status).toBe(401)
      expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    }
  })
})

test('a second use of a code before its family is stored grants no token and revokes the family', async () => {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { giveCode, post, stored } = await openServer({
    records: (now) => {
      const memory = createMemoryRecordStore({ now })
      const insert: RecordStore['insert'] = async (record) => {
        if (record.key.startsWith('rt_')) {
          reached.resolve()
          await opened.promise
        }
        return memory.insert(record)
      }
      return { ...memory, insert }
    },
  })
  const code = await giveCode()
  const first = post('/token', code)
  await reached.promise
  expect((await post('/token', code)).body.error).toBe('invalid_grant')
  opened.resolve()
  expect((await first).body.error).toBe('invalid_grant')
  expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
})
