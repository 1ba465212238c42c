import type { EngineNames } from '../engines/engines.ts'
import { createThreadRunner, type HashRunner } from './hash-runner.ts'
import { createHashingWorker, type HashingWorker, isUnavailable } from './hashing-worker.ts'
import type { WorkerAnswer, WorkerQuestion } from './worker-protocol.ts'
import { type WorkerThreads, warnOfMissingWorker } from './worker-threads.ts'

/**
 * Computes in worker threads: started when first needed, never more than jobs at once, and none of them keeps the
 * process alive unless it computes. If no worker can be started (a bundle without the worker's file, a missing permission),
 * it warns and computes on the calling thread from then on.
 */
export function createWorkerRunner(threads: WorkerThreads, named: EngineNames): HashRunner {
  const workers = new Set<HashingWorker>()
  let instead: HashRunner | null = null

  const start = (): HashingWorker => {
    const worker = createHashingWorker(threads, named, () => workers.delete(worker))
    workers.add(worker)
    return worker
  }
  const fallBack = (): HashRunner => {
    if (!instead) warnOfMissingWorker()
    instead ??= createThreadRunner(named)
    return instead
  }
  /** `null`: there are no workers here. */
  const ask = async (pick: () => HashingWorker, question: WorkerQuestion): Promise<WorkerAnswer | null> => {
    if (instead) return null
    try {
      const answer = await pick().ask(question)
      if ('failure' in answer) throw new Error(answer.failure)
      return answer
    } catch (error) {
      if (isUnavailable(error)) return null
      throw error
    }
  }
  const anIdleOne = (): HashingWorker => [...workers].find(({ isIdle }) => isIdle) ?? start()
  const anyOne = (): HashingWorker => [...workers][0] ?? start()

  return {
    async run(job) {
      const answer = await ask(anIdleOne, { job })
      return answer && 'output' in answer ? answer.output : fallBack().run(job)
    },
    async engineName(kind) {
      const answer = await ask(anyOne, { engineFor: kind })
      return answer && 'engine' in answer ? answer.engine : fallBack().engineName(kind)
    },
    get place() {
      return instead ? 'thread' : 'worker'
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.end()))
    },
  }
}
