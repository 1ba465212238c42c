import type { Example } from './example.ts'

interface Memo {
  readonly title: string
  readonly shown: string
  readonly hidden: string
}

type Pair = { readonly x: number; readonly y: number }

const memos: readonly Memo[] = ['one', 'two'].map((word) => ({
  title: word,
  shown: `for everybody, ${word}`,
  hidden: `for managers, ${word}`,
}))
const permission = 'memos:manage'

const resolvers = {
  sum: async (_source: unknown, { x, y }: Pair) => x + y,
  difference: async (_source: unknown, { x, y }: Pair) => x - y,
  memos: async () => memos,
  managersMemos: async () => memos,
}

/**
 * A schema of the shape that mercurius-auth measures itself with: five root fields with promises, and a permission on three of
 * them and on a field of every object.
 */
export const memosExample: Example = {
  sdl: (rule) => `
  type Memo { title: String!, shown: String!, hidden: String! ${rule(permission)} }
  type Query {
    sum(x: Int, y: Int): Int ${rule(permission)}
    difference(x: Int, y: Int): Int
    memos: [Memo!]!
    managersMemos: [Memo!]! ${rule(permission)}
  }
`,
  permission,
  resolvers: { Query: resolvers },
  guarded: {
    'Memo.hidden': permission,
    'Query.sum': permission,
    'Query.managersMemos': permission,
  },
  fields: [
    ...['Memo.title', 'Memo.shown', 'Memo.hidden'],
    ...['Query.sum', 'Query.difference', 'Query.memos', 'Query.managersMemos'],
  ],
  request: {
    query: `query {
      four: sum(x: 2, y: 2)
      six: sum(x: 3, y: 3)
      difference(x: 3, y: 3)
      memos { title shown hidden }
      managersMemos { title shown hidden }
    }`,
  },
  answer: () => ({ data: { four: 4, six: 6, difference: 0, memos, managersMemos: memos } }),
}
