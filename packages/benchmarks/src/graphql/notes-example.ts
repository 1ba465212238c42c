import type { Example } from './example.ts'

interface User {
  readonly id: string
  readonly name: string
}

interface Note {
  readonly id: string
  readonly title: string
  readonly author: User
}

interface NotesResolvers {
  viewer(): User
  notes(source: unknown, args: { readonly first: number }): readonly Note[]
}

const user: User = { id: 'acc_1', name: 'Ada Lovelace' }
const notes: readonly Note[] = Array.from({ length: 20 }, (_none, index) => ({
  id: `n${index}`,
  title: `Note ${index}`,
  author: user,
}))

export const resolvers: NotesResolvers = {
  viewer: () => user,
  notes: (_source, { first }) => notes.slice(0, first),
}

const permission = 'notes:read'

/** Two root fields and eleven objects: an account's name, and five notes with their authors' names. */
export const notesExample: Example = {
  sdl: (rule) => `
  type User { id: ID!, name: String! }
  type Note { id: ID!, title: String!, author: User! }
  type Query { viewer: User ${rule(null)}, notes(first: Int! = 5): [Note!]! ${rule(permission)} }
`,
  permission,
  resolvers: { Query: { viewer: resolvers.viewer, notes: resolvers.notes } },
  guarded: { 'Query.viewer': null, 'Query.notes': permission },
  fields: ['User.id', 'User.name', 'Note.id', 'Note.title', 'Note.author', 'Query.viewer', 'Query.notes'],
  request: {
    query: 'query Home($first: Int!) { viewer { id name } notes(first: $first) { id title author { name } } }',
    variables: { first: 5 },
  },
  answer({ variables }) {
    const list = resolvers
      .notes(null, variables as { readonly first: number })
      .map(({ id, title, author: { name } }) => ({ id, title, author: { name } }))
    return { data: { viewer: { ...user }, notes: list } }
  },
}
