import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedisStores } from '@latchkey/redis'
import { createSessions } from '@latchkey/sessions'
import { useService } from '@latchkey/test-services'
import type { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, libraries } from './clients.ts'
import { observe, ownServer, patientMs, unavailable } from './support.ts'

// A machine without Redis skips these too.
useService('redis')

/** Faults for which Redis refuses new data, and the setting that ends each of them. */
const refusals: readonly (readonly [what: string, begin: (redis: Redis) => Promise<void>, settings: string[]])[] = [
  ['has no memory left', async (redis) => void (await redis.config('SET', 'maxmemory', '1')), ['maxmemory', '0']],
  [
    'cannot write to its disk',
    async (redis) => {
      const folder = await mkdtemp(join(tmpdir(), 'latchkey-gone-'))
      await redis.config('SET', 'dir', folder)
      await rm(folder, { recursive: true })
      await redis.config('SET', 'save', '3600 1')
      await redis.bgsave()
      await expect.poll(() => redis.info('persistence')).toContain('rdb_last_bgsave_status:err')
    },
    ['save', ''],
  ],
  [
    'lacks its replicas',
    async (redis) => void (await redis.config('SET', 'min-replicas-to-write', '1')),
    ['min-replicas-to-write', '0'],
  ],
]

describe.each(libraries)('%s', (_library, connect: Connect) => {
  test.each(refusals)(
    'check() rejects while sign-ins do, because Redis %s, and passes afterwards',
    async (...given) => {
      const [, begin, settings] = given
      const server = await ownServer(['--maxmemory-policy', 'noeviction', '--enable-protected-configs', 'yes'])
      const redis = await observe(server.url)
      const { client, close } = await connect(server.url)
      onTestFinished(close)
      const stores = createRedisStores({ client, waitReplicas: 0, deadlineMs: patientMs })
      const sessions = createSessions(stores)
      const signIn = () => sessions.create({ subject: 'ada', factors: [{ kind: 'password', at: 0 }] })
      await signIn()
      await stores.check()
      await begin(redis)
      await expect(signIn()).rejects.toMatchObject(unavailable)
      await expect(stores.check()).rejects.toMatchObject(unavailable)
      await redis.config('SET', ...(settings as [string, string]))
      await stores.check()
      expect(await signIn()).toMatchObject({ session: { subject: 'ada' } })
      expect(await sessions.list('ada')).toHaveLength(2)
    },
  )
})
