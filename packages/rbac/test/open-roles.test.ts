import { definePolicy, type OpenRoles, openRoles, type RbacError } from '@latchkey/rbac'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { readRoles, watchReads as watch, writeRoles } from './roles-in-documents.ts'

const createPolicy = () =>
  definePolicy({
    permissions: ['notes:read', 'notes:delete'],
    roles: { READER: { permissions: ['notes:read'] } },
  })

let clock = 0
let documents: DocumentStore
let refused: RbacError[]
beforeEach(() => {
  clock = 1_000_000
  documents = createMemoryDocumentStore()
  refused = []
})

/** One process of several on the same store. */
async function startProcess(maxStalenessSeconds = 5, from = documents) {
  const policy = createPolicy()
  const onRefused = (error: RbacError) => refused.push(error)
  const roles = await openRoles({ policy, documents: from, maxStalenessSeconds, onRefused, now: () => clock })
  const may = async (role: string, permission: 'notes:read' | 'notes:delete' = 'notes:delete') =>
    policy.can(await roles.identify({ subject: 'acc_1', roles: [role] }), permission)
  return { policy, roles, may }
}
const codeOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => (error as RbacError).code)
const moderator = { inherits: ['READER'], permissions: ['notes:delete'] } as const

describe('a role that is set', () => {
  test('is written in the version of stored values that all processes know, until it is raised', async () => {
    let version = 1
    const options = {
      policy: createPolicy(),
      documents,
      onRefused: () => expect.unreachable(),
      storedVersion: () => version,
    }
    const roles = await openRoles(options)
    const versionOf = async () => JSON.parse((await documents.get('roles', 'current'))?.value ?? '{}').v
    await roles.set('MODERATOR', moderator)
    expect(await versionOf()).toBe(1)
    version = 2
    await roles.remove('MODERATOR')
    expect(await versionOf()).toBe(2)
  })

  test('is active at once in the process that set it, and its removal too', async () => {
    const { roles, may, policy } = await startProcess()
    const held = policy.identify({ subject: 'acc_1', roles: ['MODERATOR'] })
    await roles.set('MODERATOR', moderator)
    expect([await may('MODERATOR'), policy.can(held, 'notes:delete')]).toEqual([true, true])
    expect(await roles.remove('MODERATOR')).toBe(true)
    expect([await may('MODERATOR'), policy.can(held, 'notes:delete')]).toEqual([false, false])
    expect(await roles.remove('MODERATOR')).toBe(false)
  })

  test('is active again after a restart', async () => {
    await (await startProcess()).roles.set('MODERATOR', moderator)
    expect(await (await startProcess()).may('MODERATOR')).toBe(true)
    expect(await readRoles(documents)).toEqual({ revision: 1, roles: { MODERATOR: moderator } })
  })

  test('is not undone by an earlier read', async () => {
    const { seen, watched } = watch(documents)
    const here = await startProcess(5, watched)
    const gate = Promise.withResolvers<void>()
    clock += 5_000
    seen.hold = gate.promise
    const early = here.may('READER')
    await expect.poll(() => seen.reads).toBe(2)
    seen.hold = null
    await here.roles.set('MODERATOR', moderator)
    gate.resolve()
    await early
    expect(await here.may('MODERATOR')).toBe(true)
  })

  test('keeps what others have set in the meantime', async () => {
    const [here, there] = [await startProcess(), await startProcess()]
    await Promise.all([
      ...['A', 'B', 'C'].map((role) => here.roles.set(role, moderator)),
      ...['D', 'E'].map((role) => there.roles.set(role, moderator)),
    ])
    expect(Object.keys((await readRoles(documents))?.roles ?? {}).sort()).toEqual(['A', 'B', 'C', 'D', 'E'])
  })

  test.each<[string, string, unknown]>([
    ['an unknown permission', 'A', { permissions: ['notes:raed'] }],
    ['itself', 'A', { inherits: ['A'] }],
    ['a role that is not there', 'A', { inherits: ['NOBODY'] }],
    ['nothing that is a role', 'A', 'notes:read'],
    ['a circle with what is stored', 'READER', { inherits: ['MODERATOR'] }],
  ])('is refused for %s, and neither the store nor the policy changes', async (_what, role, definition) => {
    const { roles, may } = await startProcess()
    await roles.set('MODERATOR', moderator)
    const before = await readRoles(documents)
    expect(await codeOf(roles.set(role, definition as never))).toBe('RBAC_ROLES_INVALID')
    expect(await readRoles(documents)).toEqual(before)
    expect([await may('MODERATOR'), await may(role)]).toEqual([true, false])
  })

  test('is not removed while another role inherits it', async () => {
    const { roles, may } = await startProcess()
    await roles.set('BASE', { permissions: ['notes:delete'] })
    await roles.set('MODERATOR', { inherits: ['BASE'] })
    expect(await codeOf(roles.remove('BASE'))).toBe('RBAC_ROLES_INVALID')
    expect(await may('MODERATOR')).toBe(true)
  })

  test('rejects without storing a role if other processes are always faster', async () => {
    const losing = { ...documents, insert: async () => false }
    const { roles, may } = await startProcess(0, losing)
    expect(await codeOf(roles.set('MODERATOR', moderator))).toBe('RBAC_ROLES_UNAVAILABLE')
    expect([await readRoles(documents), await may('MODERATOR')]).toEqual([null, false])
  })
})

describe('a change in another process', () => {
  test('is active within maxStalenessSeconds, and not read earlier', async () => {
    const { seen, watched } = watch(documents)
    const [here, there] = [await startProcess(5, watched), await startProcess()]
    await there.roles.set('MODERATOR', moderator)
    clock += 4_999
    expect([await here.may('MODERATOR'), seen.reads]).toEqual([false, 1])
    clock += 1
    expect([await here.may('MODERATOR'), seen.reads]).toEqual([true, 2])
    await there.roles.remove('MODERATOR')
    clock += 5_000
    expect(await here.may('MODERATOR')).toBe(false)
  })

  test('is active at once with a bound of 0', async () => {
    const [here, there] = [await startProcess(0), await startProcess()]
    expect(await here.may('MODERATOR')).toBe(false)
    await there.roles.set('MODERATOR', moderator)
    expect(await here.may('MODERATOR')).toBe(true)
    await there.roles.remove('MODERATOR')
    expect(await here.may('MODERATOR')).toBe(false)
  })

  test('is seen by every caller with a bound of 0: no call gets a read that started before it', async () => {
    const { seen, watched } = watch(documents)
    const here = await startProcess(0, watched)
    const gate = Promise.withResolvers<void>()
    seen.hold = gate.promise
    const early = here.may('MODERATOR')
    await expect.poll(() => seen.reads).toBe(2)
    await writeRoles(documents, 1, { MODERATOR: moderator })
    const late = Array.from({ length: 50 }, () => here.may('MODERATOR'))
    gate.resolve()
    await early
    expect(await Promise.all(late)).toEqual(Array(50).fill(true))
    expect(seen.reads).toBe(3)
  })

  /** The store, which announces that a change is stored only once the gate is open. */
  const confirmedAfter = (gate: Promise<void>): DocumentStore => ({
    ...documents,
    async insert(document) {
      const isStored = await documents.insert(document)
      await gate
      return isStored
    },
  })

  test('is not undone by a change that was confirmed late', async () => {
    const gate = Promise.withResolvers<void>()
    const here = await startProcess(0, confirmedAfter(gate.promise))
    const elsewhere = await startProcess()
    const setting = here.roles.set('MODERATOR', moderator)
    await expect.poll(async () => (await readRoles(documents))?.revision).toBe(1)
    await elsewhere.roles.remove('MODERATOR')
    const identity = await here.roles.identify({ subject: 'acc_1', roles: ['MODERATOR'] })
    gate.resolve()
    await setting
    expect(here.policy.can(identity, 'notes:delete')).toBe(false)
  })

  test('is seen by a call that overlaps with an own change', async () => {
    const gate = Promise.withResolvers<void>()
    const held = { reads: null as Promise<void> | null }
    const slow = confirmedAfter(gate.promise)
    const get: DocumentStore['get'] = async (collection, id) => {
      const stored = await documents.get(collection, id)
      await held.reads
      return stored
    }
    const here = await startProcess(0, { ...slow, get })
    const elsewhere = await startProcess()
    const setting = here.roles.set('MODERATOR', moderator)
    await expect.poll(async () => (await readRoles(documents))?.revision).toBe(1)
    await elsewhere.roles.remove('MODERATOR')
    const reading = Promise.withResolvers<void>()
    held.reads = reading.promise
    const asked = here.may('MODERATOR')
    gate.resolve()
    await setting
    reading.resolve()
    expect(await asked).toBe(false)
  })

  test('concurrent calls share one read', async () => {
    const { seen, watched } = watch(documents)
    const here = await startProcess(5, watched)
    clock += 5_000
    await Promise.all(Array.from({ length: 50 }, () => here.may('READER')))
    expect(seen.reads).toBe(2)
  })

  test('a clock that is set back makes no value fresh', async () => {
    const { seen, watched } = watch(documents)
    const here = await startProcess(5, watched)
    clock -= 60_000
    await here.may('READER')
    expect(seen.reads).toBe(2)
  })

  test.each<[string, unknown]>([
    ['an unknown permission', { MODERATOR: { permissions: ['notes:archive'] }, READER: {} }],
    ['a circle', { MODERATOR: { inherits: ['READER'] }, READER: { inherits: ['MODERATOR'] } }],
    ['no roles at all', 'nonsense'],
  ])('with %s is refused and reported once, and the previous roles stay in force', async (_what, roles) => {
    const here = await startProcess(0)
    await here.roles.set('MODERATOR', moderator)
    await writeRoles(documents, 2, roles)
    for (const _time of [1, 2, 3])
      expect([await here.may('MODERATOR'), await here.may('READER')]).toEqual([true, false])
    expect(await here.may('READER', 'notes:read')).toBe(true)
    expect(refused.map(({ code }) => code)).toEqual(['RBAC_ROLES_INVALID'])
    await writeRoles(documents, 3, {})
    expect(await here.may('MODERATOR')).toBe(false)
  })

  test('to an older version, restored from a backup, is active too', async () => {
    const here = await startProcess(0)
    await here.roles.set('MODERATOR', moderator)
    await here.roles.set('OTHER', moderator)
    await writeRoles(documents, 1, { OTHER: { permissions: ['notes:read'] } })
    expect([await here.may('MODERATOR'), await here.may('OTHER')]).toEqual([false, false])
  })
})

describe('a store that cannot be reached', () => {
  test('keeps the process from starting', async () => {
    const outage = new Error('connection refused')
    const { seen, watched } = watch(documents)
    seen.fail = outage
    await expect(startProcess(5, watched)).rejects.toBe(outage)
  })

  test('is an exception once the bound has passed, neither a permission nor a refusal', async () => {
    const outage = new Error('connection refused')
    const { seen, watched } = watch(documents)
    const here = await startProcess(5, watched)
    seen.fail = outage
    expect(await here.may('READER', 'notes:read')).toBe(true)
    clock += 5_000
    await expect(here.may('READER', 'notes:read')).rejects.toBe(outage)
    await expect(here.roles.refresh()).rejects.toBe(outage)
    await expect(here.roles.set('MODERATOR', moderator)).rejects.toBe(outage)
    expect(await here.roles.identify(null)).toBeNull()
    seen.fail = null
    expect(await here.may('READER', 'notes:read')).toBe(true)
  })
})

test('stored roles that are not valid keep the process from starting', async () => {
  await writeRoles(documents, 1, { MODERATOR: { permissions: ['notes:archive'] } })
  expect(await codeOf(startProcess())).toBe('RBAC_ROLES_INVALID')
})

test.each<[string, object]>([
  ['"policy"', { policy: {} }],
  ['"documents"', { documents: {} }],
  ['"onRefused"', { onRefused: undefined }],
  ['"maxStalenessSeconds"', { maxStalenessSeconds: -1 }],
  ['"maxStalenessSeconds"', { maxStalenessSeconds: Number.NaN }],
  ['"maxStalenessSeconds"', { maxStalenessSeconds: Number.POSITIVE_INFINITY }],
])('openRoles names the option that is not valid: %s', async (name, wrong) => {
  const options = { policy: createPolicy(), documents, onRefused: () => {}, ...wrong }
  const opened: Promise<OpenRoles<never>> = openRoles(options as never)
  await expect(opened).rejects.toThrow(TypeError)
  await expect(opened).rejects.toThrow(name)
})

test('five processes that set a role at the same time have all set their own', async () => {
  const processes = await Promise.all(Array.from({ length: 5 }, () => startProcess(0)))
  await Promise.all(processes.map(({ roles }, index) => roles.set(`ROLE_${index}`, moderator)))
  const stored = await readRoles(documents)
  expect([stored?.revision, Object.keys(stored?.roles ?? {}).length]).toEqual([5, 5])
})
