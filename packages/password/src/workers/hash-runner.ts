import type { HashJob, PasswordEngine } from '../engines/engine.ts'
import { createEngines, type EngineNames } from '../engines/engines.ts'

/** Where jobs are computed: in worker threads, or on the calling thread. */
export interface HashRunner {
  run(job: HashJob): Promise<Uint8Array>
  /** Returns the name of the engine that jobs of this kind go to. */
  engineName(kind: HashJob['kind']): Promise<string>
  /** `worker`, or `thread` when jobs are computed on the calling thread (native engines: in libuv's pool). */
  readonly place: 'worker' | 'thread'
  close(): Promise<void>
}

/**
 * Computes on the calling thread, one job after the other: for runtimes without worker threads. WebAssembly blocks the
 * event loop there; several native hashes in flight would starve file access and DNS of libuv's threads.
 */
export function createThreadRunner(named: EngineNames): HashRunner {
  const engines = createEngines(named, false)
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job) {
      const output = last.then(() => engines.run(job))
      last = output.catch(() => {})
      return output
    },
    engineName: (kind) => engines.nameOf(kind),
    place: 'thread',
    close: async () => {},
  }
}

/** Passes jobs for which the application has its own engines to these, and every other job to the runner. */
export function withOwnEngines(runner: HashRunner, own: ReadonlyMap<HashJob['kind'], PasswordEngine>): HashRunner {
  if (own.size === 0) return runner
  return {
    run: async (job) => (await own.get(job.kind)?.run(job)) ?? runner.run(job),
    engineName: async (kind) => own.get(kind)?.name ?? runner.engineName(kind),
    get place() {
      return runner.place
    },
    close: () => runner.close(),
  }
}
