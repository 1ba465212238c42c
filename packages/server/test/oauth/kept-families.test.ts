import type { StoredIdentity } from '@latchkey/accounts'
import { createPkcePair } from '@latchkey/oauth'
import type { ServerStores } from '@latchkey/server'
import { type Broadcast, createMemoryBroadcast } from '@latchkey/store'
import { expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { answerTo, callback, createAskingBench, decide, open, reader, requestPath } from '../support/clients/asking.ts'

/** Two processes on the same stores; the second one hears nothing (yet): a message that is late or lost. */
async function twoProcesses() {
  const bench = createBench()
  const { records, accounts, documents } = bench.stores
  const read = async (key: string, ids: readonly string[] = []): Promise<StoredIdentity | null> => {
    const record = await records.get(key)
    const account = record?.owner ? await accounts.get(record.owner) : null
    const denials = await Promise.all(ids.map((id) => documents.get('denials', id)))
    return record && account ? { record, account, isDenied: denials.some((denial) => denial !== null) } : null
  }
  const stores: ServerStores = { ...bench.stores, accounts: { ...accounts, identities: { records, documents, read } } }
  const loud = createMemoryBroadcast()
  const deaf: Broadcast = {
    ...loud,
    async listen() {
      const never = new Promise<IteratorResult<string>>(() => undefined)
      const iterator = {
        next: () => never,
        return: async () => ({ done: true as const, value: undefined }),
        [Symbol.asyncIterator]: () => iterator,
      }
      return iterator as never
    },
  }
  const [a, b] = [loud, deaf].map((broadcast) =>
    createAskingBench({
      beside: { ...bench, stores },
      options: { stores, sessions: { cache: { maxStalenessSeconds: 60, broadcast } } },
    }),
  ) as [ReturnType<typeof createAskingBench>, ReturnType<typeof createAskingBench>]
  onTestFinished(async () => void (await Promise.all([a.server.close(), b.server.close()])))
  await a.server.open()
  await b.server.open()
  await new Promise((resolve) => setImmediate(resolve))
  const visitor = await a.signedIn()
  const { verifier, challenge } = createPkcePair()
  const page = await open(visitor, requestPath({ code_challenge: challenge, scope: 'openid offline_access' }))
  const { code = '' } = answerTo(await decide(visitor, page, 'allow'))
  const token = async (process: typeof a, form: Record<string, string>) => {
    const answer = await process.visitor().post('/token', { client_id: reader.id, ...form })
    return { status: answer.status, ...JSON.parse(answer.text) }
  }
  const first = await token(a, {
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code,
    code_verifier: verifier,
  })
  expect(first.status).toBe(200)
  const refresh = (process: typeof a, refresh_token: string) =>
    token(process, { grant_type: 'refresh_token', refresh_token })
  const userinfo = (process: typeof a, text: string) =>
    process.visitor().get('/userinfo', { authorization: `Bearer ${text}` })
  return { a, b, first, refresh, userinfo, visitor }
}

test('the newest refresh token is accepted by a process whose identity cache has kept the family', async () => {
  const { a, b, first, refresh, userinfo } = await twoProcesses()
  expect((await userinfo(b, first.access_token)).status).toBe(200)
  const second = await refresh(a, first.refresh_token)
  expect(second.status).toBe(200)
  const third = await refresh(b, second.refresh_token)
  const after = await refresh(a, third.refresh_token ?? second.refresh_token)
  expect([third.status, after.status]).toEqual([200, 200])
})

test('a revoked family gets no access token in a process whose identity cache has kept it', async () => {
  const { a, b, first, refresh, userinfo } = await twoProcesses()
  const second = await refresh(a, first.refresh_token)
  expect((await userinfo(b, second.access_token)).status).toBe(200)
  const revoked = await a.visitor().post('/revoke', { client_id: reader.id, token: second.refresh_token })
  expect(revoked.status).toBe(200)
  expect((await refresh(a, first.refresh_token)).status).toBe(400)
  const minted = await refresh(b, first.refresh_token)
  expect(minted.status).toBe(400)
})
