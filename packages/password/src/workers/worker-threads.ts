/** The used part of Node's worker threads, which Deno and Bun have too. */
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
  getPriority(): number
  setPriority(priority: number): void
}
type Builtins = { 'node:worker_threads': WorkerThreads; 'node:os': System }

declare const process:
  | {
      getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined
      emitWarning?(text: string, options: { readonly code: string }): void
      readonly platform?: string
    }
  | undefined

/** Returns the runtime's worker threads, or `null` if it has none. */
export function findWorkerThreads(): WorkerThreads | null {
  const threads = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:worker_threads')
  return threads ?? null
}

/** Prints a warning, which `process.on('warning')` hears and `--no-warnings` silences. */
export function warnOfMissingWorker(): void {
  if (typeof process === 'undefined') return
  process.emitWarning?.(
    'Passwords are hashed outside worker threads, because none could be started: other requests may wait for each hash. ' +
      'A bundle needs latchkey-password-worker=@latchkey/password/worker as a second entry point; ' +
      "Node's permission model needs --allow-worker.",
    { code: 'LATCHKEY_PASSWORD_WORKER_MISSING' },
  )
}

/** Returns the number of threads that this process can really run at once. */
export function countCores(): number {
  const system = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:os')
  return system?.availableParallelism() ?? navigator.hardwareConcurrency ?? 1
}

/**
 * The priority relative to the process, on Unix's scale from -20 to 19. It gives the event loop a core as soon as it
 * needs it; with 19, hashes would hardly progress on a machine that is busy with other work.
 */
const belowProcess = 5
const lowest = 19

/** Lowers the priority of the calling thread. Only Linux has priorities of single threads. */
export function lowerThreadPriority(): void {
  if (typeof process === 'undefined' || process.platform !== 'linux') return
  try {
    const system = process.getBuiltinModule?.('node:os')
    // Until then a thread has that of the thread which has started it.
    system?.setPriority(Math.min(lowest, system.getPriority() + belowProcess))
  } catch {
    // Without permission for it, other work only waits a little longer for a core.
  }
}
