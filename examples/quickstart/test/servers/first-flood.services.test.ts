import { findFreePort, plainGuess, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addAccounts, publicUrl } from '../support/second-factors.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { seedPassword } from '../support/visitor.ts'

const flood = 160

describe('the first requests after a start', () => {
  const postgres = useService('postgres')

  test(`${flood} sign-ins at once: PostgreSQL answers at least 95 % in time, and no verdict is wrong`, async () => {
    const environment = await createServerEnvironment(postgres)
    const start = async () => startQuickstart({ ...environment, PORT: String(await findFreePort()) }, nodeStart)
    await (await start()).stop()
    const emails = Array.from({ length: flood }, (_none, index) => `person${index}@example.com`)
    await addAccounts(environment, emails)
    const service = await start()
    onTestFinished(async () => void (await service.stop()))

    const answers = await Promise.all(
      emails.map(async (email, index) => {
        const isRight = index % 4 > 0
        const password = isRight ? seedPassword : 'herons never read at dusk'
        const { path, ...sent } = plainGuess({ email, password, address: `10.0.0.${index}`, publicUrl })
        const { status } = await fetch(`${service.url}${path}`, { method: 'POST', ...sent })
        return { status, verdict: isRight ? 200 : 401 }
      }),
    )
    const judged = answers.filter(({ status }) => status !== 503)
    expect(judged.map(({ status }) => status)).toEqual(judged.map(({ verdict }) => verdict))
    const late = service.output().split('did not answer within 250 ms').length - 1
    console.log(`  first flood: ${judged.length} of ${flood} judged, ${late} without an answer of PostgreSQL`)
    expect(late).toBeLessThanOrEqual(flood * 0.05)
  })
})
