import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generate } from '@graphql-codegen/cli'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  printSchema,
  validate,
} from 'graphql'
import { describe, expect, inject, onTestFinished, test } from 'vitest'

const url = `${inject('quickstartUrl')}/graphql`

describe('a code generator reads the schema of the running service, with every limit at its default', () => {
  test('the code generator writes the types of the schema', async () => {
    const [file, ...others] = (await generate(
      { schema: url, silent: true, generates: { 'schema.ts': { plugins: ['typescript'] } } },
      false,
    )) as { filename: string; content: string }[]
    expect([file?.filename, others]).toEqual(['schema.ts', []])
    for (const type of ['Account', 'Article', 'Comment', 'Mutation', 'Query', 'SignInInput', 'Session']) {
      expect(file?.content).toMatch(new RegExp(`^export type ${type} = `, 'm'))
    }
    expect(file?.content).toMatch(/^ {2}publishArticle: Article;$/m)
    expect(file?.content).toContain('export type SearchResult = Account | Article | Comment;')
  })

  test.each([
    ['as it is', {}],
    ['with all that can be asked for', allOptions()],
  ])('by the standard introspection query %s', async (_what, options) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' }),
    })
    expect(response.status).toBe(200)
    const { data, errors } = (await response.json()) as { data: IntrospectionQuery; errors?: unknown }
    expect(errors).toBeUndefined()
    const schema = buildClientSchema(data)
    expect(printSchema(schema)).toContain('union SearchResult = ')
    expect(validate(schema, parse('{ articles(first: 3) { title author { name } } }'))).toEqual([])
  })
})

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns what the compiler says of files in a folder of the example, under the settings of the workspace. */
function compile(files: Readonly<Record<string, string>>): Promise<string> {
  const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'generated-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      incremental: false,
      isolatedDeclarations: false,
      noEmit: true,
      lib: ['es2024', 'dom', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: Object.keys(files),
  }
  for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(settings) })) {
    writeFileSync(join(folder, name), text)
  }
  return new Promise((resolve) => {
    const command = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]
    execFile(process.execPath, command, { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}

const context = `import type { ServerContext } from '@latchkey/server'
import type { PublicationPolicy } from '../../../src/policy.ts'
export type Context = ServerContext<PublicationPolicy>
`

const mapped = `import type { Resolvers } from './schema.ts'
import type { ServerOptions } from '@latchkey/server'
import type { PublicationPolicy } from '../../../src/policy.ts'
declare const generated: Resolvers
type Options = Extract<ServerOptions<PublicationPolicy>, { readonly typeDefs: unknown }>
`

describe('the resolvers that typescript-resolvers types', { timeout: 240_000 }, () => {
  test('fit createServer, and a resolver for another context does not', async () => {
    const [file] = (await generate(
      {
        schema: url,
        silent: true,
        generates: {
          'schema.ts': {
            plugins: ['typescript', 'typescript-resolvers'],
            config: {
              useTypeImports: true,
              enumsAsTypes: true,
              contextType: './context.ts#Context',
              mappers: { Account: '@latchkey/accounts#Account as AccountOfStore' },
            },
          },
        },
      },
      false,
    )) as { filename: string; content: string }[]
    const schema = file?.content ?? ''
    for (const word of ['__resolveType', '__isTypeOf', 'SubscriptionResolver<', 'AccountOfStore']) {
      expect(schema).toContain(word)
    }
    const accepted = `${mapped}export const resolvers: Options['resolvers'] = generated\n`
    const refused = `${mapped}declare const foreign: Resolvers<{ readonly tenant: string }>
// @ts-expect-error a ServerContext has no tenant
export const resolvers: Options['resolvers'] = foreign
`
    expect(
      await compile({ 'context.ts': context, 'schema.ts': schema, 'accepted.ts': accepted, 'refused.ts': refused }),
    ).toBe('')
  })
})

async function printSchemaOfServer(): Promise<string> {
  const words = ['--conditions=@latchkey/source', 'node_modules/@latchkey/server/src/cli.ts', 'schema', 'src/server.ts']
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const env = { ...process.env, DATA_DIR: ':memory:' }
  return (await promisify(execFile)(process.execPath, words, { cwd, env })).stdout
}

const typedUse = `import { type ExecutionResult } from 'graphql'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { SignInDocument, TitlesDocument } from './graphql.ts'
declare function ask<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: NoInfer<Variables>): ExecutionResult<Data>
export const titles: string[] = ask(TitlesDocument, { first: 3 }).data?.articles.map(({ title }) => title) ?? []
export const status: 'SIGNED_IN' | 'SECOND_FACTOR_REQUIRED' | undefined =
  ask(SignInDocument, { input: { email: 'ada@example.com', password: 'secret' } }).data?.signIn.status
// @ts-expect-error an input has no other fields
ask(SignInDocument, { input: { email: 'ada@example.com', password: 'secret', name: 'Ada' } })
// @ts-expect-error it was not selected
ask(TitlesDocument, {}).data?.articles[0]?.id
`

describe('the documents of a client', { timeout: 240_000 }, () => {
  test('have types by the client preset from the schema that latchkey schema prints, and are valid at the service', async () => {
    const schema = await printSchemaOfServer()
    const documents = [
      'query Titles($first: Int) { articles(first: $first) { title } }',
      'mutation SignIn($input: SignInInput!) { signIn(input: $input) { status } }',
    ]
    const files = (await generate(
      {
        schema,
        documents,
        silent: true,
        generates: { './': { preset: 'client', config: { useTypeImports: true, enumsAsTypes: true } } },
      },
      false,
    )) as { filename: string; content: string }[]
    const typed = files.find(({ filename }) => filename.endsWith('graphql.ts'))?.content ?? ''
    expect(await compile({ 'graphql.ts': typed, 'use.ts': typedUse })).toBe('')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: documents[0], variables: { first: 1 } }),
    })
    expect(await response.json()).toEqual({ data: { articles: [{ title: expect.any(String) }] } })
  })
})

function allOptions() {
  return {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }
}
