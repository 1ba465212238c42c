import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { documentOf, http, openSite } from './support/open-site.ts'

test('a proxy in environment variables gets no connection', async () => {
  const site = await openSite()
  const proxy = await openSite()
  site.answer(http(documentOf(site.id)))
  proxy.answer(http(documentOf(site.id)))
  const url = `http://127.0.0.1:${proxy.port}`
  const program = fileURLToPath(new URL('./support/reading-process.ts', import.meta.url))
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map((name) => [name, url])) }
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--conditions=@latchkey/source', program, site.id], {
    env,
    timeout: 20_000,
  })
  const { statusCode, reading } = JSON.parse(stdout)
  // Other requests of the process use the proxy.
  expect([statusCode, proxy.connections.opened]).toEqual([200, 1])
  expect(reading).toMatchObject({ kind: 'client', client: { clientId: site.id } })
  expect(site.connections.opened).toBe(1)
  await Promise.all([site.close(), proxy.close()])
})
