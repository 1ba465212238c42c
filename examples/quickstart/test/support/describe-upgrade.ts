import type { Server, ServerStores } from '@latchkey/server'
import { storedVersion } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Answer, ask, createUpgraded, firstCredentials, redeem } from './first-database.ts'

/** A database that the first version has filled, of which each call opens a client. */
export type OpenFirst = (now: () => number) => Promise<() => ServerStores>

const { at, session, accessToken, refreshToken } = firstCredentials

/** Describes that an upgrade of such a database signs no one out, and answers every request meanwhile. */
export function describeUpgrade(openFirst: OpenFirst): void {
  const begin = async () => {
    let time: number = at
    const now = () => time
    const connect = await openFirst(now)
    const pass = (milliseconds: number) => {
      time += milliseconds
    }
    return { connect, now, pass }
  }

  describe('a database of the first version', () => {
    test('is migrated, and every credential that was valid is valid', async () => {
      const { connect, now, pass } = await begin()
      const server = createUpgraded(connect(), now)
      await server.open({ migrate: true })
      expect(await ask(server, '{ hello }', { cookie: session })).toEqual({ status: 200, data: { hello: 'hello' } })
      expect(await ask(server, '{ hello }', { bearer: accessToken })).toEqual({ status: 200, data: { hello: 'hello' } })
      const first = await redeem(server, refreshToken)
      expect(first.status).toBe(200)
      expect(await redeem(server, refreshToken)).toMatchObject({ data: { refresh: { refreshToken: next(first) } } })
      pass(60_000)
      expect((await redeem(server, next(first))).status).toBe(200)
      expect((await ask(server, '{ viewer { name } sessions { id } }', { cookie: session })).data).toMatchObject({
        viewer: { name: 'Ada Author' },
      })
      await server.close()
    })

    test('holds values that the release before reads, until the upgrade is finished', async () => {
      const { connect, now } = await begin()
      const stores = connect()
      const server = createUpgraded(stores, now)
      await server.open({ migrate: true })
      const { keys } = await valuesAfterSignIn(server, stores)
      expect(keys).not.toContain('v')
      await server.close()

      const finished = connect()
      await finished.versions?.raise(storedVersion)
      const later = createUpgraded(finished, now)
      await later.open()
      expect((await valuesAfterSignIn(later, finished)).keys[0]).toBe('v')
      await later.close()
    })

    test('serves processes of both versions under load: no outage, and no session ends', async () => {
      const { connect, now, pass } = await begin()
      const older = createUpgraded(connect(), now)
      await older.open({ migrate: true })
      const stores = connect()
      await stores.versions?.raise(storedVersion)
      const newer = createUpgraded(stores, now)
      await newer.open()
      const answers: Answer[] = []
      let token: string = refreshToken
      for (let round = 0; round < 20; round++) {
        pass(1000)
        const rotated = await redeem(round % 2 ? newer : older, token)
        token = next(rotated)
        const all = [older, newer].flatMap((server) => [
          ask(server, '{ hello }', { cookie: session }),
          ask(server, '{ hello }', { bearer: rotated.data?.refresh.accessToken }),
          redeem(server, token),
        ])
        answers.push(rotated, ...(await Promise.all(all)))
        token = next(answers.at(-1))
      }
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(answers).toHaveLength(140)
      await Promise.all([older.close(), newer.close()])
    })
  })
}

function next(answer: Answer | undefined): string {
  return answer?.data?.refresh.refreshToken
}

/** The names of the members of a session that a server has just written. */
async function valuesAfterSignIn(
  server: Server,
  { records, accounts }: ServerStores,
): Promise<{ readonly keys: readonly string[] }> {
  const input = 'email: "other@example.com", password: "otters read quietly at dawn"'
  const { status } = await ask(server, `mutation { signIn(input: { ${input} }) { status } }`)
  expect(status).toBe(200)
  const account = await accounts.getByEmail('other@example.com')
  const { items } = await records.listByOwner(account?.id ?? '')
  const [newest] = items
    .filter(({ key }) => key.startsWith('se_'))
    .sort((one, other) => other.expiresAt - one.expiresAt)
  await records.remove(newest?.key ?? '')
  return { keys: Object.keys(JSON.parse(newest?.value ?? '{}')) }
}
