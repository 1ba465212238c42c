import { createHash } from 'node:crypto'
import { createRedisStores } from '@latchkey/redis'
import { beforeAll, expect, test } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

interface Sent {
  readonly digest: string
  readonly key: string
}

/** A server that knows the scripts whose text it was sent, and their texts by digest. */
function createServer() {
  const texts = new Map<string, string>()
  const sent: Sent[] = []
  const record = ['done', String(Date.now()), null, '1', String(Date.now() + 60_000), 'value']
  const client = {
    async eval(text: string) {
      texts.set(createHash('sha1').update(text).digest('hex'), text)
      return text.includes('INFO') ? ['done', String(Date.now()), ''] : record
    },
    async evalsha(digest: string, _keys: number, key: string) {
      sent.push({ digest, key })
      if (!texts.has(digest)) throw new Error('NOSCRIPT No matching script. Please use EVAL.')
      return record
    },
  }
  return { texts, sent, client }
}

interface NodeRedisCall {
  readonly keys: string[]
  readonly arguments: string[]
}

test('a script is sent as a text once, and from then on by its SHA-1 digest', async () => {
  const { texts, sent, client } = createServer()
  const { records } = createRedisStores({ client })
  for (let time = 0; time < 3; time++) expect(await records.get('se_1')).toMatchObject({ value: 'value' })
  expect(texts.size).toBe(1)
  expect(new Set(sent.map(({ digest }) => digest))).toEqual(new Set(texts.keys()))
  expect(sent).toHaveLength(3)
})

test('every key has the prefix, also the key of check()', async () => {
  const { sent, client } = createServer()
  const { records, counters, check } = createRedisStores({ client, prefix: 'app:' })
  await records.get('se_1')
  await counters.hit('sign-in', 1000)
  await check()
  expect(sent.map(({ key }) => key)).toEqual(['app:record:se_1', 'app:counter:sign-in', 'app:check'])
})

test('an error of the server that is not about an unknown script is an outage, and the script is not sent again', async () => {
  const { texts, client } = createServer()
  const evalsha = async () => {
    throw new Error('ERR the error mentions NOSCRIPT')
  }
  const { records } = createRedisStores({ client: { ...client, evalsha } })
  await expect(records.get('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(texts.size).toBe(0)
})

test('a client of node-redis is sent one key and its arguments, by digest and with the text', async () => {
  const calls: [name: string, script: string, call: NodeRedisCall][] = []
  const record = { key: 'se_1', owner: null, expiresAt: Date.now() + 60_000, value: 'a value' }
  const { records } = createRedisStores({
    client: {
      async eval(text: string, call: NodeRedisCall) {
        calls.push(['eval', createHash('sha1').update(text).digest('hex'), call])
        return ['done', String(Date.now()), '1']
      },
      async evalSha(digest: string, call: NodeRedisCall) {
        calls.push(['evalSha', digest, call])
        throw new Error('NOSCRIPT No matching script. Please use EVAL.')
      },
    },
  })
  expect(await records.insert(record)).toBe(true)
  const [[first, digest, call] = [], second] = calls
  expect(first).toBe('evalSha')
  expect(call).toEqual({
    keys: ['latchkey:record:se_1'],
    arguments: [expect.stringMatching(/^\d+$/), '', String(record.expiresAt), 'a value'],
  })
  expect(second).toEqual(['eval', digest, call])
  expect(calls).toHaveLength(2)
})
