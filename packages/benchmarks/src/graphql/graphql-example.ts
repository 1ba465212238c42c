// What every server of the GraphQL benchmark serves, and what it is asked. Plain data, for several versions of `graphql`.

export const secret: Uint8Array = new Uint8Array(32).map((_byte, index) => index * 7 + 1)
export const issuer = 'https://id.example.com'
export const audience = 'https://api.example.com'

export const sdl = `
  type User { id: ID!, name: String! }
  type Note { id: ID!, title: String!, author: User! }
  type Query { viewer: User, notes(first: Int! = 5): [Note!]! }
`

/** What `notes` asks for. */
export const permission = 'notes:read'
export const role = 'READER'

interface User {
  readonly id: string
  readonly name: string
}

interface Note {
  readonly id: string
  readonly title: string
  readonly author: User
}

const user: User = { id: 'acc_1', name: 'Ada Lovelace' }
const notes: readonly Note[] = Array.from({ length: 20 }, (_none, index) => ({
  id: `n${index}`,
  title: `Note ${index}`,
  author: user,
}))

interface Resolvers {
  viewer(): User
  notes(source: unknown, args: { readonly first: number }): readonly Note[]
}

export const resolvers: Resolvers = {
  viewer: () => user,
  notes: (_source, { first }) => notes.slice(0, first),
}

/** What is asked: an account's name and five notes with their authors' names. */
export const requestBody: string = JSON.stringify({
  query: 'query Home($first: Int!) { viewer { id name } notes(first: $first) { id title author { name } } }',
  variables: { first: 5 },
})

export function answer({ variables }: { readonly variables: { readonly first: number } }): object {
  const list = resolvers
    .notes(null, variables)
    .map(({ id, title, author: { name } }) => ({ id, title, author: { name } }))
  return { data: { viewer: { ...user }, notes: list } }
}

/** The least of a schema that resolvers can be put into, whatever version of `graphql` it was built with. */
interface SchemaLike {
  getQueryType(): { getFields(): Record<string, { resolve?: unknown }> } | null | undefined
}

/** Sets the resolvers of the schema. */
export function withResolvers<Schema extends SchemaLike>(schema: Schema, given: object = resolvers): Schema {
  const fields = schema.getQueryType()?.getFields() ?? {}
  for (const [name, resolve] of Object.entries(given)) if (fields[name]) fields[name].resolve = resolve
  return schema
}

/** What a peer's resolver does to refuse: the same question that a rule asks. */
export function guarded(allows: (context: unknown, permission: string | null) => boolean): object {
  const guard =
    (asked: string | null, resolve: (source: unknown, args: never) => unknown) =>
    (source: unknown, args: never, context: unknown): unknown => {
      if (!allows(context, asked)) throw new Error('FORBIDDEN')
      return resolve(source, args)
    }
  return { viewer: guard(null, resolvers.viewer), notes: guard(permission, resolvers.notes) }
}
