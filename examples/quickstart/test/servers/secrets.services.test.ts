import { useService } from '@latchkey/test-services'
import { describe } from 'vitest'
import { describeSecrets } from '../secrets/describe-secrets.ts'
import { createServerEnvironment } from '../support/server-environment.ts'

describe('on servers', () => {
  const postgres = useService('postgres')
  const redisUrl = useService('redis')

  describeSecrets('of all secrets of a publication on PostgreSQL and Redis', async () =>
    postgres === '' || redisUrl === '' ? null : createServerEnvironment(postgres, { redisUrl }),
  )
})
