import { compileAccess, createGraphqlHandler, type DocumentLimits } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { medianCpuMilliseconds } from '@latchkey/test-services'
import { buildSchema, isInterfaceType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/access-fixture.ts'
import { codeHostDocuments, codeHostSchema } from '../support/ordinary-documents/code-host.ts'
import { gatewayDocuments, gatewaySchema } from '../support/ordinary-documents/gateway.ts'
import { shopDocuments, shopSchema } from '../support/ordinary-documents/shop.ts'
import { storefrontDocuments, storefrontSchema } from '../support/ordinary-documents/storefront.ts'

function listOf(_source: unknown, { first }: { first: number }): readonly object[] {
  return Array.from({ length: first }, () => ({}))
}

function accessTo(sdl: string, limits: Partial<DocumentLimits> = {}) {
  const schema = buildSchema(sdl)
  const { sync, late, text, lateText } = schema.getQueryType()?.getFields() ?? {}
  Object.assign(sync ?? {}, { resolve: listOf })
  Object.assign(late ?? {}, { resolve: async (_source: unknown, size: { first: number }) => listOf(_source, size) })
  Object.assign(text ?? {}, { resolve: () => 'A title of some length' })
  Object.assign(lateText ?? {}, { resolve: async () => 'A title of some length' })
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
  const own = types.filter(({ name }) => !name.startsWith('__'))
  const fields = own.flatMap((type) => Object.keys(type.getFields()).map((name) => `${type.name}.${name}`))
  const rules = Object.fromEntries(fields.map((coordinate) => [coordinate, 'public'])) as never
  return compileAccess({ schema, policy, rules, limits, introspection: 'public' })
}

/** Three quarters of the defaults, because documents grow. */
const threeQuarters: Partial<DocumentLimits> = {
  tokens: 1500,
  depth: 12,
  aliases: 75,
  queryRootFields: 37,
  mutationRootFields: 7,
  directives: 37,
  expandedSelections: 1125,
  cost: 75_000,
}

describe.each([
  ['a shop', shopSchema, shopDocuments],
  ['a host of code', codeHostSchema, codeHostDocuments],
  ['a storefront', storefrontSchema, storefrontDocuments],
  ['a gateway', gatewaySchema, gatewayDocuments],
])('documents of %s', (_whose, sdl, documents) => {
  const access = accessTo(sdl, threeQuarters)

  test.each(documents.map((document) => [document.what, document] as const))(
    '%s stays within three quarters of the default limits',
    async (_what, { query, variables = {} }) => {
      const verdict = await access.prepare({ query, variables }, { identity: null })
      expect(verdict.ok ? [] : verdict.errors.map(({ message }) => message)).toEqual([])
    },
  )
})

/** Documents of the maximum cost, each with the slowest parts of execution: objects, lists, promises. */
const costliest = [
  ['leaves', `{ sync(first: 99) { sync(first: 100) { ${times(10, (n) => `a${n}: text`)} } } }`],
  ['objects in lists', '{ sync(first: 46) { sync(first: 46) { sync(first: 46) { text } } } }'],
  ['promises', `{ late(first: 99) { late(first: 100) { ${times(10, (n) => `a${n}: lateText`)} } } }`],
] as const

const listSchema =
  'type Query { sync(first: Int): [Query!], late(first: Int): [Query!], text: String, lateText: String }'

test.each(costliest)(
  'a document of the highest cost, of %s, is answered within a second of computing',
  async (_what, query) => {
    const access = accessTo(listSchema)
    const almost = await accessTo(listSchema, { cost: 95_000 }).prepare({ query }, { identity: null })
    expect(almost.exceeded).toMatchObject([{ limit: 'cost', refused: true }])
    const handler = createGraphqlHandler({
      access,
      identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
    })
    const headers = { 'content-type': 'application/json' }
    const cost = await medianCpuMilliseconds(async () => {
      const request = { method: 'POST', headers, body: JSON.stringify({ query }) }
      const response = await handler.fetch(new Request('https://example.com/', request))
      expect([response.status, (await response.text()).length > 1_000_000]).toEqual([200, true])
    })
    expect(cost).toBeLessThan(1_000)
  },
)

function times(count: number, write: (index: number) => string): string {
  return Array.from({ length: count }, (_none, index) => write(index)).join(' ')
}
