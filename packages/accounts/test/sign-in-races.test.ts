import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { accountOf, type Bench, createBench, email, invalidCredentials, newPassword, password } from './bench.ts'
import { createGate, delay } from './stores/test-stores.ts'

const input = { email, password } as const
const deliveries = ['session', 'token'] as const

describe.each(deliveries)('a sign-in under way (%s)', (delivery) => {
  // Whether the old password signs in after the change: then a sign-in that began late enough is a new one.
  const changes: [what: string, lets: boolean, change: (bench: Bench, id: string) => Promise<unknown>][] = [
    [
      'a reset',
      false,
      async ({ accounts, mailedToken }) => {
        await accounts.requestPasswordReset({ email })
        await accountOf(accounts.resetPassword({ token: await mailedToken(), newPassword }))
      },
    ],
    ['a change of roles', true, ({ accounts }, id) => accounts.setRoles({ id, roles: ['AUTHOR'] })],
    ['a disabling', false, ({ accounts }, id) => accounts.disable({ id })],
    ['a removal', false, ({ store }, id) => store.remove(id)],
    [
      'an end of all sessions',
      true,
      ({ accounts }, id) => accounts.revokeAllSessions({ identity: { subject: id }, exceptCurrent: false }),
    ],
  ]

  test.each(changes)('is refused when %s comes between password and session', async (_what, _lets, change) => {
    const verified = createGate()
    const changed = createGate()
    let inserts = 0
    const bench = createBench({
      aroundRecords: async (method, run) => {
        if (method === 'insert' && inserts++ === 0) {
          verified.open()
          await changed.passed
        }
        return run()
      },
    })
    const { id } = await bench.insert()
    const attempt = bench.accounts.signIn({ ...input, delivery })
    await verified.passed
    await change(bench, id)
    changed.open()
    expect(await attempt).toEqual(invalidCredentials)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: 'account-changed' })
  })

  test.each(changes)(
    'a sign-in during %s opens no session with the former state, in either order',
    async (_what, lets, change) => {
      for (let round = 0; round < 15; round++) {
        const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
        const { id } = await bench.insert()
        const [result] = await Promise.all([bench.accounts.signIn({ ...input, delivery }), change(bench, id)])
        const identity = result.ok && result.status === 'signed-in' ? await identify(bench, result) : null
        if (lets && identity) expect(identity.epoch).toBe(1)
        else expect(identity).toBeNull()
      }
    },
  )

  test('removes what it stored when the account cannot be read again', async () => {
    let reads = 0
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'get' && reads++ === 0) throw new Error('down')
        return run()
      },
    })
    const { id } = await bench.insert()
    await expect(bench.accounts.signIn({ ...input, delivery })).rejects.toThrow('down')
    expect(await bench.sessions.list(id)).toEqual([])
  })
})

async function identify({ accounts, sessions, verify }: Bench, { credentials }: SignInSuccess) {
  if (credentials.delivery === 'session') return accounts.identifySession(await sessions.read(credentials.credential))
  return accounts.identifyToken(await verify(credentials.accessToken))
}
