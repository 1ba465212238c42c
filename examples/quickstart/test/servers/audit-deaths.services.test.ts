import { expect, onTestFinished, test } from 'vitest'
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

test.each([
  ['before the effect, which has not happened,', 1, 'READER'],
  ['after the effect, which has happened,', 2, 'AUTHOR'],
])('a process that is killed %s leaves a decision that is shown as unknown', async (_when, writes, role) => {
  const stopping = await startStoppingQuickstart({})
  const { service } = stopping
  onTestFinished(() => service.kill())
  const admin = await adminOf(service.url)
  const { id } = await readerOf(admin)
  const ask = () => admin.ask(setRole, { input: { accountId: id, role: 'AUTHOR' } })
  expect(await stopping.killAfter(writes, ask)).toBeNull()

  const next = await startQuickstart({ DATA_DIR: service.dataDirectory }, nodeStart)
  onTestFinished(() => next.kill())
  const again = await adminOf(next.url)
  const { data } = await again.ask(entries)
  const admins = (await again.ask('{ viewer { id } }')).data.viewer.id
  expect(data.auditEntries.nodes).toEqual([{ state: 'unknown', accountId: id, actorId: admins }])
  expect((await readerOf(again)).role).toBe(role)
})
