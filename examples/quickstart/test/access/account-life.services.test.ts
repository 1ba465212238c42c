import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, seedPassword, type Visitor } from '../support/visitor.ts'

const outcomeOf = ({ status, errors }: Awaited<ReturnType<Visitor['ask']>>) => [
  status,
  errors[0]?.extensions.code ?? null,
]

async function open() {
  const service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
  onTestFinished(async () => void (await service.stop()))
  const signedIn = async (who: string): Promise<Visitor> => {
    const visitor = createVisitor(service.url)
    await visitor.signIn(`${who}@example.com`)
    return visitor
  }
  const tokenTo = async (to: string, kind: string): Promise<string> => {
    await expect.poll(async () => (await service.mailsTo(to)).map((mail) => mail.kind)).toContain(kind)
    const mail = (await service.mailsTo(to)).findLast((one) => one.kind === kind)
    return new URL(mail?.url ?? '').searchParams.get('token') ?? ''
  }
  return { service, signedIn, tokenTo }
}

describe('an author who deletes the account', () => {
  test('takes the drafts along, and leaves published articles and comments without the name of their author', async () => {
    const { service, signedIn } = await open()
    const [author, editor, admin] = await Promise.all(['author', 'editor', 'admin'].map(signedIn))
    if (!author || !editor || !admin) throw new Error('no one has signed in')
    const create = 'mutation ($title: String!) { createArticle(input: { title: $title, body: "B" }) { id } }'
    const [draft, article] = [
      (await author.ask(create, { title: 'Kept to myself' })).data.createArticle.id,
      (await author.ask(create, { title: 'For everybody' })).data.createArticle.id,
    ]
    await editor.ask('mutation ($id: ID!) { publishArticle(id: $id) { id } }', { id: article })
    const remark = 'mutation ($articleId: ID!) { addComment(input: { articleId: $articleId, text: "Mine" }) { id } }'
    const comment = (await author.ask(remark, { articleId: article })).data.addComment.id
    const { viewer } = (await author.ask('{ viewer { id } }')).data
    const exported = JSON.parse((await author.ask('mutation { exportAccount }')).data.exportAccount)
    expect(exported.account).toMatchObject({ id: viewer.id, email: 'author@example.com' })
    expect(exported.application.articles).toContainEqual({
      id: draft,
      title: 'Kept to myself',
      body: 'B',
      status: 'DRAFT',
    })
    expect(exported.application.comments).toContainEqual({ id: comment, text: 'Mine', articleId: article })

    const remove = 'mutation ($confirm: Boolean!) { deleteAccount(input: { confirm: $confirm }) }'
    expect(outcomeOf(await author.ask(remove, { confirm: false }))).toEqual([200, 'BAD_USER_INPUT'])
    expect((await author.ask(remove, { confirm: true })).data).toEqual({ deleteAccount: true })
    expect(outcomeOf(await author.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])

    const left = '($id: ID!) { article(id: $id) { author { id name role email } comments { author { name } } } }'
    expect((await admin.ask(`query ${left}`, { id: article })).data.article).toEqual({
      author: { id: viewer.id, name: 'Deleted account', role: 'READER', email: null },
      comments: [{ author: { name: 'Deleted account' } }],
    })
    expect((await editor.ask('query ($id: ID!) { article(id: $id) { id } }', { id: draft })).data.article).toBeNull()
    expect((await admin.ask('query ($id: ID!) { node(id: $id) { id } }', { id: viewer.id })).data.node).toBeNull()
    const search = '{ search(text: "Deleted account") { __typename } }'
    expect((await admin.ask(search)).data.search).toEqual([])
    const signIn = await createVisitor(service.url).signIn('author@example.com')
    expect(outcomeOf(signIn)).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  test('may sign up with the address anew, as another account', async () => {
    const { service, signedIn, tokenTo } = await open()
    const other = await signedIn('other')
    const before = (await other.ask('{ viewer { id } }')).data.viewer.id
    await other.ask('mutation { deleteAccount(input: { confirm: true }) }')
    const input = { email: 'other@example.com', password: seedPassword, name: 'Other' }
    const visitor = createVisitor(service.url)
    await visitor.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input })
    const token = await tokenTo('other@example.com', 'verify-address')
    const verify = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
    await visitor.ask(verify, { input: { token, password: seedPassword } })
    await visitor.signIn('other@example.com')
    const { viewer } = (await visitor.ask('{ viewer { id role } }')).data
    expect(viewer.role).toBe('READER')
    expect(viewer.id).not.toBe(before)
  })
})

test('the last administrator can neither delete nor lock nor demote itself', async () => {
  const { signedIn } = await open()
  const admin = await signedIn('admin')
  const { id } = (await admin.ask('{ viewer { id } }')).data.viewer
  for (const query of [
    'mutation { deleteAccount(input: { confirm: true }) }',
    `mutation { lockAccount(id: "${id}") { id } }`,
    `mutation { setRole(input: { accountId: "${id}", role: READER }) { id } }`,
  ]) {
    expect(outcomeOf(await admin.ask(query))).toEqual([200, 'BAD_USER_INPUT'])
  }
  expect((await admin.ask('{ viewer { role } }')).data.viewer.role).toBe('ADMIN')
})

test('an address is changed by the mail to the new one, and given back by the mail to the old one', async () => {
  const { service, signedIn, tokenTo } = await open()
  const reader = await signedIn('reader')
  const change = 'mutation { requestEmailChange(input: { newEmail: "ada@example.org" }) }'
  expect((await reader.ask(change)).data).toEqual({ requestEmailChange: true })
  const confirm = 'mutation ($token: String!) { confirmEmailChange(input: { token: $token }) }'
  const token = await tokenTo('ada@example.org', 'confirm-email-change')
  expect((await createVisitor(service.url).ask(confirm, { token })).data).toEqual({ confirmEmailChange: true })
  expect((await reader.ask('{ viewer { email } }')).data.viewer.email).toBe('ada@example.org')
  const undo = 'mutation ($token: String!) { undoEmailChange(input: { token: $token }) }'
  const back = await tokenTo('reader@example.com', 'email-changed')
  expect((await createVisitor(service.url).ask(undo, { token: back })).data).toEqual({ undoEmailChange: true })
  expect(outcomeOf(await reader.ask('{ viewer { email } }'))).toEqual([401, 'UNAUTHENTICATED'])
  await tokenTo('reader@example.com', 'choose-password')
})
