import { unknownAttempt } from '@latchkey/accounts'
import { expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

test('server.accounts() works without a request, and its changes take effect on the next request', async () => {
  const { server, signedIn } = createBench()
  const author = await signedIn('AUTHOR')
  const accounts = await server.accounts()
  expect(await accounts.listSessions(author.account.id)).toHaveLength(1)
  await accounts.disable({ id: author.account.id, attempt: unknownAttempt })
  expect(outcomeOf(await author.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
})

test('a closed server rejects', async () => {
  const { server } = createBench()
  await server.close()
  await expect(server.accounts()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})
