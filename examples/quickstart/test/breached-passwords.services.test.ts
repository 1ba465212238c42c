import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart } from './support/start-quickstart.ts'
import { createVisitor } from './support/visitor.ts'

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const input = { email: 'ada@example.com', name: 'Ada', password: 'seven kettles hum along' }

test('BREACHED_PASSWORDS=closed refuses what the service knows, and every password once it is gone', async () => {
  const digest = createHash('sha1').update(input.password).digest('hex').toUpperCase()
  const asked: unknown[] = []
  const ranges = createServer(({ url }, response) => {
    asked.push(url)
    response.end(`${digest.slice(5)}:3`)
  })
  await new Promise<void>((resolve) => ranges.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    ranges.closeAllConnections()
    await new Promise((closed) => ranges.close(closed))
  }
  onTestFinished(close)
  const BREACHED_PASSWORDS_URL = `http://127.0.0.1:${(ranges.address() as AddressInfo).port}/`
  const service = await startQuickstart({ BREACHED_PASSWORDS: 'closed', BREACHED_PASSWORDS_URL }, nodeStart)
  const visitor = createVisitor(service.url)
  expect((await visitor.ask(signUp, { input })).errors).toMatchObject([
    { message: 'This password appeared in a data breach. Choose another.', extensions: { field: 'input.password' } },
  ])
  expect(asked).toEqual([`/${digest.slice(0, 5)}`])

  await close()
  const other = { ...input, password: 'quiet rivers read at dawn' }
  expect((await visitor.ask(signUp, { input: other })).errors).toMatchObject([
    { extensions: { field: 'input.password' } },
  ])
  expect(await service.stop()).toBe(0)
  expect(service.output()).toContain('"type":"breach-check.failed"')
  expect(service.output()).not.toContain(digest.slice(0, 5))
  expect(await service.mailsTo(input.email)).toEqual([])
})
