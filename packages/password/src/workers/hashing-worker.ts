import type { EngineNames } from '../engines/engines.ts'
import type { WorkerAnswer, WorkerQuestion, WorkerReply, WorkerRequest, WorkerStart } from './worker-protocol.ts'
import type { WorkerThread, WorkerThreads } from './worker-threads.ts'

/** One worker thread, started with the first question. */
export interface HashingWorker {
  ask(question: WorkerQuestion): Promise<WorkerAnswer>
  readonly isIdle: boolean
  /** Stops the thread; its pending jobs reject. */
  end(): Promise<void>
}

/** The thread exited before it was ready: this platform cannot start a worker. */
class WorkerUnavailable extends Error {
  override readonly name = 'WorkerUnavailable'
}

/** Returns whether a worker could not be started at all, as opposed to a worker that exited while it computed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof WorkerUnavailable
}

interface Asker {
  resolve(answer: WorkerAnswer): void
  reject(error: Error): void
}

/**
 * @param onEnd called when the thread has exited for any reason.
 * @throws an error that `isUnavailable` recognizes, if the platform refuses at once.
 */
export function createHashingWorker(threads: WorkerThreads, named: EngineNames, onEnd: () => void): HashingWorker {
  const askers = new Map<number, Asker>()
  let nextId = 0
  let isReady = false

  const ended = (cause: unknown): void => {
    onEnd()
    const error = isReady ? new Error('the hashing worker has ended', { cause }) : new WorkerUnavailable()
    for (const asker of askers.values()) asker.reject(error)
    askers.clear()
  }
  const receive = (reply: WorkerReply): void => {
    if ('ready' in reply) {
      isReady = true
      return
    }
    const asker = askers.get(reply.id)
    askers.delete(reply.id)
    // Only a thread that computes keeps the process alive.
    if (askers.size === 0) thread.unref()
    asker?.resolve(reply.answer)
  }

  const thread = startThread(threads, named)
  thread.on('message', (reply) => receive(reply as WorkerReply))
  thread.on('error', ended)
  thread.on('exit', () => ended(undefined))

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        askers.set(id, { resolve, reject })
        thread.ref()
        thread.postMessage({ id, question } satisfies WorkerRequest)
      }),
    get isIdle() {
      return askers.size === 0
    },
    async end() {
      await thread.terminate()
    },
  }
}

function startThread(threads: WorkerThreads, named: EngineNames): WorkerThread {
  try {
    const workerData: WorkerStart = { latchkeyEngines: named }
    // Flags such as --import are meant for the application and would slow down the start.
    return new threads.Worker(workerFile(), { workerData, name: 'latchkey-password', execArgv: [] })
  } catch {
    throw new WorkerUnavailable()
  }
}

/**
 * Returns the file of the worker, which is in the folder of this module, or of the bundle that contains it, in the same
 * form.
 */
function workerFile(): URL {
  const { url } = import.meta
  const [, extension = '.js'] = /(\.[cm]?[jt]s)$/.exec(url) ?? []
  return new URL(`${extension === '.ts' ? '../' : './'}latchkey-password-worker${extension}`, url)
}
