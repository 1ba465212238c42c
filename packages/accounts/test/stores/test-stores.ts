import type { AccountStore } from '@latchkey/accounts'
import { type DocumentStore, type RecordStore, StoreError } from '@latchkey/store'

type Around<Method> = (method: Method, run: () => Promise<unknown>) => Promise<unknown>
type RecordMethod = 'insert' | 'get' | 'replace' | 'touch' | 'remove' | 'listByOwner' | 'removeByOwner'
type AccountMethod = 'insert' | 'get' | 'getMany' | 'getByEmail' | 'replace' | 'remove' | 'list' | 'listRoleHolders'
export type AroundRecords = Around<RecordMethod>
export type AroundAccounts = Around<AccountMethod>

function wrapper<Method>(around: Around<Method>) {
  return <Arguments extends unknown[], Result>(method: Method, call: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> =>
      around(method, () => call(...given)) as Promise<Result>
}

/** A store whose every call goes through `around`: to wait, to count, to fail. */
export function wrapRecordStore(records: RecordStore, around: AroundRecords): RecordStore {
  const wrap = wrapper(around)
  return {
    capabilities: records.capabilities,
    now: records.now,
    insert: wrap('insert', records.insert),
    get: wrap('get', records.get),
    replace: wrap('replace', records.replace),
    touch: wrap('touch', records.touch),
    remove: wrap('remove', records.remove),
    listByOwner: wrap('listByOwner', records.listByOwner),
    removeByOwner: wrap('removeByOwner', records.removeByOwner),
    ...(records.sweep && { sweep: records.sweep }),
    ...(records.sweep && { sweep: records.sweep }),
  }
}

export function wrapAccountStore(accounts: AccountStore, around: AroundAccounts): AccountStore {
  const wrap = wrapper(around)
  return {
    insert: wrap('insert', accounts.insert),
    get: wrap('get', accounts.get),
    ...(accounts.getMany && { getMany: wrap('getMany', accounts.getMany) }),
    getByEmail: wrap('getByEmail', accounts.getByEmail),
    replace: wrap('replace', accounts.replace),
    remove: wrap('remove', accounts.remove),
    list: wrap('list', accounts.list),
    ...(accounts.listRoleHolders && { listRoleHolders: wrap('listRoleHolders', accounts.listRoleHolders) }),
  }
}

export type DocumentMethod = 'insert' | 'get' | 'replace' | 'remove' | 'list' | 'listByOwner' | 'removeByOwner'
export type AroundDocuments = (
  method: DocumentMethod,
  run: () => Promise<unknown>,
  given: readonly unknown[],
) => Promise<unknown>

/** The same of a store of documents; `around` sees what the call was given, too. */
export function wrapDocumentStore(documents: DocumentStore, around: AroundDocuments): DocumentStore {
  const wrap =
    <Arguments extends unknown[], Result>(method: DocumentMethod, call: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> =>
      around(method, () => call(...given), given) as Promise<Result>
  return {
    capabilities: documents.capabilities,
    insert: wrap('insert', documents.insert),
    get: wrap('get', documents.get),
    replace: wrap('replace', documents.replace),
    remove: wrap('remove', documents.remove),
    list: wrap('list', documents.list),
    listByOwner: wrap('listByOwner', documents.listByOwner),
    removeByOwner: wrap('removeByOwner', documents.removeByOwner),
  }
}

let drawn = 20261121

/** Draws an integer below that, the same ones in every run: a race that was lost can be had again. */
function draw(below: number): number {
  drawn = (drawn * 48_271) % 2_147_483_647
  return drawn % below
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Each call takes a few turns of the event loop before and after it takes effect, as a network would. */
export const delay = async (_method: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  for (let left = draw(5); left > 0; left--) await turn()
  const result = await run()
  for (let left = draw(5); left > 0; left--) await turn()
  return result
}

/** A promise and the function that resolves it. */
export function createGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

/** Stores that do not answer from `begin` on: a call fails at the next deadline. */
export function createSilence() {
  const waiting: (() => void)[] = []
  let isSilent = false
  return {
    begin() {
      isSilent = true
    },
    async around(_method: string, run: () => Promise<unknown>): Promise<unknown> {
      if (!isSilent) return run()
      const deadline = createGate()
      waiting.push(deadline.open)
      await deadline.passed
      throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
    },
    /** Passes deadlines until the work is settled. Returns how many calls have waited for each. */
    async passDeadlines(work: Promise<unknown>): Promise<readonly number[]> {
      let isSettled = false
      const settled = (): void => {
        isSettled = true
      }
      work.then(settled, settled)
      const callsOfDeadlines: number[] = []
      for (let turns = 0; turns < 40 && !isSettled; turns++) {
        await turn()
        const ended = waiting.splice(0)
        for (const end of ended) end()
        if (ended.length > 0) callsOfDeadlines.push(ended.length)
      }
      return callsOfDeadlines
    },
  }
}
