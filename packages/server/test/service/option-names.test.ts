import { createTerminalMailer, type Server } from '@latchkey/server'
import { createEnvSecrets, createFileMailer, createFileSecrets, listen } from '@latchkey/server/node'
import { createTestServer } from '@latchkey/server/testing'
import { describe, expect, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'

/** What TypeScript would not let pass, and plain JavaScript does. */
const misspelt = (options: object) => options as never

describe('an unknown option of a factory is refused, with a suggestion', () => {
  test.each<[message: string, create: () => unknown]>([
    [
      'createTerminalMailer has no option "writes". Did you mean "write"?',
      () => createTerminalMailer(misspelt({ writes: () => {} })),
    ],
    [
      'createFileMailer has no option "directoy". Did you mean "directory"?',
      () => createFileMailer(misspelt({ directoy: 'mail' })),
    ],
    [
      'createFileMailer has no option "clock", only "directory", "now"',
      () => createFileMailer(misspelt({ directory: 'mail', clock: Date.now })),
    ],
    [
      'createFileSecrets has no option "file", only "path"',
      () => createFileSecrets(misspelt({ path: 'secret', file: 'secret' })),
    ],
    [
      'createEnvSecrets has no option "varible". Did you mean "variable"?',
      () => createEnvSecrets(misspelt({ varible: 'SECRET' })),
    ],
    [
      'createEnvSecrets takes an object with "variable", "environment"',
      () => createEnvSecrets(misspelt(() => 'SECRET')),
    ],
  ])('%s', (message, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

describe('an unknown option of createServer is refused at once, even if it is nested', () => {
  test.each<[message: string, options: object]>([
    ['createServer has no option "session". Did you mean "sessions"?', { session: {} }],
    ['createServer has no option "mailer". Did you mean "mails"?', { mailer: {} }],
    ['createServer has no option "records", only "baseUrl"', { records: {} }],
    ['"sessions" takes an object with "lifetimeSeconds"', { sessions: true }],
    ['createServer has no option "signIn.passkey". Did you mean "signIn.passkeys"?', { signIn: { passkey: () => {} } }],
    [
      'createServer has no option "sessions.lifetime". Did you mean "sessions.lifetimeSeconds"?',
      { sessions: { lifetime: 60 } },
    ],
    [
      'createServer has no option "sessions.refresh.graceMs", only "sessions.refresh.tokenSeconds"',
      { sessions: { refresh: { graceMs: 60 } } },
    ],
    [
      'createServer has no option "accounts.undoDays". Did you mean "accounts.emailUndoDays"?',
      { accounts: { undoDays: 7 } },
    ],
    ['createServer has no option "mails.locale", only "mails.mailer"', { mails: { locale: 'de' } }],
    ['createServer has no option "mails.linkSeconds.reset"', { mails: { linkSeconds: { reset: 60 } } }],
    ['createServer has no option "graphql.limits"', { graphql: { limits: {} } }],
    [
      'createServer has no option "graphql.requestLimits.bodyByte". Did you mean',
      { graphql: { requestLimits: { bodyByte: 1 } } },
    ],
    [
      'createServer has no option "http.trustedProxy". Did you mean "http.trustedProxies"?',
      { http: { trustedProxy: [] } },
    ],
    ['createServer has no option "pages.title"', { pages: { title: 'Notes' } }],
    ['createServer has no option "audit.retention"', { audit: { retention: 1 } }],
    ['createServer has no option "observe.check"', { observe: { check: async () => {} } }],
    [
      'createServer has no option "signUp.roles". Did you mean "signUp.role"?',
      { signUp: { role: 'READER', roles: ['ADMIN'] } },
    ],
    [
      'createServer has no option "sessions.cookie.domain", only "sessions.cookie.prefix", "sessions.cookie.name", "sessions.cookie.sameSite"',
      { sessions: { cookie: { domain: 'example.com' } } },
    ],
    [
      'createServer has no option "graphql.documentLimits.alias". Did you mean "graphql.documentLimits.aliases"?',
      { graphql: { documentLimits: { alias: 1 } } },
    ],
    [
      'createServer has no option "graphql.errors.OUT_OF_STOCK.stauts". Did you mean "graphql.errors.OUT_OF_STOCK.status"?',
      { graphql: { errors: { OUT_OF_STOCK: { stauts: 409 } as never } } },
    ],
    [
      'createServer has no option "graphql.streamLimits.stream". Did you mean "graphql.streamLimits.streams"?',
      { graphql: { streamLimits: { stream: 1 } } },
    ],
    ['"graphql.streamLimits.recheckMs" must be', { graphql: { streamLimits: { recheckMs: 1 } } }],
    [
      'createServer has no option "accounts.changingRoles.maxStaleness". Did you mean "accounts.changingRoles.maxStalenessSeconds"?',
      { accounts: { changingRoles: { maxStaleness: 1 } } },
    ],
  ])('%s', (message, options) => {
    const create = () => createBench({ options: misspelt(options) })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

describe('an option that a call does not have is refused before anything happens:', () => {
  test('listen creates no server and binds no port', async () => {
    const make = vi.fn<() => Server>()
    await expect(listen(make, misspelt({ port: 0, hostName: '0.0.0.0' }))).rejects.toThrow(
      'listen has no option "hostName". Did you mean "hostname"?',
    )
    await expect(listen(make, misspelt(undefined as never))).rejects.toThrow('listen takes an object with "port"')
    expect(make).not.toHaveBeenCalled()
  })

  test('server.open reads no secret', async () => {
    const load = vi.fn()
    const { server } = createBench({ options: { secrets: { load } } })
    await expect(server.open(misspelt({ migrat: true }))).rejects.toThrow(
      'server.open has no option "migrat". Did you mean "migrate"?',
    )
    expect(load).not.toHaveBeenCalled()
  })

  test('a visitor of a test server sends no request', async () => {
    const { visitor, signedIn } = await createTestServer(createBench().server)
    expect(() => visitor(misspelt({ agnet: 'application' }))).toThrow(
      'visitor has no option "agnet". Did you mean "agent"?',
    )
    await expect(visitor().graphql('{ hello }', {}, misspelt({ header: {} }))).rejects.toThrow(
      'graphql has no option "header". Did you mean "headers"?',
    )
    await expect(signedIn(misspelt({ rol: 'READER' }))).rejects.toThrow(
      'signedIn has no option "rol". Did you mean "role"?',
    )
  })
})
