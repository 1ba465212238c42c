import {
  type Argon2Job,
  cannotRun,
  type HashJob,
  type PasswordEngine,
  type Pbkdf2Job,
  type ScryptJob,
} from './engine.ts'

type Done = (error: Error | null, output: Uint8Array) => void
type Argon2Options = {
  message: Uint8Array
  nonce: Uint8Array
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}
type ScryptOptions = { N: number; r: number; p: number; maxmem: number }
type NodeCrypto = {
  argon2?(variant: string, options: Argon2Options, done: Done): void
  argon2Sync?(variant: string, options: Argon2Options): Uint8Array
  scrypt(password: Uint8Array, salt: Uint8Array, length: number, options: ScryptOptions, done: Done): void
  scryptSync(password: Uint8Array, salt: Uint8Array, length: number, options: ScryptOptions): Uint8Array
  pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number, length: number, digest: string, done: Done): void
  pbkdf2Sync(password: Uint8Array, salt: Uint8Array, iterations: number, length: number, digest: string): Uint8Array
}

declare const process: { getBuiltinModule?(id: 'node:crypto'): NodeCrypto | undefined } | undefined

/**
 * Creates the engine of Node's own cryptography (OpenSSL), or `null` on a runtime without it. Argon2 is there from
 * Node.js 24.7 on.
 *
 * @param blocking compute on the calling thread, as a worker wants it, instead of in libuv's pool.
 */
export function createNodeEngine(blocking: boolean): PasswordEngine | null {
  const crypto = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:crypto')
  if (!crypto) return null
  return {
    name: 'node:crypto',
    kinds: crypto.argon2Sync ? ['argon2id', 'argon2i', 'scrypt', 'pbkdf2'] : ['scrypt', 'pbkdf2'],
    run: (job) => (blocking ? runBlocking(crypto, job) : runInPool(crypto, job)),
  }
}

function runBlocking(crypto: NodeCrypto, job: HashJob): Uint8Array {
  if (job.kind === 'scrypt') return crypto.scryptSync(job.password, job.salt, job.length, scryptOptions(job))
  if (job.kind === 'pbkdf2') return crypto.pbkdf2Sync(...pbkdf2Arguments(job))
  if (job.kind === 'bcrypt' || !crypto.argon2Sync) throw cannotRun('node:crypto', job)
  return crypto.argon2Sync(job.kind, argon2Options(job))
}

function runInPool(crypto: NodeCrypto, job: HashJob): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const done: Done = (error, output) => (error ? reject(error) : resolve(output))
    if (job.kind === 'scrypt') crypto.scrypt(job.password, job.salt, job.length, scryptOptions(job), done)
    else if (job.kind === 'pbkdf2') crypto.pbkdf2(...pbkdf2Arguments(job), done)
    else if (job.kind === 'bcrypt' || !crypto.argon2) reject(cannotRun('node:crypto', job))
    else crypto.argon2(job.kind, argon2Options(job), done)
  })
}

function argon2Options(job: Argon2Job): Argon2Options {
  return {
    message: job.password,
    nonce: job.salt,
    memory: job.memoryKib,
    passes: job.iterations,
    parallelism: job.parallelism,
    tagLength: job.length,
  }
}

function scryptOptions({ cost, blockSize, parallelism }: ScryptJob): ScryptOptions {
  // OpenSSL counts the block of each lane too; the default of 32 MiB is less than the parameters in use need.
  return { N: cost, r: blockSize, p: parallelism, maxmem: 128 * blockSize * (cost + parallelism + 2) }
}

function pbkdf2Arguments(job: Pbkdf2Job): [Uint8Array, Uint8Array, number, number, string] {
  return [job.password, job.salt, job.iterations, job.length, job.digest]
}

const webCryptoHashes = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const

/** Creates the engine of Web Crypto, which every runtime has and which computes off the calling thread: PBKDF2 only. */
export function createWebCryptoEngine(): PasswordEngine {
  return {
    name: 'web-crypto',
    kinds: ['pbkdf2'],
    async run(job) {
      if (job.kind !== 'pbkdf2') throw cannotRun('web-crypto', job)
      const key = await crypto.subtle.importKey('raw', new Uint8Array(job.password), 'PBKDF2', false, ['deriveBits'])
      const { digest, iterations, length } = job
      const parameters = { name: 'PBKDF2', hash: webCryptoHashes[digest], salt: new Uint8Array(job.salt), iterations }
      return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 8 * length))
    },
  }
}
