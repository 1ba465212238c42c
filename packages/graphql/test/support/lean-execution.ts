import { vi } from 'vitest'

/** The files of `graphql` 17 that are used without being its public API. */
export const internalFiles = [
  'graphql/execution/Executor.js',
  'graphql/execution/createSharedExecutionContext.js',
  'graphql/diagnostics.js',
]

/** Waits until a handler that was created before has them, or knows that they are not there. */
export async function untilExecutorIsLoaded(): Promise<void> {
  await Promise.all(internalFiles.map((file) => import(/* @vite-ignore */ file).catch(() => null)))
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns how many controllers are made while something happens. */
export async function controllersMade(work: () => Promise<unknown>): Promise<number> {
  let made = 0
  vi.stubGlobal(
    'AbortController',
    class extends AbortController {
      constructor() {
        super()
        made++
      }
    },
  )
  try {
    await work()
    return made
  } finally {
    vi.unstubAllGlobals()
  }
}
