import { describeAccountStore } from '@latchkey/accounts/testing'
import { StoreError } from '@latchkey/store'
import { describeDocumentStore, describeRecordStore } from '@latchkey/store/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRemoteStores, type ObjectNamespace } from '../src/remote-stores.ts'
import { post } from './support/post.ts'
import { bundle, startWorkers, type Workers } from './support/start-workers.ts'

let workers: Workers
let namespace: ObjectNamespace

beforeAll(async () => {
  workers = await startWorkers((await bundle('test/support/stores-worker.ts')).text)
  namespace = { getByName: () => ({ fetch: (_url, { body }) => post(workers.url, String(body)) }) }
})
afterAll(() => workers?.stop())

const unreachable: ObjectNamespace = { getByName: () => ({ fetch: () => Promise.reject(new Error('no such object')) }) }

describe('the stores in a Durable Object', () => {
  describeRecordStore({
    describe,
    test,
    createStore: () => createRemoteStores(namespace).records,
    unreachable: () => createRemoteStores(unreachable).records,
  })
  describeAccountStore({
    describe,
    test,
    createStore: () => createRemoteStores(namespace).accounts,
    optional: ['getMany'],
  })
  describeDocumentStore({ describe, test, createStore: () => createRemoteStores(namespace).documents })

  test('reject with the code of the error that the object has answered', async () => {
    const silent: ObjectNamespace = {
      getByName: () => ({
        fetch: async () => Response.json({ code: 'STORE_NOT_MIGRATED', message: 'no tables', now: 0 }),
      }),
    }
    const failure = await createRemoteStores(silent)
      .records.get('se_1')
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StoreError)
    expect(failure).toMatchObject({ code: 'STORE_NOT_MIGRATED' })
  })
})
