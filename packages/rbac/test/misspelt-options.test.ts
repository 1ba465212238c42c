import { definePolicy, openRoles } from '@latchkey/rbac'
import { createMemoryDocumentStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const definition = { permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } } as const

test.each<[message: string, given: unknown]>([
  ['definePolicy has no option "ownerships". Did you mean "ownership"?', { ...definition, ownerships: {} }],
  ['definePolicy has no option "permission". Did you mean "permissions"?', { ...definition, permission: [] }],
  ['definePolicy has no option "defaultRole"', { ...definition, defaultRole: 'READER' }],
  [
    '"ownership": notes.owner is not one of the functions ownerOf, ownersById, ownedBy',
    { ...definition, ownership: { notes: { ownerOf: () => null, owner: () => null } } },
  ],
  [
    '"roles": READER must be { inherits, permissions }, and has "permission"',
    { ...definition, roles: { READER: { permission: ['notes:read'] } } },
  ],
  ['definePolicy takes an object with "permissions", "roles", "ownership"', undefined],
])('no policy is defined: %s', (message, given) => {
  const define = () => definePolicy(given as never)
  expect(define).toThrow(TypeError)
  expect(define).toThrow(message)
})

test.each<[message: string, wrong: object]>([
  ['openRoles has no option "maxStaleness". Did you mean "maxStalenessSeconds"?', { maxStaleness: 0 }],
  ['openRoles has no option "onrefused". Did you mean "onRefused"?', { onrefused: () => {} }],
  ['openRoles has no option "refreshSeconds"', { refreshSeconds: 1 }],
])('no roles are opened: %s', async (message, wrong) => {
  const options = { policy: definePolicy(definition), documents: createMemoryDocumentStore(), onRefused: () => {} }
  const opening = openRoles({ ...options, ...wrong })
  await expect(opening).rejects.toThrow(TypeError)
  await expect(opening).rejects.toThrow(message)
})

test('openRoles called without options names the options that it takes', async () => {
  const opening = openRoles(undefined as never)
  await expect(opening).rejects.toThrow('openRoles takes an object with "policy", "documents", "maxStalenessSeconds"')
})
