import type { DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createFactorsBench } from '../factors/factors-bench.ts'
import { withPasskeysAlone } from '../factors/passkeys-alone.ts'
import { createSignedIn } from './signed-in-scene.ts'

/** A store in which something happens once after the next removal. */
function createHook() {
  const hook: { next: (() => Promise<unknown>) | null } = { next: null }
  const around = (store: DocumentStore): DocumentStore => ({
    ...store,
    async remove(document) {
      const isRemoved = await store.remove(document)
      const { next } = hook
      hook.next = null
      await next?.()
      return isRemoved
    },
  })
  return { hook, around }
}

describe('factors that an administrator resets during a removal by the owner stay removed:', () => {
  test('passkeys', async () => {
    const { hook, around } = createHook()
    const { bench, id, identity, ids } = await withPasskeysAlone(createFactorsBench({ aroundDocuments: around }), 2)
    hook.next = () => bench.accounts.resetFactors({ id })
    await bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })
    expect(hook.next).toBeNull()
    expect(await bench.accounts.listPasskeys(id)).toEqual([])
    expect((await bench.documents.listByOwner(id)).items).toEqual([])
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [] })
  })

  test('links to providers', async () => {
    const { hook, around } = createHook()
    const { bench, id, identity } = await createSignedIn({ aroundLinks: around })
    await bench.link(id)
    await bench.link(id, '43')
    await bench.store.replace(id, {}, { passwordHash: null })
    const [first] = await bench.accounts.linkedProviders(id)
    hook.next = () => bench.accounts.resetFactors({ id })
    await bench.accounts.unlinkProvider({ identity, id: first?.id ?? '' })
    expect(hook.next).toBeNull()
    expect(await bench.links.listByAccount(id)).toEqual([])
  })
})
