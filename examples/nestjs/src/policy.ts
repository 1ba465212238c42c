import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { store } from './notes-store.ts'

export const policy = definePolicy({
  permissions: ['notes:read', 'notes:update', 'ownership:bypass'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:update'] },
  },
  ownership: {
    notes: { ownersById: async () => new Map(store.list().map(({ id, ownerId }) => [id, ownerId])) },
  },
})

const accounts = new Map([
  ['token-of-reader', { subject: 'acc_3', roles: ['READER'] }],
  ['token-of-author', { subject: 'acc_1', roles: ['AUTHOR'] }],
])

/** Yours: verify the token as you do. */
export const identify = createIdentityReader({
  bearer: { verify: async (token) => policy.identify(accounts.get(token)) },
})
