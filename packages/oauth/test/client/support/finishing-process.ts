// A process of a service: finishes the callbacks that its parent sends, over the store of its parent.
import { createOAuthClient, providers } from '@latchkey/oauth/client'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import type { FromProcess, ToProcess } from './processes.ts'

const waiting = new Map<number, (isInserted: boolean) => void>()
let calls = 0

const send = (message: FromProcess): void => void process.send?.(message)

/** What a callback needs of the store is one atomic call. */
const records: RecordStore = {
  ...createMemoryRecordStore(),
  insert: (record: NewRecord) =>
    new Promise((resolve) => {
      const id = calls++
      waiting.set(id, resolve)
      send({ kind: 'insert', id, record })
    }),
}

async function finish({ issuer, redirectUri, secret, url, cookie, count }: Extract<ToProcess, { kind: 'finish' }>) {
  const client = createOAuthClient({
    provider: providers.openid({ issuer }),
    clientId: 'client',
    clientSecret: 'secret-of-client',
    redirectUri,
    records,
    secrets: [{ id: 'a', bytes: Buffer.from(secret, 'base64url') }],
    timeoutMs: 30_000,
    onEvent: () => {},
  })
  const verdicts = await Promise.all(Array.from({ length: count }, () => client.finish(url, cookie)))
  send({ kind: 'finished', outcomes: verdicts.map((verdict) => (verdict.ok ? 'ok' : verdict.reason)) })
}

process.on('message', (message: ToProcess) => {
  if (message.kind === 'inserted') waiting.get(message.id)?.(message.isInserted)
  else void finish(message)
})
send({ kind: 'ready' })
