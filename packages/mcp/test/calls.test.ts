import { createMcp } from '@latchkey/mcp'
import type { IdentityInput } from '@latchkey/rbac'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Called,
  createNotes,
  effects,
  parts,
  policy,
  publishedScopes,
  send,
  serve,
  toolOf,
  tools,
} from './support/notes-service.ts'

const mcp = createNotes()
const granted = (role: string, scopes: readonly string[] = publishedScopes): IdentityInput => ({
  subject: 'ada',
  roles: [role],
  scopes,
  firstParty: false,
  clientId: 'agent',
  key: 'grant',
})
const as = (identity: IdentityInput | null, more = {}) => serve(mcp, { identity, ...more })
const call = (identity: IdentityInput | null, name: string, args: object = {}, more = {}) =>
  send(as(identity, more).fetch, 'tools/call', { name, arguments: args })

beforeEach(() => {
  effects.length = 0
})

describe('tools/list', () => {
  const names = async (identity: IdentityInput) =>
    (await send(as(identity).fetch, 'tools/list')).body.result.tools.map(({ name }: { readonly name: string }) => name)
  const reader = ['listNotes', 'whoAmI', 'sayHello', 'fails', 'outage']

  test('has every tool that the role can open, with any scopes, and no other tool', async () => {
    expect(await names(granted('READER', []))).toEqual(reader)
    expect(await names(granted('READER'))).toEqual(reader)
    expect(await names(granted('ADMIN', []))).toEqual(
      mcp.verdicts.map(({ name }) => name).filter((name) => name !== 'machines'),
    )
  })

  test('has the tools of machines for a machine', async () => {
    const machine = { subject: 'm', kind: 'client', roles: [], scopes: ['notes:read'], clientId: 'm' } as const
    expect(await names(machine)).toContain('machines')
    expect((await call(machine, 'machines')).body.result.structuredContent).toEqual({ machines: 'machine' })
  })

  test('has the access of each tool, and is private', async () => {
    const { result } = (await send(as(granted('AUTHOR')).fetch, 'tools/list')).body
    const tool = result.tools.find(({ name }: { readonly name: string }) => name === 'removeNote')
    const access = { scopes: [['notes:write'], ['notes:delete']], owner: ['notes'], stepUp: null }
    expect(tool._meta).toEqual({ 'io.latchkey/access': access })
    expect(result).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 })
  })
})

describe('tools/call', () => {
  test('returns the data as an object and as text', async () => {
    const { status, body } = await call(granted('READER'), 'listNotes', { first: 1 })
    const data = { notes: [{ id: '1', title: 'First' }] }
    expect([status, body.result.structuredContent, body.result.content, body.result.isError]).toEqual([
      200,
      data,
      [{ type: 'text', text: JSON.stringify(data) }],
      undefined,
    ])
  })

  test.each([
    ['a tool that does not exist', 'nothing'],
    ['a tool that the role cannot open', 'writeNote'],
    ['a name of an object', 'constructor'],
  ])('answers %s as unknown', async (_title, name) => {
    const { status, body } = await call(granted('READER'), name, { title: 'a' })
    expect([status, body.error, effects]).toEqual([200, { code: -32602, message: 'Unknown tool' }, []])
  })

  test('refuses a grant that is too narrow with 403 and the scopes', async () => {
    const { status, headers, body } = await call(granted('AUTHOR', ['openid']), 'writeNote', { title: 'a' })
    const scopes = ['notes:write']
    expect([status, headers.get('www-authenticate'), body]).toEqual([
      403,
      'Bearer realm="mcp", error="insufficient_scope", scope="notes:write"',
      {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: 403,
          message: 'You do not have permission to do this.',
          data: { code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes },
        },
      },
    ])
    expect(effects).toEqual([])
  })

  test('names the permission that replaces ownership if only the grant lacks it', async () => {
    const { status, headers } = await call(granted('ADMIN', ['notes:write']), 'removeNote', { id: '2' })
    expect([status, headers.get('www-authenticate'), effects]).toEqual([
      403,
      'Bearer realm="mcp", error="insufficient_scope", scope="notes:write notes:delete"',
      [],
    ])
  })

  test('refuses the resource of another account as an error of the tool', async () => {
    const { status, headers, body } = await call(granted('AUTHOR'), 'changeNote', { id: '2', title: 'a' })
    const errors = [expect.objectContaining({ path: ['change'], extensions: { code: 'FORBIDDEN' } })]
    expect([status, headers.get('www-authenticate')]).toEqual([200, null])
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'You do not have permission to do this.' }],
      _meta: { 'io.latchkey/errors': errors },
    })
    expect(effects).toEqual([])
  })

  test('never lets scopes of an error of a resolver leave the quotes of the challenge', async () => {
    const asking = createMcp({ ...parts, tools: [toolOf('query asks { asks }')], initialScopes: [] })
    const { fetch } = serve(asking, { identity: granted('READER') })
    const { status, headers, body } = await send(fetch, 'tools/call', { name: 'asks' })
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="mcp", error="insufficient_scope", scope="a"',
    ])
    expect(body.error.data.challenge).toBe('insufficient_scope')
  })

  test('is 401 with the greatest age of the proof if a fresh factor is missing', async () => {
    const { status, headers, body } = await call(granted('ADMIN'), 'purge')
    expect([status, headers.get('www-authenticate'), body.error.data.code, effects]).toEqual([
      401,
      'Bearer realm="mcp", error="insufficient_user_authentication", max_age="300"',
      'STEP_UP_REQUIRED',
      [],
    ])
    const proven = { ...granted('ADMIN'), factors: [{ kind: 'totp', at: Date.now() }], enrolledFactors: ['totp'] }
    expect((await call(proven, 'purge')).body.result.structuredContent).toEqual({ purge: true })
  })

  test.each([
    ['an error of the application', 'fails', {}, 'NOT_FOUND', 'The note is gone.'],
    ['a size of a list over the limit', 'listNotes', { first: 51 }, 'BAD_USER_INPUT', /first/],
    ['a value of the wrong type', 'listNotes', { first: 'many' }, 'BAD_USER_INPUT', /first/],
    [
      'a failure of a resolver, masked',
      'outage',
      {},
      'INTERNAL_SERVER_ERROR',
      'Something went wrong on our end. Try again later.',
    ],
    ['an argument that the tool does not have', 'listNotes', { last: 1 }, 'BAD_USER_INPUT', /input schema/],
  ])('answers %s as an error of the tool', async (_title, name, args, code, text) => {
    const { status, body } = await call(granted('READER'), name, args)
    const { result } = body
    expect([status, result.isError, result._meta['io.latchkey/errors'][0].extensions.code]).toEqual([200, true, code])
    expect(result.content[0].text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
    expect(JSON.stringify(body)).not.toContain('hunter2')
  })

  test('over the limit is refused with 429 and is not executed', async () => {
    const limit = async () => ({ retryAfterSeconds: 9 })
    const { status, headers, body } = await call(granted('AUTHOR'), 'writeNote', { title: 'a' }, { limit })
    expect([status, headers.get('retry-after'), body.error.data, effects]).toEqual([
      429,
      '9',
      { code: 'RATE_LIMITED', retryAfterSeconds: 9 },
      [],
    ])
  })

  test('fails as the service around it fails', async () => {
    const limit = async () => {
      throw new Error('the store is unreachable')
    }
    const { fetch } = as(granted('READER'), { limit })
    await expect(send(fetch, 'tools/call', { name: 'sayHello' })).rejects.toThrow('the store is unreachable')
  })

  test('is reported with tool, document and outcome, and without arguments', async () => {
    const seen: Called[] = []
    const called = (one: Called) => seen.push(one)
    const secret = 'a-secret-title'
    await call(granted('AUTHOR'), 'writeNote', { title: secret }, { called })
    await call(granted('AUTHOR'), 'changeNote', { id: '2', title: secret }, { called })
    await call(granted('AUTHOR', []), 'writeNote', { title: secret }, { called })
    await call(granted('READER'), 'writeNote', { title: secret }, { called })
    expect(seen.map(({ tool, kind, outcome }) => [tool, kind, outcome])).toEqual([
      ['writeNote', 'mutation', 'done'],
      ['changeNote', 'mutation', 'failed'],
      ['writeNote', 'mutation', 'refused'],
    ])
    const verdict = mcp.verdicts.find(({ name }) => name === 'writeNote')
    expect(`sha256:${seen[0]?.documentHash}`).toBe(verdict?.document)
    expect(JSON.stringify(seen)).not.toContain(secret)
  })
})

describe('the published verdict', () => {
  type Verdict = (typeof mcp.verdicts)[number]
  const sets = Array.from({ length: 2 ** publishedScopes.length }, (_none, set) =>
    publishedScopes.filter((_scope, position) => (set & (1 << position)) !== 0),
  )
  /** An alternative counts only if the role can have all of it. */
  const isUsable = (role: string, scopes: readonly string[]) => {
    const identity = policy.identify({ subject: 'ada', roles: [role] })
    return scopes.every((scope) => !policy.permissions.includes(scope as never) || policy.can(identity, scope as never))
  }
  const args: Readonly<Record<string, object>> = {
    writeNote: { title: 'a' },
    changeNote: { id: '1', title: 'a' },
    removeNote: { id: '1' },
  }
  const published = ({ roles, scopes }: Verdict, role: string, set: readonly string[]) => {
    if (roles[role] === 'no') return 'unknown'
    const isOpen = scopes.some((one) => isUsable(role, one) && one.every((scope) => set.includes(scope)))
    return isOpen ? 'open' : 'narrow'
  }
  const names: Readonly<Record<number, string>> = { 200: 'open', 403: 'narrow', 500: 'open' }
  type Served = ReturnType<typeof as>
  const ofResource = async ({ fetch }: Served, name: string) => {
    const { status, body } = await send(fetch, 'tools/call', { name, arguments: args[name] })
    return body.error?.code === -32602 ? 'unknown' : names[status]
  }
  const ofEndpoint = async ({ ask }: Served, name: string) => {
    const query = tools.find(({ document }) => document.includes(` ${name}`))?.document
    const { status, body } = await ask({ query, variables: args[name] })
    return status === 403 && !String(body).includes('insufficient_scope') ? 'unknown' : names[status]
  }

  test.each(policy.roles)('matches resource and endpoint for %s with every set of scopes', async (role) => {
    const factors = [{ kind: 'totp', at: Date.now() }]
    for (const set of sets) {
      const served = as({ ...granted(role, set), factors, enrolledFactors: ['totp'] })
      for (const verdict of mcp.verdicts) {
        const { name } = verdict
        const decided = [await ofResource(served, name), await ofEndpoint(served, name)]
        const expected = published(verdict, role, set)
        expect([name, set, ...decided]).toEqual([name, set, expected, expected])
      }
    }
  })
})
