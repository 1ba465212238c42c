import type { AuthContext } from '@latchkey/graphql'
import { definePolicy, type RuleOf } from '@latchkey/rbac'
import SchemaBuilder from '@pothos/core'

interface Note {
  readonly id: string
  readonly text: string
  readonly ownerId: string
}
const notes = new Map<string, Note>([
  ['1', { id: '1', text: 'Buy milk', ownerId: 'acc_1' }],
  ['2', { id: '2', text: 'Call Ada', ownerId: 'acc_2' }],
])

export const policy = definePolicy({
  permissions: ['notes:read', 'notes:update'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:update'] },
  },
  ownership: {
    notes: {
      ownerOf: (note: Note) => note.ownerId,
      ownersById: async (ids) => new Map(ids.flatMap((id) => ownerEntries(id))),
    },
  },
})

function ownerEntries(id: string): [string, string][] {
  const note = notes.get(id)
  return note ? [[id, note.ownerId]] : []
}

/** The rule of a field. The compiler checks the names of permissions. */
const auth = (rule: RuleOf<typeof policy>) => ({ auth: rule })

const builder = new SchemaBuilder<{ Context: AuthContext<typeof policy>; Objects: { Note: Note } }>({})

builder.objectType('Note', {
  fields: (t) => ({
    id: t.exposeID('id', { extensions: auth('public') }),
    text: t.exposeString('text', { extensions: auth('public') }),
  }),
})

builder.queryType({
  fields: (t) => ({
    hello: t.string({ extensions: auth('public'), resolve: () => 'Hello' }),
    viewer: t.string({
      extensions: auth('authenticated'),
      nullable: true,
      resolve: (_source, _args, { identity }) => identity?.subject,
    }),
    notes: t.field({
      type: ['Note'],
      extensions: auth({ permissions: 'notes:read' }),
      resolve: () => [...notes.values()],
    }),
  }),
})

builder.mutationType({
  fields: (t) => ({
    updateNote: t.field({
      type: 'Note',
      args: { id: t.arg.id({ required: true }), text: t.arg.string({ required: true }) },
      extensions: auth({ permissions: 'notes:update', owner: { argument: 'id', of: 'notes' } }),
      nullable: true,
      resolve(_source, { id, text }) {
        const note = notes.get(id)
        if (!note) return null
        const updated = { ...note, text }
        notes.set(id, updated)
        return updated
      },
    }),
  }),
})

export const schema = builder.toSchema()
