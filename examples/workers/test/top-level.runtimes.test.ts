import { expect, test } from 'vitest'
import { bundle, startWorkers } from './support/start-workers.ts'

test('a service that is created at the top of a module starts on Workers, and answers', async () => {
  const { text } = await bundle('test/support/top-level-worker.ts')
  const workers = await startWorkers(text, { stores: false })
  try {
    const response = await workers.fetch('/graphql?query={hello}')
    expect([response.status, await response.text()]).toEqual([200, '{"data":{"hello":"Hello"}}'])
    const page = await workers.fetch('/sign-in')
    expect([page.status, page.headers.get('x-request-id')]).toEqual([200, expect.stringMatching(/./)])
  } finally {
    await workers.stop()
  }
})
