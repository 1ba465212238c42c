import { type AuthContext, authDirectives, compileAccess, reportAccess } from '@latchkey/graphql'
import { type AnyPolicy, definePolicy } from '@latchkey/rbac'
import { buildSchema, execute, type GraphQLSchema } from 'graphql'
import { describe, expect, test } from 'vitest'

const now = 1_800_000_000_000
const policy = definePolicy({
  permissions: ['notes:read', 'notes:write'],
  roles: { READER: { permissions: ['notes:read'] } },
})
const factors = [{ kind: 'totp', at: now, category: 'have' }] as const
const own = policy.identify({ subject: 'acc_1', roles: ['READER'], factors })
const acting = policy.identify({ subject: 'acc_1', roles: ['READER'], factors, impersonator: 'acc_admin' })

const schema = buildSchema(`${authDirectives}
  type Query {
    open: String @public
    mine: String @authenticated
    notes: String @requires(permissions: "notes:read")
    hidden: String @requires(permissions: "notes:write") @firstParty
    devices: String @authenticated @firstParty
    fresh: String @authenticated @stepUp(maxAgeSeconds: 60)
    secrets: Secrets @authenticated
  }
  type Secrets @firstParty { name: String @authenticated }
  type Mutation {
    change: String @authenticated
    signIn: String @public @credential
    confirm: String @authenticated @credential
    opened: String
  }
`)

function compile(added: GraphQLSchema = schema) {
  const beside = { 'Mutation.opened': { authenticated: true, firstParty: true, impersonation: true } } as const
  return compileAccess({ schema: added, policy, rules: beside, now: () => now })
}

const outcomeOf = async (query: string, identity = acting) => {
  const verdict = await compile().prepare({ query }, { identity })
  return verdict.ok ? 'allowed' : verdict.errors.map(({ extensions }) => [extensions.code, extensions.reason])
}

const rules = [
  'authenticated',
  { firstParty: true },
  { stepUp: { maxAgeSeconds: 60 } },
  { authenticated: true, credential: true },
] as const

describe('an administrator who acts as the account', () => {
  test.each(['{ open }', '{ mine }', '{ notes }', 'mutation { change }', 'mutation { opened }', '{ __typename }'])(
    'may what the account may: %s',
    async (query) => {
      expect(await outcomeOf(query)).toBe('allowed')
    },
  )

  test.each([
    '{ devices }',
    '{ fresh }',
    '{ secrets { name } }',
    '{ open mine devices }',
    'mutation { signIn }',
    'mutation { confirm }',
  ])("is refused what is its owner's alone, however fresh a factor is: %s", async (query) => {
    expect([...new Set([await outcomeOf(query)].flat().map(String))]).toEqual(['FORBIDDEN,impersonated'])
    expect(await outcomeOf(query, own)).toBe('allowed')
  })

  test('is refused what the account may not, without another reason', async () => {
    expect(await outcomeOf('{ hidden }', own)).toEqual([['FORBIDDEN', undefined]])
  })

  test('is refused by a resolver as by the schema', async () => {
    const seen: unknown[] = []
    const asking = buildSchema(
      `${authDirectives} type Query { ask: String @authenticated } type Mutation { opened: String }`,
    )
    const ask = asking.getQueryType()?.getFields().ask
    if (!ask) throw new Error('the schema has no such field')
    ask.resolve = (_source, _args, { authorize }: AuthContext<AnyPolicy>) => {
      for (const rule of rules) {
        try {
          seen.push(authorize(rule).subject)
        } catch (error) {
          seen.push((error as { readonly extensions: { readonly reason?: string } }).extensions.reason)
        }
      }
      return null
    }
    const verdict = await compile(asking).prepare({ query: '{ ask }' }, { identity: acting })
    if (!verdict.ok) throw new Error('it was refused')
    await execute(verdict.args)
    expect(seen).toEqual(['acc_1', 'impersonated', 'impersonated', 'impersonated'])
  })
})

test('reportAccess does not mention impersonation for a mutation that is closed by default', () => {
  const { text } = reportAccess(compile())
  expect(text).toMatch(/Mutation\.change +authenticated; first party +401/)
  expect(text).not.toContain('impersonated')
})
