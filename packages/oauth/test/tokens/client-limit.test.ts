import { createRateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'
import { expect, test } from 'vitest'
import { openServer } from './open-server.ts'

const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(5) }] as const
const fixedClients = [
  { id: 'pin', name: 'Pin', authentication: ['client_secret_post'], secret: 'pin-0077', scopes: ['articles:read'] },
] as const

async function setUp() {
  const counters = createMemoryCounterStore()
  const calls: string[] = []
  const counted = {
    ...counters,
    hit: async (key: string, ms: number, by = 1) => {
      calls.push(`hit ${by}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
      return counters.hit(key, ms, by)
    },
  }
  const clientLimit = createRateLimit({ counters: counted, secrets, name: 'clients', limit: 30, windowSeconds: 60 })
  const { post } = await openServer({ options: { fixedClients, clientLimit } })
  const guess = (number: number) =>
    post('/token', {
      grant_type: 'client_credentials',
      client_id: 'pin',
      client_secret: `pin-${String(number).padStart(4, '0')}`,
    })
  return { guess, calls }
}

test('beyond the limit a right and a wrong secret of a client in code get 429 by the same calls of the store', async () => {
  const { guess, calls } = await setUp()
  for (let number = 0; number < 31; number++) await guess(number)
  calls.length = 0
  const wrong = await guess(76)
  const ofWrong = calls.splice(0)
  const right = await guess(77)
  const ofRight = calls.splice(0)
  expect([wrong.status, right.status]).toEqual([429, 429])
  expect(ofRight).toEqual(ofWrong)
})
