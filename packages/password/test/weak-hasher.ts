import {
  allowWeakHashes,
  createPasswordHasher,
  type PasswordHasher,
  type PasswordHasherOptions,
} from '@latchkey/password'
import { createCountingEngine, everywhere } from './own-engine.ts'

const open: PasswordHasher[] = []

/**
 * A hasher for tests in which neither the cost nor the engine is the point: Argon2id as cheap as it can be, or what the
 * test wants instead, computed in this very thread.
 */
export function createWeakHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  return createWeakWorkerHasher({ engines: everywhere(createCountingEngine()), ...options })
}

/** The same with the engines and workers of the package. */
export function createWeakWorkerHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const isOther = options.scrypt !== undefined || options.bcrypt !== undefined
  const algorithm: PasswordHasherOptions = isOther ? {} : { argon2id: { memoryKib: 64, iterations: 1 } }
  const hasher = createPasswordHasher({ ...algorithm, strength: allowWeakHashes, concurrency: 2, ...options })
  open.push(hasher)
  return hasher
}

export async function closeHashers(): Promise<void> {
  await Promise.all(open.splice(0).map((hasher) => hasher.close()))
}
