import { describe, expect, test } from 'vitest'
import { createOAuthBench } from '../support/oauth-bench.ts'
import { outcomeOf } from '../support/visitor.ts'

describe('an access token of a client', () => {
  test('opens what its scopes name, within the roles of the account', async () => {
    const bench = createOAuthBench()
    const reader = await bench.signedIn('READER')
    const author = await bench.signedIn('AUTHOR')
    const write = 'mutation { writeNote(text: "x") }'
    const scope = 'openid notes:write'
    const ofReader = bench.bearing((await bench.give(reader, { scope })).access_token)
    const ofAuthor = bench.bearing((await bench.give(author, { scope })).access_token)
    const narrow = bench.bearing((await bench.give(author, { scope: 'openid' })).access_token)
    expect(outcomeOf(await ofReader.ask(write))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await ofAuthor.ask(write))).toEqual([200, null])
    expect(outcomeOf(await narrow.ask(write))).toEqual([403, 'FORBIDDEN'])
    expect((await ofReader.ask('{ viewer { id } }')).data.viewer.id).toBe(reader.account.id)
  })

  test('of a machine is no account', async () => {
    const bench = createOAuthBench()
    const machine = bench.bearing(await bench.machineToken())
    expect(outcomeOf(await machine.ask('mutation { writeNote(text: "x") }'))).toEqual([200, null])
    expect(outcomeOf(await machine.ask('{ viewer { id } }'))).toEqual([403, 'FORBIDDEN'])
  })
})
