import { createRedisStores } from '@latchkey/redis'
import { withoutPlatform } from '@latchkey/test-services'
import { expect, test } from 'vitest'

test('createRedisStores uses no randomness, no timer and no connection, and sends no command', () => {
  const sent: unknown[] = []
  const send = async (...command: unknown[]) => void sent.push(command)
  const client = { eval: send, evalsha: send, wait: send }
  withoutPlatform(() => createRedisStores({ client, waitReplicas: 0 } as never))
  expect(sent).toEqual([])
})
