import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Server } from '@latchkey/server'
import { createDevelopmentPages, listen } from '@latchkey/server/node'
import { StoreError } from '@latchkey/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'

const origin = 'http://127.0.0.1:4000'

/** A project in which the files of GraphiQL lie where its packages have them. */
function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = {
    'react/umd/react.production.min.js': 'React',
    'react-dom/umd/react-dom.production.min.js': 'ReactDOM',
    'graphiql/graphiql.min.js': 'GraphiQL',
    'graphiql/graphiql.min.css': 'body {}',
    'graphiql/secret.txt': 'secret',
    'graphql-sse/umd/graphql-sse.min.js': 'graphqlSse',
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'node_modules', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    writeFileSync(join(folder, 'node_modules', path.split('/')[0] ?? '', 'package.json'), '{}')
  }
  return folder
}

function createPages(options: object = {}): Server {
  const developmentPages = createDevelopmentPages({ folder: createProject() })
  return createBench({ options: { baseUrl: origin, pages: { development: developmentPages }, ...options } }).server
}
const get = (server: Server, path: string, init: RequestInit = {}): Promise<Response> =>
  server.fetch(new Request(`${origin}${path}`, init))

describe('the pages of development', () => {
  test('are a start page that names the endpoint and links to GraphiQL, ready to sign up', async () => {
    const server = createPages({ graphql: { path: '/api/graphql' } })
    const response = await get(server, '/')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'nonce-/)
    const text = await response.text()
    expect(text).toContain(`<code>${origin}/api/graphql</code>`)
    expect(text).toContain('href="/graphiql?query=mutation%20SignUp')
    const closed = await (await get(createPages({ signUp: 'closed' }), '/')).text()
    expect(closed).not.toContain('SignUp')
  })

  test('show the signed-in account on the start page, and each link once', async () => {
    const linksOf = (text: string) =>
      [...text.matchAll(/href="(\/(?!graphiql\?)[^"]*)"/g)].map(([, path]) => path).sort()
    const developmentPages = createDevelopmentPages({ folder: createProject() })
    const bench = createBench({ options: { baseUrl: origin, pages: { development: developmentPages } } })
    const strange = await bench.visitor().get('/')
    expect(strange.text).toContain('No one is signed in in this browser.')
    expect(linksOf(strange.text)).toEqual(['/graphiql', '/sign-in', '/sign-up'])
    const visitor = await bench.signedIn()
    const { name, email } = visitor.account
    const known = await visitor.get('/')
    expect(known.text).toContain(`You are signed in as <strong>${name}</strong>, <strong>${email}</strong>.`)
    expect(linksOf(known.text)).toEqual(['/account', '/devices', '/graphiql'])
    const closed = await get(createPages({ signUp: 'closed' }), '/')
    expect(linksOf(await closed.text())).toEqual(['/graphiql', '/sign-in'])
  })

  test('answer the start page with 503 while the store fails', async () => {
    const developmentPages = createDevelopmentPages({ folder: createProject() })
    const bench = createBench({ options: { baseUrl: origin, pages: { development: developmentPages } } })
    const visitor = await bench.signedIn()
    const down = createBench({
      beside: bench,
      options: { baseUrl: origin, pages: { development: developmentPages } },
      around: (call, run) => {
        if (call.startsWith('records.')) throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    const cookie = `__Host-session=${visitor.jar.get('__Host-session')}`
    expect((await get(down.server, '/', { headers: { cookie } })).status).toBe(503)
  })

  test('are GraphiQL on the path of the endpoint, with a policy that blocks other scripts', async () => {
    const server = createPages({ graphql: { path: '/api/graphql' } })
    const response = await get(server, '/graphiql?query={hello}')
    const text = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([\w-]+)';/.exec(policy)?.[1]
    expect(response.status).toBe(200)
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|self|\*)/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(text.match(/<script /g)).toHaveLength(5)
    expect(text.match(new RegExp(`<script nonce="${nonce}"`, 'g'))).toHaveLength(5)
    expect(text).toContain('const endpoint = "/api/graphql"')
    expect(text).not.toContain('hello')
    const again = await get(server, '/graphiql')
    expect(again.headers.get('content-security-policy')).not.toBe(policy)
  })

  test.each([
    ['/graphiql/react.js', 'text/javascript', 'React'],
    ['/graphiql/react-dom.js', 'text/javascript', 'ReactDOM'],
    ['/graphiql/graphiql.js', 'text/javascript', 'GraphiQL'],
    ['/graphiql/graphiql.css', 'text/css', 'body {}'],
    ['/graphiql/graphql-sse.js', 'text/javascript', 'graphqlSse'],
  ])('serve %s from the packages of the project', async (path, type, text) => {
    const response = await get(createPages(), path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toBe(text)
  })

  test.each([
    '/graphiql/',
    '/graphiql/secret.txt',
    '/graphiql/../secret.txt',
    '/graphiql/%2e%2e%2fsecret.txt',
    '/graphiql/..%2f..%2fsecret.txt',
    '/graphiql/__proto__',
    '/graphiql/constructor',
    '/index.html',
  ])('serve no other file: %s', async (path) => {
    const response = await get(createPages(), path)
    expect([response.status, await response.text()]).toEqual([404, 'Not found.'])
  })

  test('are read only', async () => {
    for (const path of ['/', '/graphiql', '/graphiql/react.js']) {
      const posted = await get(createPages(), path, { method: 'POST', body: 'x' })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect((await get(createPages(), path, { method: 'HEAD' })).status).toBe(200)
    }
  })

  test('explain how to install GraphiQL if it is missing', async () => {
    const developmentPages = { readFile: async () => null }
    const { server } = createBench({ options: { baseUrl: origin, pages: { development: developmentPages } } })
    const response = await get(server, '/graphiql')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('npm install --save-dev graphiql@3 react@18 react-dom@18 graphql-sse')
    expect((await get(server, '/graphiql/graphiql.js')).status).toBe(404)
    expect((await get(server, '/')).status).toBe(200)
  })

  test('are 404 without the option', async () => {
    const { server } = createBench({ options: { baseUrl: origin } })
    for (const path of ['/', '/graphiql', '/graphiql/graphiql.js', '/graphiql/graphql-sse.js']) {
      expect((await get(server, path)).status).toBe(404)
    }
  })

  test.each([
    ['in production', { baseUrl: 'https://example.com' }, '"pages.development" is refused in production'],
    ['when they are something else', { pages: { development: true } }, '"pages.development" must be what'],
  ])('are refused %s', (_when, options, words) => {
    expect(() => createPages(options)).toThrow(words)
  })

  test('are refused with an option that does not exist', () => {
    const misspelt = { foldr: '.' } as object
    expect(() => createDevelopmentPages(misspelt)).toThrow('createDevelopmentPages has no option "foldr"')
  })
})

describe('listen prints', () => {
  async function linesOf(make: (port: number) => Server, options: object = {}): Promise<readonly string[]> {
    const lines: string[] = []
    const listener = await listen(({ port }) => make(port), {
      port: 0,
      closeOn: [],
      print: (line) => void lines.push(line),
      ...options,
    })
    await listener.close()
    await listener.closed
    return lines.map((line) => line.replaceAll(String(listener.port), 'PORT'))
  }
  const at = (port: number) => `http://127.0.0.1:${port}`

  test('the listening address, once it answers', async () => {
    const lines = await linesOf((port) => createBench({ options: { baseUrl: at(port) } }).server)
    expect(lines).toEqual(['Latchkey is listening on http://127.0.0.1:PORT/graphql'])
  })

  test('the public address if it differs, and the path of the endpoint', async () => {
    const lines = await linesOf(() => createBench({ options: { graphql: { path: '/api' } } }).server)
    expect(lines).toEqual(['Latchkey is listening on http://127.0.0.1:PORT/api, known as https://example.com/api'])
  })

  test('the start page, if there is one', async () => {
    const lines = await linesOf((port) => createPages({ baseUrl: at(port) }))
    expect(lines[1]).toBe('Open http://127.0.0.1:PORT/ in a browser.')
  })

  test.each([
    ['another port of the same address', (port: number) => `http://127.0.0.1:${port + 1}`, '127.0.0.1'],
    ['the same port of another address', (port: number) => `http://127.0.0.2:${port}`, '127.0.0.1'],
    ['the same port of another address', (port: number) => `http://[::1]:${port}`, '0.0.0.0'],
    ['localhost, and it listens elsewhere', (port: number) => `http://localhost:${port}`, '127.0.0.2'],
  ])(
    'that nothing listens at its baseUrl yet, and no page to open, if that is %s',
    async (_what, makeBaseUrl, hostname) => {
      const lines = await linesOf((port) => createPages({ baseUrl: makeBaseUrl(port) }), { hostname })
      expect(lines[0]).toBe(`Latchkey is listening on http://${hostname}:PORT/graphql`)
      expect(lines[1]).toMatch(
        /^Its baseUrl, (http:\/\/[^/ ]+), is another address: start the server there .+, and open \1\/\. .+ change baseUrl or the port\.$/,
      )
      expect(lines).toHaveLength(2)
    },
  )

  test.each([
    ['http://localhost:PORT', '127.0.0.1'],
    ['http://localhost:PORT', '0.0.0.0'],
    ['http://127.0.0.1:PORT', '0.0.0.0'],
    ['https://localhost:8443', '127.0.0.1'],
  ])('the baseUrl %s if requests for it arrive at %s, and its start page', async (baseUrl, hostname) => {
    const environment = 'development'
    const lines = await linesOf((port) => createPages({ baseUrl: baseUrl.replace('PORT', `${port}`), environment }), {
      hostname,
    })
    expect(lines).toEqual([
      `Latchkey is listening on http://${hostname}:PORT/graphql, known as ${baseUrl}/graphql`,
      `Open ${baseUrl}/ in a browser.`,
    ])
  })

  test('an IPv6 address as URLs have it', async () => {
    const lines = await linesOf(() => createBench().server, { hostname: '::1' })
    expect(lines[0]).toContain('on http://[::1]:PORT/graphql, known as')
  })

  test('no line with print: null, or after a failed start', async () => {
    expect(await linesOf(() => createBench().server, { print: null })).toEqual([])
    const lines: string[] = []
    const { server } = createBench({ options: { secrets: { load: () => Promise.reject(new Error('no secrets')) } } })
    await expect(listen(server, { port: 0, print: (line) => void lines.push(line) })).rejects.toThrow('no secrets')
    expect(lines).toEqual([])
  })
})
