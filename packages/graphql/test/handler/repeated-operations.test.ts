import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import { expect, test } from 'vitest'

const policy = definePolicy({
  permissions: ['items:read'],
  roles: { READER: { permissions: ['items:read'] } },
  ownership: { items: { ownerOf: (item: { readonly owner: string }) => item.owner } },
})
const schema = buildSchema(`
  type Query { item: Item, items: [Item] }
  type Item { late: String!, fails: String, owned: String }
`)
const item = { owner: 'acc_2', owned: 'the secret of acc_2' }
const resolvers = {
  Query: { item: () => item, items: () => [item, item] },
  Item: {
    late: async () => null,
    fails: () => {
      throw new Error('unexpected')
    },
  },
}
for (const [type, fields] of Object.entries(resolvers)) {
  for (const [name, resolve] of Object.entries(fields)) {
    const field = (schema.getType(type) as GraphQLObjectType).getFields()[name]
    if (field) field.resolve = resolve
  }
}
const handler = createGraphqlHandler({
  access: compileAccess({
    schema,
    policy,
    rules: {
      'Query.item': 'public',
      'Query.items': 'public',
      'Item.late': 'public',
      'Item.fails': 'public',
      'Item.owned': { owner: { of: 'items' } },
    },
  }),
  identify: createIdentityReader({
    bearer: { verify: async (subject) => policy.identify({ subject, roles: ['READER'] }) },
  }),
  observe: { onEvent: () => undefined },
})

async function ask(query: string): Promise<string> {
  const url = `https://example.com/graphql?query=${encodeURIComponent(query)}`
  const response = await handler.fetch(new Request(url, { headers: { authorization: 'Bearer acc_1' } }))
  return `${response.status} ${await response.text()}`
}

// A compiled executor answered 403 twenty times, and then 200 with data.
test.each(['{ item { late fails owned } }', '{ item { fails late owned } }', '{ items { late fails owned } }'])(
  '%s, owned by another account, is answered 403 the first, the second and the hundredth time',
  async (query) => {
    const answers: string[] = []
    for (let time = 0; time < 100; time++) answers.push(await ask(query))
    expect(answers[0]).toMatch(/^403 \{"errors":\[\{"message":"You do not have permission to do this\."/)
    expect(answers[0]).not.toContain('"data"')
    expect(new Set(answers).size).toBe(1)
  },
)
