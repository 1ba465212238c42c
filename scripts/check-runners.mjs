// Runs the test harness of @latchkey/server in common test runners, in a project with the packed packages.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, root } from './workspace.mjs'

const { devDependencies } = readJson(join(root, 'package.json'))

/** The runners to install. Node.js has its own runner. */
export const runnerPackages = [`vitest@${devDependencies.vitest}`, 'jest@30.5.2', 'bun@1.4.5']

const app = `
import { DatabaseSync } from 'node:sqlite'
import { authDirectives, compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer } from '@latchkey/server'
import { createSqliteStores } from '@latchkey/sql'
import { buildSchema, GraphQLError } from 'graphql'

const policy = definePolicy({ permissions: ['notes:read'], roles: { MEMBER: { permissions: ['notes:read'] } } })
const typeDefs = 'type Query { note: String! @requires(permissions: "notes:read"), gone: String @public, stock: Int! @public }'
const fail = (message, extensions) => () => {
  throw new GraphQLError(message, { extensions })
}
export const compile = () => compileAccess({ schema: buildSchema(authDirectives + typeDefs), policy })
export const server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  secrets: { load: async () => [{ id: '1', bytes: new Uint8Array(32).fill(7) }] },
  stores: createSqliteStores({ database: () => new DatabaseSync(':memory:') }),
  mails: { mailer: createTerminalMailer() },
  signUp: { role: 'MEMBER' },
  graphql: { errors: { OUT_OF_STOCK: { expose: ['left'] } } },
  policy,
  typeDefs,
  resolvers: {
    Query: {
      note: () => 'Only members read this.',
      gone: fail('No such note.', { code: 'NOT_FOUND' }),
      stock: fail('Sold out.', { code: 'OUT_OF_STOCK', left: 0 }),
    },
  },
})
`

const harness = `
import { equal } from 'node:assert/strict'
import { createTestServer } from '@latchkey/server/testing'
import { server } from './app.js'

test('a rule lets members in', async () => {
  const { signedIn, visitor, clock, close } = await createTestServer(server)
  const member = await signedIn({ role: 'MEMBER' })
  equal((await member.graphql('{ note }')).data.note, 'Only members read this.')
  equal((await visitor().graphql('{ note }')).code, 'UNAUTHENTICATED')
  await clock.advance({ days: 400 })
  equal((await member.graphql('{ note }')).code, 'UNAUTHENTICATED')
  await close()
})

test('a resolver throws a GraphQLError', async () => {
  const { visitor, close } = await createTestServer(server)
  equal((await visitor().graphql('{ gone }')).code, 'NOT_FOUND')
  const { status, code, errors } = await visitor().graphql('{ stock }')
  equal([status, code, errors[0].extensions.left].join(), '200,OUT_OF_STOCK,0')
  await close()
})
`

const ownSchema = `
import { equal } from 'node:assert/strict'
import { compile } from './app.js'

test('a schema of the application is compiled', () => equal(compile().fields.length, 3))
`

/** Without \`server.deps.inline\` Vitest loads \`graphql\` twice. */
const refusedSchema = `
import { throws } from 'node:assert/strict'
import { compile } from './app.js'

test('a schema of the application is refused with the remedy', () =>
  throws(compile, /another copy of graphql .* in Vitest name @latchkey and .* in server\\.deps\\.inline$/))
`

const inline = `export default { test: { server: { deps: { inline: [/@latchkey\\//, /@graphql-tools\\//] } } } }\n`

const runners = [
  { name: 'node:test', from: 'node:test', command: [process.execPath, '--test'], tests: [harness, ownSchema] },
  { name: 'Vitest without configuration', from: 'vitest', command: ['vitest', 'run'], tests: [harness, refusedSchema] },
  {
    name: 'Vitest with server.deps.inline',
    from: 'vitest',
    command: ['vitest', 'run'],
    tests: [harness, ownSchema],
    files: { 'vitest.config.js': inline },
  },
  {
    name: 'Jest',
    from: '@jest/globals',
    command: ['jest'],
    tests: [harness, ownSchema],
    env: { NODE_OPTIONS: '--experimental-vm-modules' },
  },
  { name: 'bun test', from: 'bun:test', command: ['bun', 'test'], tests: [harness, ownSchema] },
]

/**
 * Runs the tests in each runner.
 *
 * @param project the folder of a project in which the packages and the runners are installed.
 * @param attempt runs a program, and records its error output as a problem.
 */
export async function checkRunners(project, attempt) {
  // The project is installed with `--ignore-scripts`, and this script unpacks the program.
  await attempt("bun's install.js", process.execPath, ['install.js'], join(project, 'node_modules/bun'))
  for (const [index, { name, from, command, tests, files = {}, env = {} }] of runners.entries()) {
    const folder = join(project, `runner-${index}`)
    mkdirSync(folder)
    const all = { 'package.json': '{ "private": true, "type": "module" }', 'app.js': app, ...files }
    for (const [at, test] of tests.entries()) all[`${at}.test.js`] = `import { test } from '${from}'\n${test}`
    for (const [file, text] of Object.entries(all)) writeFileSync(join(folder, file), text)
    const [program, ...args] = command
    const path = program === process.execPath ? program : join(project, 'node_modules/.bin', program)
    await attempt(`the harness in ${name}`, path, args, folder, { ...process.env, NODE_ENV: 'test', ...env })
  }
}
