import { type AccessErrorCode, compileAccess, isAccessError } from '@latchkey/graphql'
import { definePolicy, type Identity } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import {
  admin,
  ask,
  author,
  editor,
  identityOf,
  machine,
  now,
  policy,
  reader,
  schemaOf,
} from '../support/access-fixture.ts'

const rules = {
  authenticated: 'authenticated',
  publish: { permissions: 'articles:publish' },
  stepUp: { authenticated: true, stepUp: { maxAgeSeconds: 300, ifEnrolled: true } },
  firstParty: { authenticated: true, firstParty: true },
  client: { client: true },
} as const

const access = compileAccess({
  policy,
  now: () => now,
  schema: schemaOf(`type Query {
    authenticated: String @authenticated
    publish: String @requires(permissions: "articles:publish")
    stepUp: String @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    firstParty: String @authenticated @firstParty
    client: String @client
  }`),
})

const identities: Readonly<Record<string, Identity | null>> = {
  'no identity': null,
  reader,
  author,
  editor,
  admin,
  machine,
  'fresh password': identityOf('fresh', 'READER', { factors: [{ kind: 'password', at: now }] }),
  'fresh password beside an app': identityOf('fresh', 'READER', {
    factors: [{ kind: 'password', at: now }],
    enrolledFactors: ['totp'],
  }),
  'fresh code': identityOf('fresh', 'READER', { factors: [{ kind: 'totp', at: now }], enrolledFactors: ['totp'] }),
  'old code': identityOf('old', 'READER', {
    factors: [{ kind: 'totp', at: now - 300_001 }],
    enrolledFactors: ['totp'],
  }),
}

function codeOf(work: () => unknown): AccessErrorCode | 'executed' {
  try {
    work()
    return 'executed'
  } catch (error) {
    if (isAccessError(error)) return error.code
    throw error
  }
}

describe('access.authorize', () => {
  describe.each(Object.entries(identities))('as %s', (_who, identity) => {
    test.each(Object.entries(rules))('decides as the field %s does', async (field, rule) => {
      const { verdict } = await ask(access, `{ ${field} }`, identity)
      expect(codeOf(() => access.authorize(identity, rule))).toBe(verdict)
    })
  })

  test('returns the identity', () => {
    expect(access.authorize(reader, 'authenticated')).toBe(reader)
  })

  test('allows the owner of the resource and refuses other accounts', () => {
    const rule = { owner: { of: 'articles' } } as const
    expect(codeOf(() => access.authorize(author, rule, { owner: 'author' }))).toBe('executed')
    expect(codeOf(() => access.authorize(author, rule, { owner: 'other' }))).toBe('FORBIDDEN')
    expect(codeOf(() => access.authorize(author, rule))).toBe('FORBIDDEN')
  })

  test('refuses an identity of another policy, and a rule that names an argument', () => {
    const other = definePolicy({ permissions: [], roles: { READER: {} } })
    const foreign = other.identify({ subject: 'x', roles: ['READER'], key: null, via: 'cookie' } as never)
    expect(() => access.authorize(foreign, 'authenticated')).toThrow('must come from the identify of the policy')
    expect(() => access.authorize(author, { owner: { of: 'articles', argument: 'id' } })).toThrow('knows no arguments')
  })
})
