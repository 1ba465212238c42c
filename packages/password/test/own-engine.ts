import { pbkdf2Sync, scryptSync } from 'node:crypto'
import type { PasswordEngine } from '@latchkey/password'

type HashJob = Parameters<PasswordEngine['run']>[0]

import { hashRawSync } from '@node-rs/argon2'
import bcryptjs from 'bcryptjs'

export interface CountingEngine extends PasswordEngine {
  readonly jobs: HashJob[]
}

/** An engine of the application's own that really computes, and remembers what it was asked for. */
export function createCountingEngine(): CountingEngine {
  const jobs: HashJob[] = []
  return {
    name: 'counting',
    kinds: ['argon2id', 'argon2i', 'scrypt', 'bcrypt', 'pbkdf2'],
    jobs,
    run(job) {
      jobs.push({ ...job, password: job.password.slice() })
      return compute(job)
    },
  }
}

/** The counting engine for every kind of hash. */
export function everywhere<Engine extends PasswordEngine>(engine: Engine) {
  return { argon2id: engine, argon2i: engine, scrypt: engine, bcrypt: engine, pbkdf2: engine }
}

function compute(job: HashJob): Uint8Array {
  switch (job.kind) {
    case 'scrypt': {
      const options = { N: job.cost, r: job.blockSize, p: job.parallelism, maxmem: 2 ** 30 }
      return scryptSync(job.password, job.salt, job.length, options)
    }
    case 'pbkdf2':
      return pbkdf2Sync(job.password, job.salt, job.iterations, job.length, job.digest)
    case 'bcrypt': {
      const cost = String(job.cost).padStart(2, '0')
      const salt = `$2b$${cost}$${bcryptjs.encodeBase64(job.salt, 16)}`
      const text = bcryptjs.hashSync(new TextDecoder().decode(job.password), salt)
      return Uint8Array.from(bcryptjs.decodeBase64(text.slice(29), 23))
    }
    default:
      return hashRawSync(job.password, {
        algorithm: job.kind === 'argon2id' ? 2 : 1,
        memoryCost: job.memoryKib,
        timeCost: job.iterations,
        parallelism: job.parallelism,
        outputLen: job.length,
        salt: job.salt,
      })
  }
}

export interface HeldEngine extends PasswordEngine {
  /** The passwords of the jobs that have begun and not ended, in the order in which they began. */
  readonly running: readonly string[]
  /** The passwords of all jobs in the order in which they began. */
  readonly begun: readonly string[]
  /** Ends the oldest job, or the one of this password. */
  finish(password?: string): Promise<void>
}

/** An engine whose jobs take as long as the test wants. The output is the password, repeated. */
export function createHeldEngine(): HeldEngine {
  const running = new Map<string, () => void>()
  const begun: string[] = []
  return {
    name: 'held',
    kinds: ['argon2id'],
    begun,
    get running() {
      return [...running.keys()]
    },
    run: ({ password }) => {
      const text = new TextDecoder().decode(password)
      begun.push(text)
      return new Promise((resolve) => running.set(text, () => resolve(new Uint8Array(32).fill(password[0] ?? 0))))
    },
    async finish(password = [...running.keys()][0] ?? '') {
      running.get(password)?.()
      running.delete(password)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
