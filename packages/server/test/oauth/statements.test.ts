import { randomBytes } from '@latchkey/bytes'
import { createClientRegistry } from '@latchkey/oauth/server'
import { onTestFinished, test } from 'vitest'
import { answerTo, createAskingBench, decide, open, reader, requestPath } from '../support/clients/asking.ts'
import { openCountedStores } from '../support/counted-statements.ts'
import { createPkcePair } from '@latchkey/oauth'

test('count', async () => {
  const { stores, clock, statementsOf } = await openCountedStores()
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const bench = createAskingBench({ beside: { stores, secrets, clock, outbox: [] } })
  onTestFinished(() => bench.server.close())
  const registry = createClientRegistry({ documents: stores.documents })
  for (const kind of ['fixed', 'stored']) {
    const visitor = await bench.signedIn()
    let client_id = reader.id
    if (kind === 'stored') client_id = (await registry.create({ ...reader, id: 'stored' })).client.id
    const { verifier, challenge } = createPkcePair()
    const path = requestPath({ client_id, code_challenge: challenge, scope: 'openid offline_access notes:write' })
    const show = (name: string, list: readonly string[]) => console.log(kind, name, list.length, '\n' + list.map((one) => '   ' + one.slice(0, 150)).join('\n'))
    let page: any
    show('authorize+consent page', await statementsOf(async () => { page = await open(visitor, path) }))
    let answer: any
    show('POST /consent', await statementsOf(async () => { answer = await decide(visitor, page, 'allow') }))
    const { code = '' } = answerTo(answer)
    const form = { grant_type: 'authorization_code', client_id, redirect_uri: reader.redirectUris![0]!, code, code_verifier: verifier }
    let tokens: any
    show('exchange', await statementsOf(async () => { tokens = JSON.parse((await bench.visitor().post('/token', form)).text) }))
    show('refresh', await statementsOf(async () => { tokens = JSON.parse((await bench.visitor().post('/token', { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token })).text) }))
    console.log(tokens)
  }
})
