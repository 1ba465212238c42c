import { decodeBcryptBase64 } from '../base64.ts'
import { cannotRun, importOptional, type PasswordEngine } from './engine.ts'

type NodeRsArgon2 = typeof import('@node-rs/argon2')
type NodeRsBcrypt = typeof import('@node-rs/bcrypt')

/** Creates the engine of `@node-rs/argon2`, or `null` when the application has not installed it. */
export async function loadNodeRsArgon2Engine(blocking: boolean): Promise<PasswordEngine | null> {
  const name = '@node-rs/argon2'
  const found = (await importOptional(name)) as NodeRsArgon2 | null
  if (!found) return null
  const compute = blocking ? found.hashRawSync : found.hashRaw
  return {
    name,
    kinds: ['argon2id', 'argon2i'],
    run(job) {
      if (job.kind !== 'argon2id' && job.kind !== 'argon2i') throw cannotRun(name, job)
      return compute(job.password, {
        algorithm: job.kind === 'argon2id' ? 2 : 1,
        memoryCost: job.memoryKib,
        timeCost: job.iterations,
        parallelism: job.parallelism,
        outputLen: job.length,
        salt: job.salt,
      })
    },
  }
}

/** Creates the engine of `@node-rs/bcrypt`, or `null` when the application has not installed it. */
export async function loadNodeRsBcryptEngine(blocking: boolean): Promise<PasswordEngine | null> {
  const name = '@node-rs/bcrypt'
  const found = (await importOptional(name)) as NodeRsBcrypt | null
  if (!found) return null
  const compute = blocking ? found.hashSync : found.hash
  return {
    name,
    kinds: ['bcrypt'],
    async run(job) {
      if (job.kind !== 'bcrypt') throw cannotRun(name, job)
      const text = await compute(job.password, { salt: job.salt, cost: job.cost, version: '2b' })
      const output = decodeBcryptBase64(text.slice(-31))
      if (!output) throw new Error(`the engine ${name} gave no hash`)
      return output
    },
  }
}
