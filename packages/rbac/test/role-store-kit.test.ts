import { createMemoryRoleStore, type RoleDocument, type RoleStore, type StoredRoles } from '@latchkey/rbac'
import { describeRoleStore } from '@latchkey/rbac/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryRoleStore()
  describeRoleStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Stores whatever it is given and hands out the very object. */
function createSharingStore(): RoleStore {
  let stored: StoredRoles | null = null
  return {
    read: async () => stored,
    async replace(version, roles) {
      if (version !== (stored?.version ?? 0)) return false
      stored = { version: version + 1, roles }
      return true
    },
  }
}

/** Reads, waits and writes. */
function createLosingStore(): RoleStore {
  let stored: StoredRoles | null = null
  return {
    read: async () => structuredClone(stored),
    async replace(version, roles) {
      const isCurrent = version === (stored?.version ?? 0)
      await turn()
      if (isCurrent) stored = { version: version + 1, roles: structuredClone(roles) }
      return isCurrent
    },
  }
}

function spoilt(spoil: (store: RoleStore) => Partial<RoleStore>): () => RoleStore {
  return () => {
    const store = createMemoryRoleStore()
    return { ...store, ...spoil(store) }
  }
}

const upperCase = (roles: RoleDocument): RoleDocument =>
  Object.fromEntries(Object.entries(roles).map(([name, role]) => [name.toUpperCase(), role]))

const brokenStores: readonly [mistake: string, fails: string, createStore: () => RoleStore][] = [
  [
    'names are folded',
    'replaced roles are read by every client as they were given',
    spoilt((store) => ({ replace: (version, roles) => store.replace(version, upperCase(roles)) })),
  ],
  [
    'the version is ignored',
    'replace of another version changes nothing',
    spoilt((store) => ({
      replace: async (_version, roles) => store.replace((await store.read())?.version ?? 0, roles),
    })),
  ],
  [
    'no roles are taken for nothing stored',
    'no roles at all may be stored',
    spoilt((store) => ({
      read: async () => {
        const stored = await store.read()
        return stored && Object.keys(stored.roles).length > 0 ? stored : null
      },
    })),
  ],
  ['two changes win', 'of parallel replaces of one version exactly one wins', createLosingStore],
  ['the stored object is handed out', 'changing what was read or stored does not change the roles', createSharingStore],
]

test.each(brokenStores)('the kit for role stores finds that %s', async (_mistake, fails, createStore) => {
  const store = createStore()
  expect(await failedTitles((runner) => describeRoleStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'role stores',
  describeKit: describeRoleStore,
  createStore: createMemoryRoleStore,
  reads: ['read'],
  changes: ['replace'],
})
