import { type Access, authDirectives, type OperationVerdict, type PrepareInput } from '@latchkey/graphql'
import { type AnyPolicy, definePolicy, type Identity, type IdentityInput } from '@latchkey/rbac'
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
} from 'graphql'

type Fields = Readonly<Record<string, (source: never, args: never, context: never, info: never) => unknown>>

/** A schema from SDL with the directives in front, and resolvers for some of its fields. */
export function schemaOf(sdl: string, resolvers: Readonly<Record<string, Fields>> = {}): GraphQLSchema {
  const schema = buildSchema(`${authDirectives} ${sdl}`)
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) throw new Error(`no object type ${typeName}`)
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type.getFields()[name]
      if (!field) throw new Error(`no field ${typeName}.${name}`)
      field.resolve = resolve as GraphQLFieldResolver<unknown, unknown>
    }
  }
  return schema
}

/** The ids that owners were asked for, call by call. */
export const asked: { readonly resource: string; readonly ids: readonly string[] }[] = []

const owners: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  articles: new Map([
    ['1', 'author'],
    ['2', 'author'],
    ['7', 'other'],
  ]),
  comments: new Map([
    ['1', 'author'],
    ['7', 'other'],
  ]),
}

interface Owned {
  readonly owner?: string
}

const ownershipOf = (resource: string) => ({
  ownerOf: (owned: Owned) => owned.owner,
  ownedBy: (subject: string) => ({ owner: subject }),
  async ownersById(ids: readonly string[]) {
    asked.push({ resource, ids })
    if (ids.includes('outage')) throw new Error('connection refused')
    return new Map(
      ids.flatMap((id) => (owners[resource]?.has(id) ? [[id, owners[resource].get(id) ?? ''] as const] : [])),
    )
  },
})

export const policy = definePolicy({
  permissions: [
    'articles:read',
    'articles:update',
    'articles:publish',
    'comments:delete',
    'accounts:read',
    'ownership:bypass',
  ],
  roles: {
    READER: { permissions: ['articles:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['articles:update'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish', 'comments:delete'] },
    ADMIN: { inherits: ['EDITOR'], permissions: ['accounts:read', 'ownership:bypass'] },
  },
  ownership: {
    articles: ownershipOf('articles'),
    comments: ownershipOf('comments'),
    accounts: { ownerOf: (account: { id: string }) => account.id },
  },
})

export type TestPolicy = typeof policy

export const now = 1_700_000_000_000

export function identityOf(subject: string, role: string, more: Partial<IdentityInput> = {}): Identity {
  const identity = policy.identify({ subject, roles: [role], ...more })
  if (!identity) throw new Error('no identity')
  return identity
}

export const reader = identityOf('reader', 'READER')
export const author = identityOf('author', 'AUTHOR')
export const editor = identityOf('editor', 'EDITOR')
export const admin = identityOf('admin', 'ADMIN')
export const machine = identityOf('machine', '', { kind: 'client', roles: [], scopes: [...policy.permissions] })

export interface Asking {
  readonly variables?: Record<string, unknown>
  readonly operationName?: string | null
  readonly input?: Omit<PrepareInput<TestPolicy>, 'identity'>
}

export interface Outcome {
  /** The codes of the refusal, or `executed`. */
  readonly verdict: string
  readonly codes: readonly unknown[]
  readonly paths: readonly (string | undefined)[]
  readonly result: ExecutionResult | null
  readonly prepared: OperationVerdict
}

/** Prepares an operation, and executes it when that is allowed. */
export async function ask<P extends AnyPolicy>(
  access: Access<P>,
  query: string,
  identity: Identity | null = null,
  { variables = {}, operationName = null, input = {} }: Asking = {},
): Promise<Outcome> {
  const prepared = await access.prepare({ query, variables, operationName }, { ...(input as object), identity })
  const result = prepared.ok ? await execute(prepared.args) : null
  const errors = prepared.ok ? (result?.errors ?? []) : prepared.errors
  const codes = errors.map(({ extensions }) => extensions.code)
  const paths = errors.map(({ path }) => path?.join('.'))
  const verdict = prepared.ok ? 'executed' : [...new Set(codes)].join(' ')
  return { verdict, codes, paths, result, prepared }
}
