type Builtins = {
  'node:v8': { setFlagsFromString(flags: string): void }
  'node:vm': { runInNewContext(code: string): unknown }
}

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined }
  | undefined

/**
 * Gives a function that frees what is no longer used on the calling thread, at once. Where the runtime has no such
 * thing it does nothing, and memory goes back when the runtime sees fit.
 */
export function createCollector(): () => void {
  const v8 = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:v8')
  const vm = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:vm')
  try {
    // Only a context that is made under the flag gets the function: nobody else sees it.
    v8?.setFlagsFromString('--expose-gc')
    const collect = vm?.runInNewContext('globalThis.gc')
    v8?.setFlagsFromString('--no-expose-gc')
    return typeof collect === 'function' ? () => void collect() : () => {}
  } catch {
    return () => {}
  }
}
