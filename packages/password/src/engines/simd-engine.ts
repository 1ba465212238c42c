import { type Argon2Job, cannotRun, importOptional, type PasswordEngine } from './engine.ts'
import { type Blake2b, type BlockFunctions, computeArgon2id, memoryNeeded } from './simd-argon2id.ts'

type Blake2bHash = { update(data: Uint8Array): Blake2bHash; digest(): Uint8Array }
type Blake2bModule = { default(length: number): Blake2bHash }
type NodeModules = {
  'node:module': { createRequire(from: string): { resolve(name: string): string } }
  'node:fs': { readFileSync(path: string): Uint8Array<ArrayBuffer> }
}

declare const process: { getBuiltinModule?<Name extends keyof NodeModules>(id: Name): NodeModules[Name] } | undefined

const pageBytes = 65_536
/** What the WebAssembly of `argon2id` was built to be given: 65 MiB, of which only the part in use is ever touched. */
const memoryLimits = { initial: 1040, maximum: 65_536 } as const

/**
 * Creates an engine over the WebAssembly of `argon2id`, which has SIMD, or `null` when the application has not installed
 * it. The package's own loop spends a third of the time between the blocks and leaves them in memory; here memory is
 * kept from hash to hash and zeroed after each one.
 */
export async function loadSimdEngine(): Promise<PasswordEngine | null> {
  const name = 'argon2id'
  const found = (await importOptional('argon2id/lib/blake2b.js')) as Blake2bModule | null
  if (!found) return null
  const blake2b: Blake2b = (length, data) => new Uint8Array(found.default(length).update(data).digest())
  const memory = new WebAssembly.Memory(memoryLimits)
  const { instance } = await WebAssembly.instantiate(readPackageFile('argon2id/dist/simd.wasm'), { env: { memory } })
  const functions = instance.exports as unknown as BlockFunctions
  const compute = (job: Argon2Job): Uint8Array => {
    const needed = memoryNeeded(job)
    if (memory.buffer.byteLength < needed) memory.grow(Math.ceil((needed - memory.buffer.byteLength) / pageBytes))
    try {
      return computeArgon2id(job, functions, memory.buffer, blake2b)
    } finally {
      new Uint8Array(memory.buffer).fill(0, 0, needed)
    }
  }
  if (!isSound(compute)) return null
  return {
    name,
    kinds: ['argon2id'],
    run(job) {
      if (job.kind !== 'argon2id') throw cannotRun(name, job)
      return compute(job)
    },
  }
}

/** The used parts of the package are not public: each version has to pass a test vector first. */
function isSound(compute: (job: Argon2Job) => Uint8Array): boolean {
  const text = (characters: string): Uint8Array => new TextEncoder().encode(characters)
  const cost = { memoryKib: 256, iterations: 2, parallelism: 2, length: 32 }
  const output = compute({ kind: 'argon2id', password: text('password'), salt: text('somesalt'), ...cost })
  const hexadecimal = Array.from(output, (byte) => byte.toString(16).padStart(2, '0')).join('')
  // src/test.c of the reference implementation
  return hexadecimal === '6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037'
}

function readPackageFile(path: string): Uint8Array<ArrayBuffer> {
  const builtin = typeof process === 'undefined' ? undefined : process.getBuiltinModule
  if (!builtin) throw new Error('the engine argon2id needs a file system')
  const { createRequire } = builtin('node:module')
  return builtin('node:fs').readFileSync(createRequire(import.meta.url).resolve(path))
}
