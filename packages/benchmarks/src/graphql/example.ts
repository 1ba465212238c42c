// What the servers of the GraphQL benchmark have in common. Plain data, for several versions of `graphql`.

export const secret: Uint8Array = new Uint8Array(32).map((_byte, index) => index * 7 + 1)
export const issuer = 'https://id.example.com'
export const audience = 'https://api.example.com'
export const role = 'READER'

type Resolver = (source: unknown, args: never, context: unknown) => unknown

/** Resolvers by type and field. */
export type ResolverMap = Readonly<Record<string, Readonly<Record<string, Resolver>>>>

/** A schema that every server serves, its permissions, and the request. */
export interface Example {
  /** @param rule returns the rule of a guarded field: `null` stands for an account, a text for a permission. */
  sdl(rule: (asked: string | null) => string): string
  readonly permission: string
  readonly resolvers: ResolverMap
  /** The guarded fields, as `Type.field`, and the permission that each needs. */
  readonly guarded: Readonly<Record<string, string | null>>
  /** All fields. */
  readonly fields: readonly string[]
  readonly request: { readonly query: string; readonly variables?: object }
  /** Returns the expected answer. */
  answer(request: { readonly variables?: object }): object
}

/** The part of a schema that accepts resolvers, in any version of `graphql`. */
interface SchemaLike {
  getType(name: string): object | null | undefined
}

interface FieldsLike {
  getFields(): Record<string, { resolve?: unknown }>
}

/** Sets the resolvers of the schema. */
export function withResolvers<Schema extends SchemaLike>(schema: Schema, resolvers: ResolverMap): Schema {
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const known = (schema.getType(typeName) as FieldsLike).getFields()
    for (const [name, resolve] of Object.entries(fields)) if (known[name]) known[name].resolve = resolve
  }
  return schema
}

/** Returns resolvers of a peer that refuse by the same check as a rule. */
export function guardResolvers(
  { resolvers, guarded }: Example,
  allows: (context: unknown, permission: string | null) => boolean,
): ResolverMap {
  const all: Record<string, Record<string, Resolver>> = {}
  for (const [type, fields] of Object.entries(resolvers)) all[type] = { ...fields }
  for (const [field, asked] of Object.entries(guarded)) {
    const [type = '', name = ''] = field.split('.')
    const resolve = resolvers[type]?.[name] ?? ((source) => (source as Record<string, unknown>)[name])
    all[type] = {
      ...all[type],
      [name](source, args, context) {
        if (!allows(context, asked)) throw new Error('FORBIDDEN')
        return resolve(source, args, context)
      },
    }
  }
  return all
}
