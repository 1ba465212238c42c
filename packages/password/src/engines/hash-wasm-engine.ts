import { cannotRun, type HashJob, type PasswordEngine } from './engine.ts'

type HashWasm = typeof import('hash-wasm')
type Builtins = {
  'node:v8': { setFlagsFromString(flags: string): void }
  'node:vm': { runInNewContext(code: string): unknown }
}

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(id: Name): Builtins[Name] | undefined }
  | undefined

/** A module without anything in it: the magic number and the version. */
const emptyModule = new Uint8Array([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00])

/**
 * Returns whether this runtime compiles WebAssembly from bytes. Some have no WebAssembly; Cloudflare Workers, and pages
 * with a strict content security policy, run only precompiled modules. `validate` returns true there too.
 */
function canCompile(): boolean {
  try {
    return new WebAssembly.Module(emptyModule) instanceof WebAssembly.Module
  } catch {
    return false
  }
}

/**
 * Creates the engine of `hash-wasm`: WebAssembly, or `null` on a runtime that may not compile it. It runs on the
 * calling thread. Its PBKDF2 is not used, because it runs JavaScript for every iteration.
 *
 * @param blocking whether the thread only hashes. Each hash takes fresh memory, of which V8 would keep several blocks,
 * so such a thread releases each at once.
 */
export async function loadHashWasmEngine(blocking: boolean): Promise<PasswordEngine | null> {
  if (!canCompile()) return null
  const hashWasm = await import('hash-wasm')
  const collect = blocking ? createCollector() : () => {}
  let garbage = 0
  const freeMemory = (job: HashJob): void => {
    garbage += memoryOf(job)
    if (garbage < worthCollecting) return
    collect()
    garbage = 0
  }
  return {
    name: 'hash-wasm',
    kinds: ['argon2id', 'argon2i', 'scrypt', 'bcrypt'],
    run: (job) => run(hashWasm, job).finally(() => freeMemory(job)),
  }
}

const worthCollecting = 8 * 1024 * 1024

function memoryOf(job: HashJob): number {
  if (job.kind === 'argon2id' || job.kind === 'argon2i') return job.memoryKib * 1024
  return job.kind === 'scrypt' ? 128 * job.cost * job.blockSize : 0
}

async function run(hashWasm: HashWasm, job: HashJob): Promise<Uint8Array> {
  const { password, salt } = job
  switch (job.kind) {
    case 'scrypt': {
      const { cost: costFactor, blockSize, parallelism, length: hashLength } = job
      return hashWasm.scrypt({ password, salt, costFactor, blockSize, parallelism, hashLength, outputType: 'binary' })
    }
    case 'bcrypt': {
      const output = await hashWasm.bcrypt({ password, salt, costFactor: job.cost, outputType: 'binary' })
      return output.subarray(0, 23)
    }
    case 'pbkdf2':
      throw cannotRun('hash-wasm', job)
    default: {
      const { memoryKib: memorySize, iterations, parallelism, length: hashLength } = job
      const options = { password, salt, memorySize, iterations, parallelism, hashLength, outputType: 'binary' as const }
      return hashWasm[job.kind](options)
    }
  }
}

/**
 * Returns a function that collects garbage on the calling thread at once. If the runtime has no such function, it has
 * no effect.
 */
function createCollector(): () => void {
  const v8 = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:v8')
  const vm = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:vm')
  try {
    // Only a context that is created under the flag has the function; it is visible nowhere else.
    v8?.setFlagsFromString('--expose-gc')
    const collect = vm?.runInNewContext('globalThis.gc')
    v8?.setFlagsFromString('--no-expose-gc')
    return typeof collect === 'function' ? () => void collect() : () => {}
  } catch {
    return () => {}
  }
}
