import { createMemoryDocumentStore, type DocumentStore, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { ada, bob, createBench, registered } from './passkeys-bench.ts'

type Method = 'insert' | 'listByOwner' | 'remove'
type Call = (run: () => Promise<unknown>) => Promise<unknown>

const fail = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'it does not answer'))
const loseAnswer: Call = (run) => run().then(fail)
const credentialId = new Uint8Array(32).fill(3)
const unavailable = { code: 'STORE_UNAVAILABLE' }

/** A bench whose store makes calls its own way: the insert, and the other methods from then on. */
function createFailing(calls: Partial<Record<Method, Call>>) {
  const stored = createMemoryDocumentStore()
  let isArmed = false
  let wasSent = false
  const around = async (method: Method, run: () => Promise<unknown>) => {
    if (isArmed && method === 'insert') wasSent = true
    const call = wasSent ? calls[method] : undefined
    return call ? call(run) : run()
  }
  const documents: DocumentStore = {
    ...stored,
    insert: (...given) => around('insert', () => stored.insert(...given)) as Promise<boolean>,
    remove: (...given) => around('remove', () => stored.remove(...given)) as Promise<boolean>,
    listByOwner: (...given) =>
      around('listByOwner', () => stored.listByOwner(...given)) as ReturnType<DocumentStore['listByOwner']>,
  }
  const bench = createBench({ documents })
  return {
    ...bench,
    memory: stored,
    /** Registers a passkey while the store fails, and returns the error. */
    async registerFailing(beforeActivation = async () => true) {
      const { options } = await bench.passkeys.startRegistration(ada)
      const response = await bench.authenticator.create(options, { credentialId, ignoresLists: true })
      isArmed = true
      const registering = bench.passkeys.finishRegistration(ada.id, response, { name: 'Late', beforeActivation })
      const error = await registering.catch((thrown: unknown) => thrown)
      isArmed = false
      wasSent = false
      return error
    },
  }
}

test.each<[string, Partial<Record<Method, Call>>]>([
  ['the answer to its insert is lost', { insert: loseAnswer }],
  ['the passkeys cannot be counted afterwards', { listByOwner: fail }],
])('no passkey stays if %s, and older passkeys stay', async (_what, calls) => {
  const bench = createFailing(calls)
  const older = await registered(bench)
  bench.clock.now += 1000
  expect(await bench.registerFailing()).toMatchObject(unavailable)
  expect(await bench.passkeys.list(ada.id)).toEqual([older])
})

test('no passkey stays if the answer to its insert is lost, even if it has signed in meanwhile', async () => {
  const signIns: unknown[] = []
  const bench = createFailing({
    async insert(run) {
      await run()
      bench.clock.now += 1000
      signIns.push(await bench.signIn())
      return fail()
    },
  })
  expect(await bench.registerFailing()).toMatchObject(unavailable)
  expect(signIns).toMatchObject([{ ok: true }])
  expect(await bench.passkeys.list(ada.id)).toEqual([])
})

test.each([
  ['another account', bob],
  ['the same account', ada],
])('a passkey that %s has registered meanwhile under the same id stays', async (_whose, account) => {
  const bench = createFailing({ insert: loseAnswer })
  const other = createBench({ documents: bench.memory, records: bench.records })
  const error = await bench.registerFailing(async () => {
    const { options } = await other.passkeys.startRegistration(account)
    const response = await other.authenticator.create(options, { credentialId, ignoresLists: true })
    return (await other.passkeys.finishRegistration(account.id, response, { name: 'Phone' })).ok
  })
  expect(error).toMatchObject(unavailable)
  expect(await bench.passkeys.list(account.id)).toMatchObject([{ name: 'Phone' }])
})

test('the error of the insert is reported if the removal fails as well', async () => {
  const bench = createFailing({
    insert: loseAnswer,
    remove: () => Promise.reject(new Error('the removal failed')),
  })
  expect(await bench.registerFailing()).toMatchObject(unavailable)
})
