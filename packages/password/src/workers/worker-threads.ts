/** What this package uses of Node's worker threads, as Deno and Bun have them too. */
export interface WorkerThread {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): void
  on(event: 'error', listener: (error: unknown) => void): void
  on(event: 'exit', listener: () => void): void
  ref(): void
  unref(): void
  terminate(): Promise<number>
}

export interface WorkerPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): void
}

export interface WorkerThreads {
  readonly Worker: new (
    file: URL,
    options: { workerData: unknown; name: string; execArgv: readonly string[] },
  ) => WorkerThread
  readonly parentPort: WorkerPort | null
  readonly workerData: unknown
}

type System = {
  availableParallelism(): number
  setPriority(priority: number): void
}
type Builtins = { 'node:worker_threads': WorkerThreads; 'node:os': System }

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined; readonly platform?: string }
  | undefined

/** Gives the runtime's worker threads, or `null` where there are none. */
export function findWorkerThreads(): WorkerThreads | null {
  const threads = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:worker_threads')
  return threads ?? null
}

/** Gives the number of threads that this process can really run at once. */
export function countCores(): number {
  const system = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:os')
  return system?.availableParallelism() ?? navigator.hardwareConcurrency ?? 1
}

/**
 * On Unix's scale from -20 to 19. Enough that the event loop gets a core the moment it wants one; at 19 a machine that
 * is busy with other things would hardly hash at all.
 */
const workerPriority = 5

/** Lets everything else on the machine go first. Only Linux has a priority of the calling thread alone. */
export function lowerThreadPriority(): void {
  if (typeof process === 'undefined' || process.platform !== 'linux') return
  try {
    process.getBuiltinModule?.('node:os')?.setPriority(workerPriority)
  } catch {
    // A sandbox that forbids it costs a little latency elsewhere, and nothing else.
  }
}
