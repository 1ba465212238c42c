import { compileAccess } from '@latchkey/graphql'
import { execute, graphql, parse } from 'graphql'
import { expect, test } from 'vitest'
import { author, policy, schemaOf } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'

const ran: string[] = []
const run = (name: string) => () => {
  ran.push(name)
  return true
}
const schema = schemaOf(
  'type Query { hello: Boolean @public } type Mutation { change: Boolean @authenticated, signIn: Boolean @public @credential }',
  { Query: { hello: run('hello') }, Mutation: { change: run('change'), signIn: run('signIn') } },
)
const access = compileAccess({ policy, schema, introspection: 'public' })

test.each(['{ hello }', 'mutation { change }', 'mutation { signIn }'])(
  'the sealed schema does not execute %s without a plan, for any identity',
  async (source) => {
    for (const contextValue of [undefined, {}, { identity: author }]) {
      const { data, errors } = await graphql({ schema: access.sealed, source, contextValue })
      expect(errors?.map(({ message }) => message)).toEqual([
        expect.stringContaining('executes only what access.prepare'),
      ])
      expect(Object.values(data ?? {})).toEqual([null])
    }
    expect(ran).toEqual([])
  },
)

test.each(since17('does not describe itself'))('the sealed schema %s without a plan', async () => {
  const result = await execute({ schema: access.sealed, document: parse('{ __schema { queryType { name } } }') })
  expect(result.data).toBeNull()
})

test('the sealed schema is the one that a plan executes', async () => {
  const verdict = await access.prepare({ query: '{ hello }' }, { identity: null })
  if (!verdict.ok) throw new Error('refused')
  expect(verdict.args.schema).toBe(access.sealed)
  expect(await execute({ ...verdict.args, schema: access.sealed })).toEqual({ data: { hello: true } })
  expect(access.sealed).not.toBe(schema)
})
