import { createMemoryDocumentStore, type DocumentStore, StoreError } from '@latchkey/store'
import { createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { account, openTotp, refused, secrets } from './open-totp.ts'

type Method = 'insert' | 'replace' | 'get' | 'remove'
type Call = (run: () => Promise<unknown>) => Promise<unknown>
type Calls = Partial<Record<Method, Call>>

const fail = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'it does not answer'))
const loseAnswer: Call = (run) => run().then(fail)
const asUsual: Call = (run) => run()
const unavailable = { code: 'STORE_UNAVAILABLE' }

/**
 * A factor whose store makes calls its own way during a confirmation: the first write of the factor, and from then on its removal
 * and the reads of the enrolment.
 */
function openFailing(calls: Calls) {
  const stored = createMemoryDocumentStore()
  let isArmed = false
  let wasSent = false
  const around = async (method: Method, collection: string, run: () => Promise<unknown>) => {
    const isFactor = collection === 'factor-totp'
    const isWrite = isFactor && (method === 'insert' || method === 'replace')
    const isFirst = isArmed && isWrite && !wasSent
    wasSent ||= isFirst
    const isLater = wasSent && !isWrite && isFactor === (method === 'remove')
    return isFirst || isLater ? (calls[method] ?? asUsual)(run) : run()
  }
  const documents: DocumentStore = {
    ...stored,
    insert: (one) => around('insert', one.collection, () => stored.insert(one)) as Promise<boolean>,
    replace: (one, next) => around('replace', one.collection, () => stored.replace(one, next)) as Promise<boolean>,
    remove: (one) => around('remove', one.collection, () => stored.remove(one)) as Promise<boolean>,
    get: (collection, id) =>
      around('get', collection, () => stored.get(collection, id)) as ReturnType<typeof stored.get>,
  }
  const opened = openTotp({ documents })
  return {
    ...opened,
    /** The same factor over a store that does not fail. */
    other: createTotp({ documents: stored, secrets, issuer: 'Example', now: opened.now }),
    /** Confirms an enrolment while the store fails, and returns the error. */
    async confirmFailing(secret: string) {
      isArmed = true
      const confirming = opened.totp.confirm(account, opened.code(secret))
      const error = await confirming.catch((thrown: unknown) => thrown)
      isArmed = false
      wasSent = false
      return error
    },
  }
}

type Failing = ReturnType<typeof openFailing>

const enroll = async ({ totp }: Pick<Failing, 'totp'>) => (await totp.enroll(account, 'ada@example.com')).secret

describe.each<[string, Calls]>([
  ['the answer to its write is lost', { insert: loseAnswer, replace: loseAnswer }],
  ['the enrolment cannot be read afterwards', { get: fail }],
])('if %s,', (_what, calls) => {
  test('no factor stays', async () => {
    const opened = openFailing(calls)
    expect(await opened.confirmFailing(await enroll(opened))).toMatchObject(unavailable)
    expect(await opened.totp.find(account)).toBeNull()
  })

  test('an older factor stays in force', async () => {
    const opened = openFailing(calls)
    const { totp, code } = opened
    const older = await enroll(opened)
    expect(await totp.confirm(account, code(older))).toMatchObject({ ok: true })
    opened.advance(2)
    const secret = await enroll(opened)
    expect(await opened.confirmFailing(secret)).toMatchObject(unavailable)
    expect(await totp.verify(account, code(secret))).toEqual(refused('wrong'))
    expect(await totp.verify(account, code(older))).toMatchObject({ ok: true })
  })
})

test('no factor stays if the answer to its write is lost, even if it has accepted a code meanwhile', async () => {
  const verdicts: unknown[] = []
  let secret = ''
  const opened = openFailing({
    async insert(run) {
      await run()
      opened.advance(2)
      verdicts.push(await opened.other.verify(account, opened.code(secret)))
      return fail()
    },
  })
  secret = await enroll(opened)
  expect(await opened.confirmFailing(secret)).toMatchObject(unavailable)
  expect(verdicts).toMatchObject([{ ok: true }])
  expect(await opened.totp.find(account)).toBeNull()
})

test('a factor that was activated meanwhile stays', async () => {
  let secret = ''
  const opened = openFailing({
    async insert(run) {
      expect(await opened.other.importSecret(account, new Uint8Array(20).fill(5))).toBe(true)
      return loseAnswer(run)
    },
  })
  secret = await enroll(opened)
  expect(await opened.confirmFailing(secret)).toMatchObject(unavailable)
  expect(await opened.totp.find(account)).not.toBeNull()
  expect(await opened.totp.verify(account, opened.code(secret))).toEqual(refused('wrong'))
})

test('the error of the write is reported if the removal fails as well', async () => {
  const opened = openFailing({
    insert: loseAnswer,
    remove: () => Promise.reject(new Error('the removal failed')),
  })
  expect(await opened.confirmFailing(await enroll(opened))).toMatchObject(unavailable)
})
