import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { RecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'

/** What a process is told. */
export type ToProcess =
  | {
      readonly kind: 'finish'
      readonly issuer: string
      readonly redirectUri: string
      readonly secret: string
      readonly url: string
      readonly cookie: string
      readonly count: number
    }
  | { readonly kind: 'inserted'; readonly id: number; readonly isInserted: boolean }

/** What it says. */
export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'insert'; readonly id: number; readonly record: NewRecord }
  | { readonly kind: 'finished'; readonly outcomes: readonly string[] }

export interface FinishingProcess {
  finish(message: Extract<ToProcess, { kind: 'finish' }>): Promise<readonly string[]>
  close(): Promise<void>
}

/** Starts a process that finishes callbacks over a store of this one. */
export async function startProcess(records: RecordStore): Promise<FinishingProcess> {
  const child: ChildProcess = fork(new URL('finishing-process.ts', import.meta.url), {
    execArgv: ['--conditions=@latchkey/source', '--disable-warning=ExperimentalWarning'],
  })
  const { promise: outcomes, resolve } = Promise.withResolvers<readonly string[]>()
  const ready = Promise.withResolvers<void>()
  child.once('exit', (code) => ready.reject(new Error(`the process has ended with ${code}`)))
  child.on('message', async (message: FromProcess) => {
    if (message.kind === 'ready') ready.resolve()
    if (message.kind === 'finished') resolve(message.outcomes)
    if (message.kind !== 'insert') return
    const isInserted = await records.insert(message.record)
    child.send({ kind: 'inserted', id: message.id, isInserted } satisfies ToProcess)
  })
  await ready.promise
  return {
    finish(message) {
      child.send(message)
      return outcomes
    },
    async close() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
