import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ServerStores } from '@latchkey/server'
import { afterAll, beforeAll } from 'vitest'
import { type Backend, timeout, useSharedStores } from '../links/shared-stores.ts'
import { type OpenProvider, openProvider } from './open-provider.ts'
import type { Begun, Callback, Done, Order, Outcome, Report } from './provider-process.ts'

const program = fileURLToPath(new URL('provider-process.ts', import.meta.url))
const count = 4
/** So long before the moment at which all begin every process has its callbacks. */
const aheadMs = 60

/** Four processes of a service, and the provider that its users sign in with. */
export interface ProviderProcesses {
  stores(): ServerStores
  provider(): OpenProvider
  /** Begins so many sign-ins, each process every fourth. */
  begin(many: number): Promise<readonly Begun[]>
  /** Lets each of these owners of accounts begin a link. */
  beginLinks(owners: readonly string[], password: string): Promise<readonly Begun[]>
  /** Shows callbacks at one moment, each process every fourth, and signs in by them. */
  signInAll(callbacks: readonly Callback[]): Promise<readonly Outcome[]>
  /** Judges callbacks first, and then signs in by all verdicts, or links by them, at one moment. */
  useAll(callbacks: readonly Callback[]): Promise<readonly Outcome[]>
}

export function useProviderProcesses(backend: Backend): ProviderProcesses {
  const shared = useSharedStores(backend)
  let provider: OpenProvider | undefined
  let children: readonly ChildProcess[] = []
  let orders = 0

  beforeAll(async () => {
    const settings = shared.settings()
    if (settings === null) return
    provider = await openProvider()
    const { issuer } = provider
    const given = JSON.stringify({ ...settings, issuer, secret: randomBytes(32).toString('hex') })
    const execArgv = ['--conditions=@latchkey/source', '--no-warnings']
    children = Array.from({ length: count }, () => fork(program, [given], { execArgv }))
    await Promise.all(children.map((child) => once(child, 'message')))
  }, timeout)
  afterAll(async () => {
    const ended = children.map((child) => once(child, 'exit'))
    for (const child of children) child.disconnect()
    await Promise.all(ended)
    await provider?.close()
  })

  function carryOut(child: ChildProcess, order: Order): Promise<Done> {
    const id = ++orders
    return new Promise((resolve, reject) => {
      const listen = (said: Report): void => {
        if (said === 'ready' || said.id !== id) return
        child.off('message', listen)
        if (said.failed === undefined) resolve(said)
        else reject(new Error(said.failed))
      }
      child.on('message', listen)
      child.send({ ...order, id })
    })
  }

  /** Passes every fourth of these to each process, and returns what becomes of them in their order. */
  async function shareOut<Item, Result>(
    items: readonly Item[],
    orderOf: (part: readonly Item[]) => Order,
    resultsOf: (done: Done) => readonly Result[] | undefined,
  ): Promise<readonly Result[]> {
    const parts = await Promise.all(
      children.map((child, index) => carryOut(child, orderOf(items.filter((_item, nth) => nth % count === index)))),
    )
    return items.map((_item, nth) => resultsOf(parts[nth % count] ?? {})?.[Math.floor(nth / count)] as Result)
  }

  const outcomesOf = ({ outcomes }: Done) => outcomes
  const moment = (): number => Date.now() + aheadMs
  return {
    stores: shared.stores,
    provider() {
      if (!provider) throw new Error('the provider is not there')
      return provider
    },
    begin: (many) =>
      shareOut(
        Array.from({ length: many }),
        (part) => ({ kind: 'begin', count: part.length }),
        ({ begun }) => begun,
      ),
    beginLinks: (owners, password) =>
      shareOut(
        owners,
        (part) => ({ kind: 'begin', count: part.length, owners: part, password }),
        ({ begun }) => begun,
      ),
    signInAll(callbacks) {
      const at = moment()
      return shareOut(callbacks, (part) => ({ kind: 'sign-in', at, callbacks: part }), outcomesOf)
    },
    async useAll(callbacks) {
      const judged = await shareOut(callbacks, (part) => ({ kind: 'finish', callbacks: part }), outcomesOf)
      const refused = judged.find(({ result }) => result !== 'ok')
      if (refused) throw new Error(`a callback was refused: ${refused.result}`)
      const at = moment()
      return shareOut(callbacks, () => ({ kind: 'use', at }), outcomesOf)
    },
  }
}
