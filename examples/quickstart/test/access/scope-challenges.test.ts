import { compileAccess } from '@latchkey/graphql'
import { describe, expect, test } from 'vitest'
import { createPolicy } from '../../src/policy.ts'
import { clientPermissions } from '../../src/publication/demo-clients.ts'
import { server } from '../../src/server.ts'
import { findWays, operationOf } from '../support/every-field.ts'

const subject = 'acc_owner'
const owned = { ownersOf: async (ids: readonly string[]) => new Map(ids.map((id) => [id, subject])) }
const policy = createPolicy(owned as never, owned as never).withOwnership({
  accounts: { ownerOf: (account: { readonly id: string }) => account.id },
})
const access = compileAccess({ schema: server.access.schema, policy })

/** What the metadata of the endpoint lists. */
const publishedScopes = ['openid', 'profile', 'email', 'online_access', ...clientPermissions]
const roles = ['READER', 'AUTHOR', 'EDITOR', 'ADMIN'] as const
type Role = (typeof roles)[number]

const operations = [
  ...[...findWays().values()].map(operationOf),
  '{ viewer { id name email role } }',
  '{ viewer { email } search(text: "a") { __typename } }',
  '{ findAccounts(text: "a") { nodes { id email } } viewer { email } }',
  'mutation { createArticle(input: { title: "T", body: "B" }) { id author { email } } }',
  'mutation { a: createArticle(input: { title: "T", body: "B" }) { id } publishArticle(id: "1") { id } }',
  'mutation { updateArticle(input: { id: "1", title: "T", body: "B" }) { id } deleteComment(id: "1") }',
  '{ viewer { id } sessions { id } }',
]

async function refusalOf(query: string, scopes: readonly string[] | null, role: Role) {
  const identity =
    scopes && policy.identify({ subject, roles: [role], scopes, firstParty: false, clientId: 'demo-spa' })
  const verdict = await access.prepare({ query }, { identity, publishedScopes, csrf: () => true })
  const {
    code = null,
    challenge = null,
    scopes: named = null,
  } = verdict.ok ? {} : (verdict.errors[0]?.extensions ?? {})
  return { code, challenge, named: named as readonly string[] | null }
}

/** Scopes that no rule names change nothing. */
const tried = ['openid', 'email', ...clientPermissions]
const sets = Array.from({ length: 2 ** tried.length }, (_none, set) =>
  tried.filter((_name, position) => (set & (1 << position)) !== 0),
)
const without = (scopes: readonly string[], left: string) => scopes.filter((scope) => scope !== left)

const named = new Map(
  await Promise.all(operations.map(async (query) => [query, (await refusalOf(query, null, 'ADMIN')).named] as const)),
)
const challenged = operations.filter((query) => named.get(query) !== null)

describe('the operations of the publication', () => {
  test('operations name no scope if a scope opens them, and only published scopes otherwise', () => {
    expect(challenged.length).toBeGreaterThan(20)
    for (const query of challenged)
      expect(publishedScopes).toEqual(expect.arrayContaining([...(named.get(query) ?? [])]))
  })

  test.each(roles)('operations that no scope opens get no challenge from any grant of %s', async (role) => {
    for (const query of operations.filter((one) => !challenged.includes(one))) {
      for (const scopes of [[], ['openid'], tried]) {
        expect([query, scopes, await refusalOf(query, scopes, role)]).toMatchObject([
          query,
          scopes,
          { challenge: null, named: null },
        ])
      }
    }
  })

  test.each(roles)('are open to exactly the scopes that they name to %s, and to none fewer', async (role) => {
    for (const query of challenged) {
      const known = new Set<string>()
      for (const scopes of sets) {
        const refused = await refusalOf(query, scopes, role)
        expect(refused.challenge === null).toBe(refused.named === null)
        if (refused.named === null || known.has(refused.named.join())) continue
        known.add(refused.named.join())
        expect([query, refused.named, await refusalOf(query, refused.named, role)]).toMatchObject([
          query,
          refused.named,
          { challenge: null, named: null },
        ])
        for (const left of refused.named) {
          const again = await refusalOf(query, without(refused.named, left), role)
          expect([query, refused.named, left, again.challenge]).toEqual([
            query,
            refused.named,
            left,
            'insufficient_scope',
          ])
        }
      }
    }
  })
})
