import { describe, expect, test } from 'vitest'
import { draftsFor } from '../../src/publication/drafts.ts'
import { server } from '../../src/server.ts'
import { findWays, isOpen, operationOf } from '../support/every-field.ts'

const { access } = server
const { policy } = access

const ways = findWays()
const admin = { subject: 'acc_admin', roles: ['ADMIN'], firstParty: false, clientId: 'demo-spa' }

describe('a token of a third party with the scope openid, of an administrator', () => {
  test('is tried on every coordinate', () => {
    expect([...ways.keys()].sort()).toEqual(access.fields.map(({ coordinate }) => coordinate))
  })

  test.each([...ways])('opens %s only if it is public or names openid', async (_coordinate, way) => {
    const query = operationOf(way)
    const identity = policy.identify({ ...admin, scopes: ['openid'] })
    const verdict = await access.prepare({ query }, { identity, csrf: () => true })
    const codes = verdict.ok ? [] : [...new Set(verdict.errors.map(({ extensions }) => extensions.code))]
    expect(codes).toEqual(isOpen(way.coordinates) ? [] : ['FORBIDDEN'])
  })
})

describe('a token of a third party', () => {
  const may = async (query: string, ...scopes: string[]) =>
    (await access.prepare({ query }, { identity: policy.identify({ ...admin, roles: ['AUTHOR'], scopes }) })).ok

  test.each([
    ['{ viewer { id } }', ['openid'], true],
    ['{ viewer { id } }', ['email'], false],
    ['{ viewer { id email } }', ['openid', 'email'], true],
    ['{ viewer { id email } }', ['openid'], false],
    ['{ search(text: "a") { __typename } }', ['articles:read'], true],
    ['subscription { commentAdded(articleId: "1") { id } }', ['articles:read'], true],
    ['subscription { commentAdded(articleId: "1") { id } }', ['openid'], false],
    ['mutation { createArticle(input: { title: "T", body: "B" }) { id } }', ['articles:create'], true],
    ['mutation { createArticle(input: { title: "T", body: "B" }) { id } }', ['articles:read'], false],
    ['mutation { publishArticle(id: "1") { id } }', ['articles:publish'], false],
    ['{ sessions { id } }', [...policy.permissions, 'openid'], false],
  ])('may %s with %j: %j', async (query, scopes, expected) => {
    expect(await may(query, ...scopes)).toBe(expected)
  })
})

describe('the drafts that are seen', () => {
  const author = { subject: 'acc_author', roles: ['AUTHOR'] }
  const readerOf = (input: NonNullable<Parameters<typeof policy.identify>[0]>) => {
    const identity = policy.identify(input)
    return { identity, can: (permission: 'articles:publish' | 'articles:read') => policy.can(identity, permission) }
  }

  test.each([
    ['by an author are their own', author, { subject: 'acc_author' }],
    ['by an editor are all', { ...author, roles: ['EDITOR'] }, 'everybody'],
    [
      'through a grant with articles:read are the own ones',
      { ...author, scopes: ['articles:read'] },
      { subject: 'acc_author' },
    ],
    ['through a grant without it are none', { ...author, scopes: ['openid', 'articles:update'] }, { subject: null }],
    [
      'through a grant of an editor without articles:publish are the own ones',
      { ...author, roles: ['EDITOR'], scopes: ['articles:read'] },
      { subject: 'acc_author' },
    ],
    [
      'through a grant of an editor with it are all',
      { ...author, roles: ['EDITOR'], scopes: ['articles:publish'] },
      'everybody',
    ],
    ['through a grant of an author with it are none', { ...author, scopes: ['articles:publish'] }, { subject: null }],
    [
      'by a machine are none',
      { subject: 'acc_author', kind: 'client', roles: [], scopes: ['articles:read'] } as const,
      { subject: null },
    ],
  ])('%s', (_title, input, expected) => {
    expect(draftsFor(readerOf(input))).toEqual(expected)
  })
})
