import { describeOutages, type KitOutages, type OutageCalls } from '@latchkey/store/testing'
import type { RoleDocument, RoleStore } from '../role-store.ts'

/** What the kit needs to test a store. */
export interface RoleStoreKit extends KitOutages<RoleStore> {
  /** `describe` of vitest, `node:test` or Jest. */
  readonly describe: (name: string, body: () => void) => unknown
  /** `test` of the same. */
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /**
   * Creates one client of the backend under test. It is called twice, when the first test runs. The kit replaces the
   * roles in it: use a database for tests.
   */
  readonly createStore: () => RoleStore | Promise<RoleStore>
}

interface Bench {
  readonly store: RoleStore
  /** Another client of the same backend. */
  readonly other: RoleStore
}

const callers = 20

/**
 * Describes the whole contract of `RoleStore` as tests of a runner: roles that are read as they were stored, and changes
 * of which one wins. It replaces what is stored.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryRoleStore } from '@latchkey/rbac'
 * import { describeRoleStore } from '@latchkey/rbac/testing'
 * const store = createMemoryRoleStore()
 * describeRoleStore({ describe, test, createStore: () => store })
 */
export function describeRoleStore({ describe, test, createStore, ...outages }: RoleStoreKit): void {
  let bench: Promise<Bench> | undefined
  const connect = async () => ({ store: await createStore(), other: await createStore() })
  const open = () => {
    bench ??= connect()
    return bench
  }
  describe('role store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(roleTests)) test(title, async () => body(await open()))
    })
    const clients = async (): Promise<readonly [RoleStore, RoleStore]> => {
      const { store, other } = await open()
      return [store, other]
    }
    const probe = (client: RoleStore) => client.read()
    describeOutages({ ...outages, describe, test, clients, prepare: prepareOutages, probe })
  })
}

/** Every method while the backend fails. */
async function prepareOutages(store: RoleStore, other: RoleStore): Promise<OutageCalls<RoleStore>> {
  await store.replace(await versionOf(store), { READER: {} })
  const before = await store.read()
  const version = before?.version ?? 0
  return {
    callsOf: (client) => ({ read: () => client.read(), replace: () => client.replace(version, { INTRUDER: {} }) }),
    changes: {
      replace: {
        call: () => store.replace(version, { INTRUDER: {} }),
        checkUndone: async () => same(await other.read(), before, 'the roles of the failed replace'),
      },
    },
  }
}

const roleTests: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'replaced roles are read by every client as they were given': async ({ store, other }) => {
    const version = await versionOf(store)
    const roles: RoleDocument = {
      READER: { permissions: ['notes:read', 'notes:*'] },
      EDITOR: { inherits: ['READER'], permissions: ['notes:update'] },
      'Prüfer 😀': {},
      constructor: { permissions: [] },
    }
    holds(await store.replace(version, roles), 'replace of the current version must be true')
    same(await store.read(), { version: version + 1, roles }, 'the roles, to the client that stored them')
    same(await other.read(), { version: version + 1, roles }, 'the roles, to another client')
  },

  'replace of another version changes nothing': async ({ store, other }) => {
    await store.replace(await versionOf(store), { READER: {} })
    const before = await store.read()
    const version = before?.version ?? 0
    for (const wrong of [0, version - 1, version + 1]) {
      if (wrong === version) continue
      holds(!(await other.replace(wrong, { INTRUDER: {} })), `replace of version ${wrong} must be false`)
    }
    same(await store.read(), before, 'the roles')
  },

  'no roles at all may be stored': async ({ store, other }) => {
    const version = await versionOf(store)
    holds(await store.replace(version, {}), 'replace by no roles must be true')
    same(await other.read(), { version: version + 1, roles: {} }, 'the roles')
  },

  'of parallel replaces of one version exactly one wins': async ({ store, other }) => {
    const version = await versionOf(store)
    const replace = (index: number) => (index % 2 ? other : store).replace(version, { [`ROLE_${index}`]: {} })
    const outcomes = await Promise.all(Array.from({ length: callers }, (_none, index) => replace(index)))
    const winners = outcomes.filter(Boolean).length
    holds(winners === 1, `of ${callers} callers exactly one must win, not ${winners}`)
    const roles = { [`ROLE_${outcomes.indexOf(true)}`]: {} }
    same(await other.read(), { version: version + 1, roles }, 'the roles, which are those of the winner')
  },

  'changing what was read or stored does not change the roles': async ({ store }) => {
    const version = await versionOf(store)
    const roles = { READER: { permissions: ['notes:read'] } }
    await store.replace(version, roles)
    roles.READER.permissions.push('notes:delete')
    const read = await store.read()
    if (read && !Object.isFrozen(read.roles)) Object.assign(read.roles, { INTRUDER: {} })
    same((await store.read())?.roles, { READER: { permissions: ['notes:read'] } }, 'the roles')
  },
}

async function versionOf(store: RoleStore): Promise<number> {
  return (await store.read())?.version ?? 0
}

function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule)
}

/** Throws unless both are the same data as JSON, with members in any order. */
function same(actual: unknown, expected: unknown, rule: string): void {
  const [left, right] = [describeData(actual), describeData(expected)]
  holds(left === right, `${rule}: expected ${right}, got ${left}`)
}

function describeData(data: unknown): string {
  const sorted = (_name: string, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? Object.entries(member).sort() : member
  return JSON.stringify(data, sorted) ?? 'undefined'
}
