import { unknownAttempt } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBench, password, type SignedIn } from '../support/bench.ts'
import { createLateBody } from '../support/clients/late-body.ts'
import { type Delivery, ownPage } from '../support/visitor.ts'

/** Longer than what is sent at once may take, which is 250. */
const lateMs = 251
/** The clock by which a body is late, in milliseconds. */
let passedMs = 0
beforeEach(() => {
  passedMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => passedMs)
})
afterEach(() => void vi.restoreAllMocks())

const reads: string[] = []
let isDown = false
const bench = createBench({
  around: (name, call) => {
    if (/^(records|accounts)\./.test(name)) reads.push(name)
    if (isDown && name === 'accounts.get') throw new StoreError('STORE_UNAVAILABLE', 'down')
    return call()
  },
})
const note = { query: 'mutation { writeNote(text: "late") }' }

/** Sends an operation whose body is held back until what happens meanwhile has happened. */
async function sendLate(visitor: SignedIn, meanwhile: () => Promise<unknown>, afterMs = lateMs) {
  const body = createLateBody(JSON.stringify(note))
  const cookies = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = {
    ...ownPage,
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    ...(visitor.csrfToken !== null && { 'x-csrf-token': visitor.csrfToken }),
    ...(visitor.bearer === null ? { cookie: cookies } : { authorization: `Bearer ${visitor.bearer}` }),
  }
  const init = { method: 'POST', headers, body: body.stream, duplex: 'half' } as const
  const answering = bench.server.fetch(new Request('https://example.com/graphql', init))
  await Promise.race([body.asked, answering])
  await meanwhile()
  passedMs += afterMs
  body.send()
  const answer = await answering
  return { status: answer.status, text: await answer.text() }
}

async function signedIn(delivery: Delivery): Promise<SignedIn> {
  const account = await bench.insert({ roles: ['AUTHOR'] })
  const visitor = bench.visitor()
  const { data } = await visitor.signIn(account.email, password, delivery)
  const { accessToken, csrfToken } = data.signIn
  return Object.assign(visitor, { account, csrfToken, bearer: accessToken })
}

describe.each(['SESSION', 'TOKEN'] as const)('an operation by %s whose body arrives late', (delivery) => {
  test('is executed if the session is unchanged', async () => {
    const { status, text } = await sendLate(await signedIn(delivery), async () => undefined)
    expect([status, text]).toEqual([200, '{"data":{"writeNote":"late"}}'])
  })

  test('is refused if the session was revoked meanwhile', async () => {
    const visitor = await signedIn(delivery)
    const { status, text } = await sendLate(visitor, async () => {
      const accounts = await bench.server.accounts()
      await accounts.revokeAllSessions({ identity: { subject: visitor.account.id }, attempt: unknownAttempt })
    })
    expect([status, text.includes('late')]).toEqual([401, false])
  })

  test('is refused if the account was locked meanwhile', async () => {
    const visitor = await signedIn(delivery)
    const { status, text } = await sendLate(visitor, async () => {
      await (await bench.server.accounts()).lockAccount({ id: visitor.account.id, attempt: unknownAttempt })
    })
    expect([status, text.includes('late')]).toEqual([401, false])
  })

  test('is decided by the current role', async () => {
    const visitor = await signedIn(delivery)
    const { id } = visitor.account
    const { status } = await sendLate(visitor, async () => {
      const { epoch, status: state } = (await bench.stores.accounts.get(id)) ?? { epoch: 0, status: 'active' }
      await bench.stores.accounts.replace(id, { epoch, status: state }, { roles: ['READER'] })
    })
    expect(status).toBe(403)
  })

  test('is answered 503 while the store cannot identify its sender', async () => {
    const visitor = await signedIn(delivery)
    const { status, text } = await sendLate(visitor, async () => {
      isDown = true
    }).finally(() => {
      isDown = false
    })
    expect([status, text.includes('SERVICE_UNAVAILABLE')]).toEqual([503, true])
  })
})

test('an operation reads its identity once if its body arrives within 250 ms, and again if it arrives later', async () => {
  const visitor = await signedIn('SESSION')
  const readsOf = async (): Promise<number> => {
    reads.length = 0
    expect((await visitor.ask(note.query, {}, ownPage)).status).toBe(200)
    return reads.length
  }
  const fast = await readsOf()
  reads.length = 0
  expect((await sendLate(visitor, async () => undefined)).status).toBe(200)
  const late = reads.length
  reads.length = 0
  expect((await sendLate(visitor, async () => undefined, 250)).status).toBe(200)
  // The record and the account.
  expect([fast, late, reads.length]).toEqual([2, 4, 2])
})
