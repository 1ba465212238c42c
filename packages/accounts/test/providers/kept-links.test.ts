import type { DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { wrapDocumentStore } from '../stores/test-stores.ts'
import { otherIssuer } from './providers-bench.ts'
import { createSignedIn, identityOf } from './signed-in-scene.ts'

type Call = { readonly method: string; readonly given: readonly unknown[] }
type Hook = { readonly matches: (call: Call) => boolean; readonly run: () => Promise<unknown> }

/** One-shot hooks before calls of the document store. */
function createHooks() {
  const hooks: Hook[] = []
  const around = (store: DocumentStore): DocumentStore =>
    wrapDocumentStore(store, async (method, run, given) => {
      const at = hooks.findIndex(({ matches }) => matches({ method, given }))
      if (at >= 0) await hooks.splice(at, 1)[0]?.run()
      return run()
    })
  return { hooks, around }
}

function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let arrive = (): void => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const stop = (): Promise<void> => {
    arrive()
    return opened
  }
  return { open, arrived, stop }
}

const isLink = (method: string) => (call: Call) =>
  call.method === method && (call.given[0] as { collection?: string }).collection === 'provider-link'
const listsWays = ({ method, given }: Call) =>
  method === 'listByOwner' && (given[1] as { collections?: unknown[] } | undefined)?.collections?.length === 2

describe('a link that another removal keeps as the last sign-in method', () => {
  test('is removed if its linking was overtaken', async () => {
    const { hooks, around } = createHooks()
    const scene = await createSignedIn({ aroundDocuments: around, aroundLinks: around })
    const { bench, id } = scene
    const begun = await bench.accounts.startPasskeyRegistration({ identity: scene.identity })
    const response = await bench.authenticator.create((begun.ok && begun.options) as never, {
      userVerified: true,
      ignoresLists: true,
    })
    const added = await bench.accounts.finishPasskeyRegistration({ identity: scene.identity, name: 'Key', response })
    if (!added.ok || !added.credentials) throw new Error('refused')
    const identity = await identityOf(bench, added.credentials.credential)
    await bench.link(id)
    await bench.store.replace(id, {}, { passwordHash: null })
    const latest = async () => ({ ...identity, epoch: (await bench.store.get(id))?.epoch ?? 0 })

    // The thief, in the session: links a user of theirs, which stops before the insert …
    const linking = gate()
    hooks.push({ matches: isLink('insert'), run: linking.stop })
    const refusedLink = scene.linkWith(await latest(), { issuer: otherIssuer, subject: 'thief' })
    await Promise.race([
      linking.arrived,
      refusedLink.then((r) => {
        throw new Error(`too early: ${JSON.stringify(r)}`)
      }),
    ])
    // … and removes the passkey, which stops after its claim.
    const removal = gate()
    hooks.push({ matches: listsWays, run: async () => {} }, { matches: listsWays, run: removal.stop })
    const removing = bench.accounts.removePasskey({ identity: await latest(), id: added.passkey.id })
    await Promise.race([
      removal.arrived,
      removing.then((r) => {
        throw new Error(`too early: ${JSON.stringify(r)}`)
      }),
    ])

    // Everything of links is ended meanwhile, as by a reset of the password whose swap raises the epoch.
    for (const link of await bench.links.listByAccount(id)) await bench.links.remove(link)
    await bench.store.replace(id, {}, { epoch: ((await bench.store.get(id))?.epoch ?? 0) + 1, keptKey: null })

    hooks.push({
      matches: isLink('remove'),
      run: async () => {
        removal.open()
        await removing
      },
    })
    linking.open()
    expect(await refusedLink).toMatchObject({ ok: false })
    expect(await bench.links.listByAccount(id)).toEqual([])
  })

  test('is removed by a reset of the factors, in whichever order they run', async () => {
    const { hooks, around } = createHooks()
    const { bench, id, identity } = await createSignedIn({ aroundDocuments: around, aroundLinks: around })
    for (const subject of ['a', 'b', 'c']) await bench.link(id, subject)
    await bench.store.replace(id, {}, { passwordHash: null })
    const latest = async () => ({ ...identity, epoch: (await bench.store.get(id))?.epoch ?? 0 })
    const [kept, ...others] = await bench.accounts.linkedProviders(id)
    const [first, second] = others.map((each) => each.id)
    // Two removals by the thief in the session: both have claimed, and stop before they read the ways in.
    const [one, two] = [gate(), gate()]
    const unlink = async (link: string | undefined, { stop, arrived }: ReturnType<typeof gate>) => {
      hooks.push({ matches: listsWays, run: async () => {} }, { matches: listsWays, run: stop })
      const unlinking = bench.accounts.unlinkProvider({ identity: await latest(), id: link ?? '' }).catch(() => null)
      await arrived
      return { unlinking }
    }
    const begunOne = await unlink(first, one)
    const begunTwo = await unlink(second, two)
    const renewing = gate()
    hooks.push({
      // The reset's first removal of the kept one.
      matches: ({ method, given }) => method === 'remove' && (given[0] as { id?: string }).id === kept?.id,
      run: async () => {
        one.open()
        await begunOne.unlinking
        hooks.push({ matches: isLink('replace'), run: renewing.stop })
        two.open()
        await renewing.arrived
        hooks.push({
          // The second one, after the epoch was raised.
          matches: ({ method, given }) => method === 'remove' && (given[0] as { id?: string }).id === kept?.id,
          run: async () => {
            renewing.open()
            await begunTwo.unlinking
          },
        })
      },
    })
    expect(await bench.accounts.resetFactors({ id })).not.toBeNull()
    expect(await bench.links.listByAccount(id)).toEqual([])
  })
})
