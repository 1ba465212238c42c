import { type StoredAccount, unknownAttempt } from '@latchkey/accounts'
import { type DocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, refusalOf } from '../bench.ts'
import { type FactorsBenchOptions, storedFactors } from '../factors/factors-bench.ts'
import { withPasskeysAlone } from '../factors/passkeys-alone.ts'
import { wrapDocumentStore } from '../stores/test-stores.ts'
import { type AuditedBench, createAuditedBench } from './audited-bench.ts'

test('a removal between claim and removal of another passkey keeps the last passkey', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let isFirst = true
  const { bench, id, identity, ids } = await withPasskeysAlone(
    createAuditedBench({
      aroundDocuments: (store) =>
        wrapDocumentStore(store, async (method, run) => {
          if (method !== 'replace' || !isFirst) return run()
          isFirst = false
          reached.resolve()
          await held.promise
          return run()
        }),
    }),
    2,
  )
  await bench.written()
  const [first = '', second = ''] = ids
  const early = refusalOf(bench.accounts.removePasskey({ identity, id: first }))
  await reached.promise
  // The session goes on over the claim of the first removal.
  const { epoch = 0 } = (await bench.store.get(id)) ?? {}
  const late = await bench.accounts.removePasskey({ identity: { ...identity, epoch }, id: second })
  expect(late).toMatchObject({ ok: true })
  held.resolve()
  expect(await early).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
  expect((await bench.accounts.listPasskeys(id)).map((passkey) => passkey.id)).toEqual([first])
  expect((await bench.written()).toSorted()).toEqual([
    'factor.removed done',
    'factor.removed failed',
    'factor.removed intended',
    'factor.removed intended',
  ])
  const again = await bench.accounts.removePasskey({ identity, id: first })
  expect(again).toEqual(invalidCredentials)
})

describe('a passkey that another removal overtakes', () => {
  /** Removes one of two passkeys, and these rows at the last moment before it. */
  async function overtake(gone: (ids: readonly string[]) => readonly string[]) {
    let meanwhile = async (): Promise<unknown> => undefined
    const aroundDocuments = (store: DocumentStore) =>
      wrapDocumentStore(store, async (method, run) => {
        if (method === 'replace') await meanwhile()
        return run()
      })
    const opened = await withPasskeysAlone(createAuditedBench({ aroundDocuments }), 2)
    const { bench, id, identity, ids } = opened
    await bench.written()
    const stored = (await storedFactors(bench, id)).filter(({ kind }) => kind === 'passkey')
    const rows = stored.map((row) => row.id)
    const remove = (row: string) => bench.documents.remove({ collection: 'factor-passkey', id: row })
    meanwhile = async () => Promise.all(gone(rows).map(remove))
    const removal = bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })
    return { ...opened, removal }
  }
  const undone = ['factor.removed intended', 'factor.removed failed']

  test.each<[string, (ids: readonly string[]) => readonly string[]]>([
    ['of the same one', (ids) => ids.slice(0, 1)],
    ['of all of them', (ids) => ids],
  ])('is gone, and it is not said twice that it was removed: %s', async (_which, gone) => {
    const { bench, removal } = await overtake(gone)
    expect(await removal).toMatchObject({ ok: true })
    await bench.accounts.settled()
    expect([bench.events, bench.outbox, await bench.written()]).toEqual([[], [], undone])
  })

  test('keeps the passkey if all others are gone', async () => {
    const { bench, id, ids, removal } = await overtake((stored) => stored.slice(1))
    expect(await refusalOf(removal)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect((await bench.accounts.listPasskeys(id)).map((passkey) => passkey.id)).toEqual([ids[0]])
    expect([bench.events, await bench.written()]).toEqual([[], undone])
  })

  test('may have removed the passkey if the store fails: the audit log has only the intention', async () => {
    const { bench, removal } = await overtake(() => {
      throw new StoreError('STORE_UNAVAILABLE', 'the store does not answer')
    })
    await expect(removal).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.written()).toEqual(undone.slice(0, 1))
  })
})

describe('the audit log reports a deletion', () => {
  const isAdministrator = ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN')
  const attempt = unknownAttempt

  interface Parts extends Pick<FactorsBenchOptions, 'aroundAccounts' | 'aroundRecords'> {
    readonly onDelete?: (bench: AuditedBench, other: StoredAccount) => unknown
  }

  /** Deletes the account of an administrator, and returns the states of its rows. */
  async function deleteOwn({ onDelete = () => undefined, ...around }: Parts) {
    const options = {
      deletion: { onDelete: async () => void (await onDelete(bench, other)) },
      administration: { isAdministrator },
    }
    const bench: AuditedBench = createAuditedBench({ ...around, options })
    const owner = await bench.insert({ roles: ['ADMIN'] })
    const other = await bench.insert({ email: 'other@example.com', roles: ['ADMIN'] })
    const { identity } = await bench.signIn({ email: owner.email })
    await expect(bench.accounts.deleteAccount({ identity, attempt })).rejects.toThrow()
    return (await bench.written()).filter((row) => row.startsWith('account.deleted'))
  }

  const unavailable = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'it does not answer'))

  test.each<[string, Parts]>([
    ['that the application refuses', { onDelete: () => Promise.reject(new Error('there is an open invoice')) }],
    [
      'of an account that is the last administrator by then',
      { onDelete: (bench, { id }) => bench.accounts.disable({ id, attempt }) },
    ],
    [
      'whose sessions could not be revoked',
      { aroundRecords: (method, run) => (method === 'removeByOwner' ? unavailable() : run()) },
    ],
  ])('%s as failed', async (_which, parts) => {
    expect(await deleteOwn(parts)).toEqual(['account.deleted intended', 'account.deleted failed'])
  })

  test('whose removal was not answered as unknown', async () => {
    const written = await deleteOwn({
      aroundAccounts: (method, run) => (method === 'remove' ? unavailable() : run()),
    })
    expect(written).toEqual(['account.deleted intended'])
  })
})
