import { useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfiguration } from '../../src/configuration.ts'
import { createData } from '../../src/data/open-data.ts'
import { openMailer } from '../../src/mailer.ts'
import { createPublication } from '../../src/start-service.ts'
import { createServerEnvironment } from '../support/server-environment.ts'

/** How many connections a pool of `pg` has. */
const poolSize = 10
const publicUrl = 'http://127.0.0.1:4000'

describe('while the publication has no connection left and the stores have theirs', () => {
  const postgres = useService('postgres')

  test('/readyz answers 503 and names the failing database, and 200 with a connection again', async () => {
    const configuration = readConfiguration(await createServerEnvironment(postgres), '')
    const data = createData(configuration)
    const mailer = await openMailer(configuration)
    const server = createPublication(configuration, data, { publicUrl, port: 4000, mailer })
    onTestFinished(() => server.close())
    await server.open({ migrate: true })
    const readiness = async () => {
      const answer = await server.fetch(new Request(`${publicUrl}/readyz`))
      const { stores, application } = await answer.json()
      return [answer.status, stores, application]
    }
    await expect.poll(readiness).toEqual([200, 'ok', 'ok'])
    const { promise: held, resolve: free } = Promise.withResolvers<void>()
    // One of them fills it, and all others wait for that one with a connection each.
    const filling = Array.from({ length: poolSize }, () => data.fillOnce(() => held))
    await expect.poll(readiness).toEqual([503, 'ok', 'unavailable'])
    free()
    await Promise.all(filling)
    await expect.poll(readiness).toEqual([200, 'ok', 'ok'])
  })
})
