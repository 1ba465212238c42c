import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

vi.setConfig({ testTimeout: 180_000 })

const project = createCommandProject()
afterAll(project.remove)

/** The first TypeScript of a document. */
function serviceOf(document: string): string {
  const text = readFileSync(new URL(`../../../../${document}`, import.meta.url), 'utf8')
  return /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

const visit = `
import { createTestServer } from '@latchkey/server/testing'
import { server } from './server.ts'
const { visitor, signedIn, mails } = await createTestServer(server)
const newcomer = visitor()
const form = { email: 'ada@example.com', password: 'otters read quietly at dawn' }
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'
const update = 'mutation ($id: ID!) { updateArticle(id: $id, title: "Otters") { title } }'
const create = 'mutation { createArticle(title: "Seals") { id } }'
await newcomer.graphql(signUp, { input: { ...form, name: 'Ada' } })
const [mail] = await mails('ada@example.com')
const token = new URL(mail.url).searchParams.get('token')
const body = new URLSearchParams({ token })
const verified = await newcomer.fetch('/verify', { method: 'POST', body })
await newcomer.graphql(signIn, { input: form })
const { data } = await newcomer.graphql(create)
const { id } = data.createArticle
async function createWith(scope) {
  const headers = { authorization: 'Basic ' + btoa('nightly:secret-of-the-nightly-client') }
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope })
  const given = await visitor().fetch('/token', { method: 'POST', headers, body: form })
  const { access_token } = await given.json()
  const bearing = { headers: { authorization: 'Bearer ' + access_token } }
  return visitor({ agent: 'application' }).graphql(create, {}, bearing)
}
const answers = [
  await newcomer.graphql(update, { id }),
  await (await signedIn({ role: 'AUTHOR' })).graphql(update, { id }),
  await visitor().graphql(update, { id }),
  await (await signedIn({ role: 'ADMIN' })).graphql(update, { id }),
  await createWith('articles:create'),
  await createWith('articles:update'),
]
console.log(JSON.stringify([verified.status, ...answers.map(({ status }) => status)]))
`

/** Sends the bodies of all lines of curl in README.md, and prints each answer. */
const curl = `
import { readFileSync } from 'node:fs'
import { createTestServer } from '@latchkey/server/testing'
import { server } from './server.ts'
const { visitor } = await createTestServer(server)
for (const body of JSON.parse(readFileSync('bodies.json', 'utf8'))) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await visitor({ agent: 'application' }).fetch('/graphql', { method: 'POST', headers, body })
  console.log(await response.text())
}
`

/** The same service with an authorization server, and a client that has two scopes. */
function withClient(service: string): string {
  const client = `{
    id: 'nightly',
    name: 'Nightly',
    authentication: ['client_secret_basic'],
    secret: 'secret-of-the-nightly-client',
    scopes: ['articles:create', 'articles:update'],
  }`
  const oauth = `oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [${client}] }),`
  return `import { createAuthorizationServer } from '@latchkey/oauth/server'
${service.replace('createServer({', `createServer({ ${oauth}`)}`
}

describe.each(['README.md', 'docs/guides/first-service.md'])('the service of %s', (document) => {
  test('lets an author change their own article, and otherwise an administrator or an OAuth client with the scope', async () => {
    project.write('server.ts', withClient(serviceOf(document)))
    project.write('visit.ts', visit)
    const { exitCode, stdout, stderr } = await project.node('visit.ts')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual([200, 200, 403, 401, 200, 200, 403])
  })

  test('is exported, so the command "schema" prints it', async () => {
    project.write('server.ts', serviceOf(document))
    expect(await project.latchkey(['schema', 'server.ts'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('createArticle'),
    })
  })
})

test('each line of curl in README.md gets the answer of its comment', async () => {
  const text = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
  const lines = [...text.matchAll(/^curl http:\S+\/graphql --json '(.+)' +# (.+)$/gm)]
  expect(lines).toHaveLength(2)
  project.write('server.ts', serviceOf('README.md'))
  project.write('curl.ts', curl)
  project.write('bodies.json', JSON.stringify(lines.map(([, body]) => body)))
  const { stdout, stderr } = await project.node('curl.ts')
  expect(stderr).toBe('')
  const answers = stdout.trim().split('\n')
  expect(answers).toEqual(lines.map(([, , said]) => expect.stringContaining(said ?? '')))
})
