import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { openGrant } from '../support/grants.ts'
import { outcomeOf } from '../support/visitor.ts'

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { id role } }'

describe('a family that was given to a third party', () => {
  test.each([
    ['only what its scopes name', ['openid']],
    ['nothing where no scopes were agreed on', null],
  ])('may do for an administrator %s', async (_title, scopes) => {
    const bench = createBench()
    const admin = await bench.signedIn('ADMIN')
    const reader = await bench.insert()
    const visitor = bench.visitor()
    visitor.bearer = (await openGrant(bench, admin.account, { clientId: 'demo-spa', scopes })).accessToken
    const input = { accountId: reader.id, role: 'ADMIN' }
    expect(outcomeOf(await visitor.ask(setRole, { input }))).toEqual([403, 'FORBIDDEN'])
    expect((await bench.stores.accounts.get(reader.id))?.roles).toEqual(['READER'])
    expect(outcomeOf(await visitor.ask('{ sessions { id } }'))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await visitor.ask('{ hello }'))).toEqual([200, null])
  })
})
