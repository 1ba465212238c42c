import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { ownForm } from '../support/forms.ts'
import { copyOf, createVisitor, outcomeOf, ownPage } from '../support/visitor.ts'
import { createOAuthBench, desk, ended, lives } from './support/oauth-bench.ts'

const list = '{ grants { id clientId clientName scopes createdAt lastUsedAt } }'
const revoke = 'mutation ($id: ID!) { revokeGrant(id: $id) }'
const sessions = '{ sessions { id kind current clientId clientName } }'

describe('a consent to a client', () => {
  test('is listed with its latest use', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    const other = await bench.signedIn()
    await bench.give(owner, { client: desk, scope: 'openid' })
    bench.advance(60)
    await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    expect((await owner.ask(list)).data.grants).toEqual([
      {
        id: expect.stringMatching(/^gr_/),
        clientId: 'desk',
        clientName: 'Desk',
        scopes: ['openid', 'offline_access'],
        createdAt: new Date(1_800_000_000_000).toISOString(),
        lastUsedAt: new Date(bench.clock.time).toISOString(),
      },
    ])
    expect((await other.ask(list)).data.grants).toEqual([])
    const listed = (await owner.ask(sessions)).data.sessions
    expect(listed).toHaveLength(3)
    expect(listed).toContainEqual({
      id: expect.stringMatching(/^se_/),
      kind: 'session',
      current: true,
      clientId: null,
      clientName: null,
    })
    expect(listed).toContainEqual({
      id: expect.stringMatching(/^rt_/),
      kind: 'refresh',
      current: false,
      clientId: 'desk',
      clientName: 'Desk',
    })
  })

  test('is revoked once, with all tokens that were issued by it', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    const given = await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    const other = await bench.give(owner, { scope: 'openid' })
    const [{ id }] = (await owner.ask(list)).data.grants.filter(
      ({ clientId }: { clientId: string }) => clientId === 'desk',
    )
    const answers = await Promise.all([1, 2, 3].map(() => owner.ask(revoke, { id }, ownPage)))
    expect(answers.map(({ data }) => data.revokeGrant).sort()).toEqual([false, false, true])
    expect(await bench.livesAt(given.access_token)).toEqual(ended)
    expect((await bench.bearing(other.access_token).ask('{ viewer { id } }')).status).toBe(200)
    expect((await owner.ask(list)).data.grants).toMatchObject([{ clientId: 'spa' }])
    const clients = (await owner.ask(sessions)).data.sessions.map(({ clientId }: { clientId: string }) => clientId)
    expect(clients.sort()).toEqual([null, 'spa'].sort())
    const stored = await (await bench.server.accounts()).listSessions(owner.account.id)
    expect(stored.map(({ clientId }) => clientId).sort()).toEqual([null, 'spa'].sort())
  })

  test('is not listed among the sessions after it was removed in another way', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    await bench.stores.documents.removeByOwner(owner.account.id)
    expect((await owner.ask(sessions)).data.sessions).toMatchObject([{ clientId: null, current: true }])
  })

  const offline = { client: desk, scope: 'openid offline_access' } as const

  /** The owner of a consent to the desk, with stores whose next call of a name does something else, once. */
  async function openOnce() {
    const next = new Map<string, (run: () => Promise<unknown>) => Promise<unknown>>()
    const bench = createOAuthBench({
      around(call, run) {
        const deed = next.get(call)
        next.delete(call)
        return deed ? deed(run) : run()
      },
    })
    const owner = await bench.signedIn()
    const given = await bench.give(owner, offline)
    const [{ id }] = (await owner.ask(list)).data.grants
    return { bench, owner, given, withdraw: () => owner.ask(revoke, { id }, ownPage), next }
  }

  test('a consent that is given again while the first one is withdrawn keeps its tokens', async () => {
    const { bench, owner, given, withdraw, next } = await openOnce()
    let again = given
    next.set('documents.remove', async (run) => {
      const removed = await run()
      again = await bench.give(owner, offline)
      return removed
    })
    expect((await withdraw()).data).toEqual({ revokeGrant: true })
    expect(await bench.livesAt(given.access_token)).toEqual(ended)
    expect(await bench.livesAt(again.access_token)).toEqual(lives)
  })

  test('a consent that is given again does not list a session of the withdrawn one that a store has kept', async () => {
    const { bench, owner, withdraw, next } = await openOnce()
    next.set('records.remove', () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')))
    expect((await withdraw()).data).toEqual({ revokeGrant: true })
    await bench.give(owner, offline)
    const { data } = await owner.ask(sessions)
    expect(data.sessions.filter(({ clientId }: { clientId: string }) => clientId === 'desk')).toHaveLength(1)
  })

  test('a consent whose withdrawal has lost its answer is withdrawn again, with its sessions', async () => {
    const { bench, owner, withdraw, next } = await openOnce()
    next.set('documents.remove', async (run) => {
      await run()
      throw new StoreError('STORE_UNAVAILABLE', 'down')
    })
    expect((await withdraw()).status).toBe(503)
    expect((await withdraw()).data).toEqual({ revokeGrant: false })
    const stored = await (await bench.server.accounts()).listSessions(owner.account.id)
    expect(stored.map(({ clientId }) => clientId)).toEqual([null])
  })

  test('cannot be revoked by another account', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    const stranger = await bench.signedIn('ADMIN')
    const given = await bench.give(owner, { client: desk })
    const [{ id }] = (await owner.ask(list)).data.grants
    expect((await stranger.ask(revoke, { id }, ownPage)).data).toEqual({ revokeGrant: false })
    expect(outcomeOf(await bench.visitor().ask(list))).toEqual([401, 'UNAUTHENTICATED'])
    expect(await bench.livesAt(given.access_token)).toEqual(lives)
  })

  test('is unknown in an outage of its store, which signs out no user', async () => {
    let isDown = false
    const bench = createOAuthBench({
      around: async (name, call) => {
        if (isDown && name.startsWith('documents.'))
          throw Object.assign(new Error('down'), { code: 'STORE_UNAVAILABLE' })
        return call()
      },
    })
    const owner = await bench.signedIn()
    const { access_token: token } = await bench.give(owner, { client: desk })
    isDown = true
    expect((await bench.bearing(token).ask('{ viewer { id } }')).status).toBe(503)
    expect((await owner.ask(list)).status).toBe(503)
    expect((await bench.bearing(token).get('/userinfo')).status).toBe(503)
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    isDown = false
    expect(await bench.livesAt(token)).toEqual(lives)
  })

  test('is audited before and after, with events', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    await bench.give(owner, { client: desk })
    const [{ id }] = (await owner.ask(list)).data.grants
    await owner.ask(revoke, { id }, ownPage)
    const admin = await bench.signedIn('ADMIN')
    const { nodes } = (await admin.ask('{ auditEntries { nodes { kind state accountId actorId } } }')).data.auditEntries
    const about = { state: 'done', accountId: owner.account.id, actorId: owner.account.id }
    expect(nodes.filter(({ kind }: { kind: string }) => kind.startsWith('grant.'))).toEqual([
      { kind: 'grant.revoked', ...about },
      { kind: 'grant.given', ...about },
    ])
    const said = bench.events.filter(({ type }) => type.startsWith('grant.'))
    expect(said).toMatchObject([
      { type: 'grant.given', clientId: 'desk', accountId: owner.account.id, grantId: id },
      { type: 'grant.revoked', clientId: 'desk', accountId: owner.account.id, grantId: id },
    ])
  })

  test('is audited with its origin, and its events have the address', async () => {
    const bench = createOAuthBench()
    const fetch = (request: Request) => bench.server.fetch(request, { peerAddress: '203.0.113.7' })
    const owner = copyOf(await bench.signedIn(), createVisitor({ fetch }))
    owner.headers = { 'user-agent': 'Firefox' }
    for (const withdraw of [
      (id: string) => owner.ask(revoke, { id }, ownPage),
      (id: string) => owner.post('/account/applications/revoke', { id }, ownForm),
    ]) {
      await bench.give(owner, { client: desk })
      const [{ id }] = (await owner.ask(list)).data.grants
      await withdraw(id)
    }
    const admin = await bench.signedIn('ADMIN')
    const asked = '{ auditEntries { nodes { kind address userAgent requestId } } }'
    const { nodes } = (await admin.ask(asked)).data.auditEntries
    const from = { address: '203.0.113.7', userAgent: 'Firefox', requestId: expect.stringMatching(/./) }
    const kinds = ['grant.revoked', 'grant.given', 'grant.revoked', 'grant.given']
    const written = nodes.filter(({ kind }: { kind: string }) => kind.startsWith('grant.'))
    expect(written).toEqual(kinds.map((kind) => ({ kind, ...from })))
    const said = bench.events.filter(({ type }) => type.startsWith('grant.'))
    expect(said.map((event) => [event.type, 'address' in event && event.address])).toEqual(
      kinds.toReversed().map((kind) => [kind, '203.0.113.7']),
    )
  })

  test('is given only once it is in the audit log', async () => {
    let isDown = false
    const bench = createOAuthBench({
      around: async (name, call) => {
        if (isDown && name === 'audit.append') throw Object.assign(new Error('down'), { code: 'STORE_UNAVAILABLE' })
        return call()
      },
    })
    const owner = await bench.signedIn()
    isDown = true
    await expect(bench.giveCode(owner, { client: desk })).rejects.toThrow('no code')
    isDown = false
    expect((await owner.ask(list)).data.grants).toEqual([])
  })
})

test('a service without clients has neither the list nor the names', async () => {
  const owner = await createBench().signedIn()
  expect((await owner.ask('{ grants { id } }')).status).toBe(400)
  expect((await owner.ask('{ sessions { clientName } }')).status).toBe(400)
})
