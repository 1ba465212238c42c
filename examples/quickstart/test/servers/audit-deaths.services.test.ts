import { expect, onTestFinished, test } from 'vitest'
import { withStores } from '../support/second-factors.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { startStoppingQuickstart } from '../support/stopping-quickstart.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

// A process that dies between the intention and the outcome leaves a decision of which it is not known whether it was made: the
// audit log says so.

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }'
const accounts = '{ accounts(first: 10) { id email role } }'
const entries = '{ auditEntries(kind: "role.changed") { nodes { state accountId actorId } } }'

async function readerOf(admin: Visitor): Promise<{ readonly id: string; readonly role: string }> {
  const { data } = await admin.ask(accounts)
  return data.accounts.find(({ email }: { email: string }) => email === 'reader@example.com')
}

async function adminOf(url: string): Promise<Visitor> {
  const admin = createVisitor(url)
  await admin.signIn('admin@example.com')
  return admin
}

type Stores = Parameters<Parameters<typeof withStores>[1]>[0]

const isIntended = async ({ audit }: Stores) => (await audit?.list({ kind: 'role.changed' }))?.items.length === 1
const isAuthor = async ({ accounts }: Stores) =>
  (await accounts.getByEmail('reader@example.com'))?.roles.includes('AUTHOR') === true

test.each([
  ['before the effect, which has not happened,', isIntended, 'READER'],
  ['after the effect, which has happened,', isAuthor, 'AUTHOR'],
])('a process that is killed %s leaves a decision that is shown as unknown', async (_when, isTrue, role) => {
  const stopping = await startStoppingQuickstart({})
  const { service } = stopping
  onTestFinished(() => service.kill())
  const admin = await adminOf(service.url)
  const { id } = await readerOf(admin)
  const ask = () => admin.ask(setRole, { input: { accountId: id, role: 'AUTHOR' } })
  const isDue = () => withStores({ DATA_DIR: service.dataDirectory }, isTrue)
  expect(await stopping.killWhen(isDue, ask)).toBeNull()

  const next = await startQuickstart({ DATA_DIR: service.dataDirectory }, nodeStart)
  onTestFinished(() => next.kill())
  const again = await adminOf(next.url)
  const { data } = await again.ask(entries)
  const admins = (await again.ask('{ viewer { id } }')).data.viewer.id
  expect(data.auditEntries.nodes).toEqual([{ state: 'unknown', accountId: id, actorId: admins }])
  expect((await readerOf(again)).role).toBe(role)
})
