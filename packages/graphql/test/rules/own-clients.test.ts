import { type AuthContext, authDirectives, compileAccess } from '@latchkey/graphql'
import { type AnyPolicy, definePolicy, type IdentityInput } from '@latchkey/rbac'
import { buildSchema, execute } from 'graphql'
import { describe, expect, test } from 'vitest'

const now = 1_800_000_000_000
const policy = definePolicy({
  permissions: ['notes:read', 'notes:write'],
  roles: { WRITER: { permissions: ['notes:read', 'notes:write'] } },
})
const factors = [{ kind: 'totp', at: now, category: 'have' }] as const
const through = (more: Partial<IdentityInput>) =>
  policy.identify({ subject: 'acc_1', roles: ['WRITER'], factors, enrolledFactors: ['totp'], ...more })

const scopes = ['openid', 'notes:write']
const own = through({})
const client = through({ scopes, firstParty: true, clientId: 'app' })
const thirdParty = through({ scopes, firstParty: false, clientId: 'app' })

const schema = buildSchema(`${authDirectives}
  type Query {
    open: String @public
    mine: String @authenticated
    devices: String @authenticated @firstParty
    notes: String @requires(permissions: "notes:read")
    profile: String @scope(anyOf: "email")
    fresh: String @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 60)
    freshMine: String @authenticated @stepUp(maxAgeSeconds: 60)
    freshOwn: String @firstParty @stepUp(maxAgeSeconds: 60)
    vault: Vault @authenticated
    check: String @authenticated @firstParty @credential
  }
  type Vault @firstParty {
    name: String @authenticated
    code: String @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 60)
  }
  type Mutation {
    rename: String @authenticated
    write: String @requires(permissions: "notes:write")
    remove: String @authenticated @stepUp(maxAgeSeconds: 60)
    removeBefore: String @authenticated @stepUp(maxAgeSeconds: 60) @beforeEnrollment
    changePassword: String @authenticated @firstParty @credential
    confirm: String @authenticated @credential
    run: String @client
    signIn: String @public @credential
  }
`)
const access = compileAccess({ schema, policy, now: () => now })

const outcomeOf = async (query: string, identity = client) => {
  const verdict = await access.prepare({ query }, { identity })
  if (verdict.ok) return 'allowed'
  const { code, reason, challenge } = verdict.errors[0]?.extensions ?? {}
  return [code, reason, challenge].filter((said) => said !== undefined).join(' ')
}

const ownPages = 'FORBIDDEN own-pages'
const outOfScope = 'FORBIDDEN insufficient_scope'

describe('a client of the service itself', () => {
  test.each([
    ['{ open }', 'allowed', 'allowed'],
    ['{ mine }', 'allowed', 'FORBIDDEN'],
    ['{ devices }', 'allowed', 'FORBIDDEN'],
    ['{ notes }', outOfScope, outOfScope],
    ['{ profile }', outOfScope, outOfScope],
    ['{ fresh }', 'allowed', 'allowed'],
    ['{ freshMine }', ownPages, 'FORBIDDEN'],
    ['{ freshOwn }', ownPages, 'FORBIDDEN'],
    ['{ vault { name } }', 'allowed', 'FORBIDDEN'],
    ['{ vault { code } }', ownPages, 'FORBIDDEN'],
    ['{ check }', ownPages, 'FORBIDDEN'],
    ['mutation { rename }', 'allowed', 'FORBIDDEN'],
    ['mutation { write }', 'allowed', 'allowed'],
    ['mutation { remove }', ownPages, 'FORBIDDEN'],
    ['mutation { removeBefore }', ownPages, 'FORBIDDEN'],
    ['mutation { changePassword }', ownPages, 'FORBIDDEN'],
    ['mutation { confirm }', ownPages, 'FORBIDDEN'],
    ['mutation { run }', 'FORBIDDEN', 'FORBIDDEN'],
    ['mutation { signIn }', 'allowed', 'allowed'],
  ])('is answered %s with %s, one of others with %s', async (query, expected, ofOthers) => {
    expect(await outcomeOf(query)).toBe(expected)
    expect(await outcomeOf(query, thirdParty)).toBe(ofOthers)
    if (expected === ownPages) expect(await outcomeOf(query, own)).toBe('allowed')
  })

  test('is refused without a fresh proof as with a proof, and gets no step-up', async () => {
    const stale = through({ scopes, firstParty: true, clientId: 'app', factors: [] })
    expect(await outcomeOf('{ freshOwn }', stale)).toBe(ownPages)
    expect(await outcomeOf('{ fresh }', stale)).toBe('STEP_UP_REQUIRED insufficient_user_authentication')
  })

  test('has the same access without scopes', async () => {
    const without = through({ scopes: [], firstParty: true })
    expect([await outcomeOf('{ devices }', without), await outcomeOf('{ freshOwn }', without)]).toEqual([
      'allowed',
      ownPages,
    ])
    expect(await outcomeOf('mutation { write }', without)).toBe(outOfScope)
  })

  test('can read its account in a resolver, and authorize refuses a rule with a proof', async () => {
    const rules = ['authenticated', { firstParty: true }, { firstParty: true, stepUp: { maxAgeSeconds: 60 } }] as const
    const seen: unknown[] = []
    const asking = buildSchema(`${authDirectives} type Query { ask: String @authenticated }`)
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
    const compiled = compileAccess({ schema: asking, policy, now: () => now })
    const verdict = await compiled.prepare({ query: '{ ask }' }, { identity: client })
    if (!verdict.ok) throw new Error('it was refused')
    await execute(verdict.args)
    expect(seen).toEqual(['acc_1', 'acc_1', 'own-pages'])
  })
})
