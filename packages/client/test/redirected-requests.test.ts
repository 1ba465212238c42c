import { createServer } from 'node:http'
import { createAuthClient } from '@latchkey/client'
import { createServerAuth } from '@latchkey/client/server'
import { expect, onTestFinished, test } from 'vitest'

/** Returns the URL of a server, and the bodies that it was sent. */
async function openServer(location?: string) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await new Response(request as never).text())
    response.writeHead(location ? 307 : 200, { 'content-type': 'application/json', ...(location && { location }) })
    response.end('{"data":{"ok":true}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/graphql`, bodies }
}

const document = 'mutation ($password: String!) { ok(password: $password) }'
const variables = { password: 'otters read quietly at dawn' }

test.each([
  ['request of a page', (url: string) => createAuthClient({ url, waitMs: 0 }).request(document, variables)],
  [
    'fetch of a page',
    (url: string) =>
      createAuthClient({ url, waitMs: 0 }).fetch(url, {
        method: 'POST',
        body: JSON.stringify({ query: document, variables }),
      }),
  ],
  [
    'request of a server',
    (url: string) => {
      const headers = new Headers({ 'sec-fetch-site': 'same-origin', host: 'a' })
      return createServerAuth({ url }).request(headers, document, variables)
    },
  ],
])('a %s follows no redirect to another origin', async (_name, send) => {
  const other = await openServer()
  const service = await openServer(other.url)
  await expect(send(service.url)).rejects.toThrow()
  expect(service.bodies.length).toBeGreaterThan(0)
  expect(other.bodies).toEqual([])
})
