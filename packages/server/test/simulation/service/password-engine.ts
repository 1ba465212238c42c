import { hash } from 'node:crypto'
import type { PasswordEngine } from '@latchkey/password'
import type { World } from '../world/world.ts'

/** Computes no real hash, after the turn that it waits for. */
export function createEngine(turn: () => Promise<void>): PasswordEngine {
  return {
    name: 'simulated',
    kinds: ['argon2id'],
    async run(job) {
      await turn()
      return hash('sha256', Buffer.concat([job.salt, Buffer.from(job.password)]), 'buffer')
    },
  }
}

/** Its turn is when the schedule picks it. */
export const engineOf = (world: World): PasswordEngine => createEngine(() => world.wait('hash'))
