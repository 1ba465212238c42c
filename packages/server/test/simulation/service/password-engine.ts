import { createHmac } from 'node:crypto'
import type { PasswordEngine } from '@latchkey/password'
import type { World } from '../world/world.ts'

/** Computes no real hash, in the turn in which the schedule picks it. */
export function engineOf(world: World): PasswordEngine {
  return {
    name: 'simulated',
    kinds: ['argon2id'],
    async run(job) {
      await world.wait('hash')
      return createHmac('sha256', job.salt).update(job.password).digest()
    },
  }
}
