import { definePolicy } from '@latchkey/rbac'
import type { Notes } from './notes.ts'

/** Roles with their permissions, and the owners of notes. */
export function createPolicy(notes: Notes) {
  return definePolicy({
    permissions: ['notes:write', 'ownership:bypass'], // the last one lifts every owner rule
    roles: {
      MEMBER: { permissions: ['notes:write'] },
      ADMIN: { inherits: ['MEMBER'], permissions: ['ownership:bypass'] },
    },
    ownership: { notes: { ownersById: (ids) => notes.ownersOf(ids) } },
  })
}
