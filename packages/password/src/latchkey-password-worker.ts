import { createEngines, type EngineNames } from './engines/engines.ts'
import type {
  WorkerAnswer,
  WorkerQuestion,
  WorkerReply,
  WorkerRequest,
  WorkerStart,
} from './workers/worker-protocol.ts'
import { findWorkerThreads, lowerThreadPriority, type WorkerPort } from './workers/worker-threads.ts'

// Loaded anywhere else, this module does nothing.
const threads = findWorkerThreads()
if (threads?.parentPort && isStart(threads.workerData)) serve(threads.parentPort, threads.workerData.latchkeyEngines)

function isStart(data: unknown): data is WorkerStart {
  return typeof data === 'object' && data !== null && 'latchkeyEngines' in data
}

function serve(port: WorkerPort, named: EngineNames): void {
  lowerThreadPriority()
  const engines = createEngines(named, true)
  const answer = async (question: WorkerQuestion): Promise<WorkerAnswer> => {
    if ('engineFor' in question) return { engine: await engines.nameOf(question.engineFor) }
    try {
      // A copy: an engine may answer with a view of something larger.
      return { output: new Uint8Array(await engines.run(question.job)) }
    } finally {
      question.job.password.fill(0)
    }
  }
  const failed = (error: unknown): WorkerAnswer => ({ failure: error instanceof Error ? error.message : 'unknown' })
  port.on('message', async (message) => {
    const { id, question } = message as WorkerRequest
    port.postMessage({ id, answer: await answer(question).catch(failed) } satisfies WorkerReply)
  })
  port.postMessage({ ready: true } satisfies WorkerReply)
}
