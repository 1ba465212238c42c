import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart } from './support/start-quickstart.ts'

test('production serves the front end without the accounts to try', async () => {
  const LATCHKEY_SECRET = 'a secret of thirty-two characters or more'
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://publication.example', LATCHKEY_SECRET }
  const service = await startQuickstart(production, nodeStart)
  onTestFinished(async () => void (await service.stop()))
  const [response] = (await once(get(service.url, { headers: { host: 'publication.example' } }), 'response')) as [
    IncomingMessage,
  ]
  const page = (await response.toArray()).join('')
  expect(response.statusCode).toBe(200)
  expect(page).toContain('<div id="root">')
  expect(page).not.toContain('name="demo"')
})
