import { expect, test } from 'vitest'
import { invalidCredentials, refusalOf } from '../bench.ts'
import { withPasskeysAlone } from '../factors/passkeys-alone.ts'
import { wrapFactorStore } from '../stores/test-stores.ts'
import { createAuditedBench } from './audited-bench.ts'

test('a removal that begins between claim and removal of another one leaves the last passkey', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let isFirst = true
  const { bench, id, identity, ids } = await withPasskeysAlone(
    createAuditedBench({
      aroundFactors: (store) =>
        wrapFactorStore(store, async (method, run) => {
          if (method !== 'removeUnlessLast' || !isFirst) return run()
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
  expect(await early).toMatchObject({ code: 'LAST_WAY_IN' })
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
