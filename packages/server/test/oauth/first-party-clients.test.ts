import { createAuthorizationServer } from '@latchkey/oauth/server'
import { describe, expect, test } from 'vitest'
import { newPassword, password } from '../support/bench.ts'
import { type Answer, outcomeOf } from '../support/visitor.ts'
import { createOAuthBench, type OAuthBench, spa } from './support/oauth-bench.ts'
import { createProofMaker } from './support/proofs.ts'

const app = { ...spa, id: 'app', firstParty: true, redirectUris: ['https://app.example.org/callback'] }
const key = createProofMaker()
const endpoint = 'https://example.com/graphql'

const openBench = ({ own = true, ...options }: { readonly own?: boolean; readonly typeDefs?: string } = {}) =>
  createOAuthBench({
    options: {
      ...options,
      oauth: (parts) =>
        createAuthorizationServer({ ...parts, fixedClients: [{ ...app, firstParty: own }], consent: () => 'granted' }),
    },
  })

/** A front end with its token, which proves its key at each request. */
async function openApp(
  bench: OAuthBench,
  {
    role = 'READER',
    scope = 'openid offline_access',
  }: { readonly role?: 'READER' | 'ADMIN'; readonly scope?: string } = {},
) {
  const owner = await bench.signedIn(role)
  const proof = key.prove({ method: 'POST', url: 'https://example.com/token', at: bench.clock.time })
  const { access_token: token } = await bench.give(owner, { client: app, proof, scope })
  const ask = (query: string, variables: object = {}) => {
    const dpop = key.prove({ method: 'POST', url: endpoint, at: bench.clock.time, token })
    return bench.visitor().ask(query, variables, { authorization: `DPoP ${token}`, dpop })
  }
  return { owner, token, ask }
}

const reasonsOf = ({ errors }: Answer) => errors.map(({ extensions }) => extensions.reason)

describe('a front end of the service on another site', () => {
  test("lists the account's sessions, and revokes them", async () => {
    const bench = openBench()
    const { owner, ask } = await openApp(bench)
    const { data } = await ask('{ sessions { id kind clientName current } grants { clientId } }')
    expect(data).toMatchObject({
      sessions: [
        { kind: 'session', clientName: null, current: false },
        { kind: 'refresh', clientName: 'Reader', current: true },
      ],
      grants: [{ clientId: 'app' }],
    })
    const [{ id }] = data.sessions as [{ id: string }]
    expect((await ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })).data).toEqual({ revokeSession: true })
    expect((await owner.ask('{ sessions { id } }')).status).toBe(401)
  })

  test.each<[string, string, object]>([
    [
      'changes no password',
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      { currentPassword: password, newPassword },
    ],
    [
      'proves no password',
      'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }',
      { currentPassword: password },
    ],
    [
      'changes no address',
      'mutation ($input: RequestEmailChangeInput!) { requestEmailChange(input: $input) }',
      { newEmail: 'thief@example.com' },
    ],
    ['exports nothing', 'mutation { exportAccount }', {}],
  ])('%s, however fresh the sign-in is, and the page of the service does', async (_what, query, input) => {
    const bench = openBench()
    const { owner, ask } = await openApp(bench)
    const before = await bench.stores.accounts.get(owner.account.id)
    const refused = await ask(query, { input })
    expect([...outcomeOf(refused), ...reasonsOf(refused)]).toEqual([403, 'FORBIDDEN', 'own-pages'])
    expect(await bench.stores.accounts.get(owner.account.id)).toEqual(before)
    expect((await owner.ask(query, { input })).status).toBe(200)
  })

  test('cannot assign roles for an administrator with any scopes', async () => {
    const bench = openBench()
    const { ask } = await openApp(bench, { role: 'ADMIN', scope: 'openid accounts:read accounts:update' })
    const reader = await bench.insert()
    const refused = await ask('mutation ($input: SetRoleInput!) { setRole(input: $input) { id } }', {
      input: { accountId: reader.id, role: 'ADMIN' },
    })
    expect([...outcomeOf(refused), ...reasonsOf(refused)]).toEqual([403, 'FORBIDDEN', 'own-pages'])
    expect((await bench.stores.accounts.get(reader.id))?.roles).toEqual(['READER'])
  })

  test("is limited to its scopes and the account's role", async () => {
    const bench = openBench()
    const write = 'mutation { writeNote(text: "a") }'
    const without = await openApp(bench, { role: 'ADMIN' })
    expect(outcomeOf(await without.ask(write))).toEqual([403, 'FORBIDDEN'])
    const reader = await openApp(bench, { scope: 'openid notes:write' })
    expect(outcomeOf(await reader.ask(write))).toEqual([403, 'FORBIDDEN'])
    const writer = await openApp(bench, { role: 'ADMIN', scope: 'openid notes:write' })
    expect(outcomeOf(await writer.ask(write))).toEqual([200, null])
  })

  test('counts as another client without its key, and until it is registered as first-party', async () => {
    const bench = openBench()
    const { token } = await openApp(bench)
    expect((await bench.bearing(token).ask('{ sessions { id } }')).status).toBe(401)
    const { ask } = await openApp(openBench({ own: false }))
    const refused = await ask('{ sessions { id } }')
    expect([...outcomeOf(refused), ...reasonsOf(refused)]).toEqual([403, 'FORBIDDEN', undefined])
  })

  test('revokes only its own token when it signs out', async () => {
    const bench = openBench()
    const { owner, ask } = await openApp(bench)
    expect((await ask('mutation { signOut }')).status).toBe(200)
    expect((await ask('{ sessions { id } }')).status).toBe(401)
    expect((await owner.ask('{ sessions { id } }')).status).toBe(200)
  })

  test('steps up by its own page if a permission opens the field, without a challenge', async () => {
    const typeDefs = `
      extend type Account { greeting: String! @public }
      type Query { hello: String! @public, secretPlan: String! @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 300, ifEnrolled: true) }
      type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }`
    const bench = openBench({ typeDefs })
    const { ask } = await openApp(bench, { role: 'ADMIN', scope: 'openid notes:write' })
    expect((await ask('{ secretPlan }')).codes).not.toContain('STEP_UP_REQUIRED')
    bench.advance(301)
    const refused = await ask('{ secretPlan }')
    expect(refused.errors[0]?.extensions).toMatchObject({
      code: 'STEP_UP_REQUIRED',
      challenge: 'insufficient_user_authentication',
    })
  })
})
