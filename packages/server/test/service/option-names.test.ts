import { createMemoryRoleStore } from '@latchkey/rbac'
import { createTerminalMailer, type Server } from '@latchkey/server'
import { createEnvSecrets, createFileMailer, createFileSecrets, listen } from '@latchkey/server/node'
import { createTestServer } from '@latchkey/server/testing'
import { describe, expect, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'

/** What TypeScript would not let pass, and plain JavaScript does. */
const misspelt = (options: object) => options as never

describe('an option that a factory does not have is refused, with the one that was probably meant', () => {
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

describe('an option that createServer does not have is refused at once, nested ones too', () => {
  test.each<[message: string, options: object]>([
    ['createServer has no option "lifetime". Did you mean "lifetimes"?', { lifetime: {} }],
    ['createServer has no option "trustedProxy". Did you mean "trustedProxies"?', { trustedProxy: [] }],
    ['"signUp" has no option "roles". Did you mean "role"?', { signUp: { role: 'READER', roles: ['ADMIN'] } }],
    ['"lifetimes" has no option "sessionSecond". Did you mean "sessionSeconds"?', { lifetimes: { sessionSecond: 60 } }],
    ['"cookies" has no option "sameSite", only "prefix", "sessionSameSite"', { cookies: { sameSite: 'Strict' } }],
    ['"limits" has no option "alias". Did you mean "aliases"?', { limits: { alias: 1 } }],
    ['"streamLimits": "limits" has no option "stream". Did you mean "streams"?', { streamLimits: { stream: 1 } }],
    ['"streamLimits": "limits.recheckMs" must be', { streamLimits: { recheckMs: 1 } }],
    [
      '"roles" has no option "maxStaleness". Did you mean "maxStalenessSeconds"?',
      { roles: { store: createMemoryRoleStore(), maxStaleness: 1 } },
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

  test('a visitor of a test server sends nothing', async () => {
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
