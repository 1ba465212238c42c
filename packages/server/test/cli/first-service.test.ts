import { readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { createCommandProject } from '../support/run-latchkey.ts'

vi.setConfig({ testTimeout: 180_000 })

const project = createCommandProject()
afterAll(project.remove)

/** The code block after a heading of the repository's README. */
function blockAfter(heading: string): string {
  const [, section = ''] = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8').split(`${heading}\n`)
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
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
await newcomer.graphql(signUp, { input: { ...form, name: 'Ada' } })
const [mail] = await mails('ada@example.com')
const token = new URL(mail.url).searchParams.get('token')
const body = new URLSearchParams({ token })
const verified = await newcomer.fetch('/verify', { method: 'POST', body })
await newcomer.graphql(signIn, { input: form })
const { data } = await newcomer.graphql('mutation { createArticle(title: "Seals") { id } }')
const { id } = data.createArticle
const answers = [
  await newcomer.graphql(update, { id }),
  await (await signedIn({ role: 'AUTHOR' })).graphql(update, { id }),
  await visitor().graphql(update, { id }),
  await (await signedIn({ role: 'ADMIN' })).graphql(update, { id }),
]
const page = await visitor().fetch('/')
console.log(JSON.stringify([verified.status, ...answers.map(({ status }) => status), page.status]))
`

test('the service of the README has an article that one can own: its author changes it, and no one else but an administrator', async () => {
  project.write('server.ts', blockAfter('## Create a service'))
  project.write('visit.ts', visit)
  const { exitCode, stdout, stderr } = await project.node('visit.ts')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual([200, 200, 403, 401, 200, 200])
})

test('and exports its server, so that the commands know it', async () => {
  project.write('server.ts', blockAfter('## Create a service'))
  expect(await project.latchkey(['schema', 'server.ts'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('createArticle'),
  })
})
