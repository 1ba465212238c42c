import { spawn } from 'node:child_process'
import process from 'node:process'
import { wallClock } from '@latchkey/core/internal'
import { StoreError, type StoreErrorCode } from '../errors.ts'

/** A message of the other process: the members of its store, or the outcome of a call. */
interface Message {
  readonly call?: number
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly code?: string }
  readonly methods?: readonly string[]
  readonly data?: Readonly<Record<string, unknown>>
  /** The result of the store's `now` when the message was sent. */
  readonly now?: number
}

/** The program of the other process, which has no file: bundlers need not know of it. */
const program = `
const store = await (await import(process.argv[1])).createStore()
const members = []
for (let level = store; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
  members.push(...Object.getOwnPropertyNames(level))
}
const methods = members.filter((name) => name !== 'constructor' && typeof store[name] === 'function')
const data = Object.fromEntries(members.filter((name) => typeof store[name] === 'object').map((name) => [name, store[name]]))
const send = (message) => process.send({ ...message, now: store.now?.() })
process.on('message', async ({ call, method, given }) => {
  try {
    send({ call, result: await store[method](...given) })
  } catch (error) {
    send({ call, error: { message: String(error?.message ?? error), code: error?.code } })
  }
})
process.on('disconnect', () => process.exit())
send({ methods, data })
`

/**
 * Creates a store in another process, and returns a client whose methods are called there. With `createStoreElsewhere` of a
 * kit it finds stores that keep data or locks in the memory of a process. Node.js only; the process ends with this one.
 *
 * @param module the module that exports the function `createStore`.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
 * import { createStoreInProcess } from '@latchkey/store/node'
 * import { describeDocumentStore } from '@latchkey/store/testing'
 * const module = new URL('./create-store.ts', import.meta.url)
 * describeDocumentStore({
 *   describe,
 *   test,
 *   createStore: createMemoryDocumentStore, // that of the module
 *   createStoreElsewhere: () => createStoreInProcess<DocumentStore>(module),
 * })
 */
export async function createStoreInProcess<Store extends object>(module: URL): Promise<Store> {
  if (!(module instanceof URL)) throw new TypeError('createStoreInProcess takes the URL of a module')
  const args = [...process.execArgv, '--input-type=module', '--eval', program, module.href]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  const started = Promise.withResolvers<Message>()
  let clock = { now: wallClock(), at: performance.now() }
  child.on('message', (message: Message) => {
    if (message.now !== undefined) clock = { now: message.now, at: performance.now() }
    if (message.methods) started.resolve(message)
    else settle(calls, message)
  })
  child.on('exit', (code) => {
    const error = new Error(`the process of the store ended with code ${code}`)
    started.reject(error)
    for (const { reject } of calls.values()) reject(error)
  })
  // The process under test must not be kept alive by its store in another one.
  child.unref()
  child.channel?.unref()

  let last = 0
  const call = (method: string, given: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    calls.set(++last, answer)
    child.channel?.ref()
    child.send({ call: last, method, given })
    return answer.promise.finally(() => calls.size === 0 && child.channel?.unref())
  }
  child.channel?.ref()
  const { methods = [], data = {} } = await started.promise
  child.channel?.unref()
  const members = methods.map((method) => [method, (...given: readonly unknown[]) => call(method, given)] as const)
  const now = () => Math.trunc(clock.now + performance.now() - clock.at)
  return { ...data, ...Object.fromEntries(members), ...(methods.includes('now') && { now }) } as Store
}

function settle(calls: Map<number, PromiseWithResolvers<unknown>>, { call = 0, result, error }: Message): void {
  const answer = calls.get(call)
  calls.delete(call)
  if (!error) answer?.resolve(result)
  else answer?.reject(error.code?.startsWith('STORE_') ? storeError(error) : new Error(error.message))
}

function storeError({ code, message }: NonNullable<Message['error']>): StoreError {
  return new StoreError(code as StoreErrorCode, message)
}
