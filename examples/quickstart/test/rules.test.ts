import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Answer, createVisitor, type Visitor } from './support/visitor.ts'

type Who = 'anonymous' | 'reader' | 'author' | 'other' | 'editor' | 'admin'
const signedIn = ['reader', 'author', 'other', 'editor', 'admin'] as const

const fields = {
  'Query.articles': '{ articles(first: 1) { id } }',
  'Query.article': '{ article(id: "art_nothing") { id } }',
  'Query.node': '{ node(id: "art_nothing") { id } }',
  'Query.search': '{ search(text: "the", first: 1) { __typename } }',
  'Query.accounts': '{ accounts(first: 1) { id } }',
  'Query.findAccounts': '{ findAccounts(text: "reader") { nodes { id email } endCursor hasNextPage } }',
  'Query.viewer': '{ viewer { id } }',
  'Query.sessions': '{ sessions { id } }',
  'Query.csrfToken': '{ csrfToken }',
  'Account.role': '{ articles(first: 1) { author { role } } }',
  'Account.name': '{ articles(first: 1) { author { name } } }',
  'Mutation.createArticle': 'mutation { createArticle(input: { title: "T", body: "B" }) { id } }',
  'Mutation.publishArticle': 'mutation { publishArticle(id: "art_nothing") { id } }',
  'Mutation.addComment': 'mutation { addComment(input: { articleId: "art_nothing", text: "T" }) { id } }',
  'Mutation.setRole': 'mutation { setRole(input: { accountId: "acc_nothing", role: READER }) { id } }',
  'Mutation.lockAccount': 'mutation { lockAccount(id: "acc_nothing") { id } }',
  'Mutation.unlockAccount': 'mutation { unlockAccount(id: "acc_nothing") { id } }',
  'Mutation.endSessions': 'mutation { endSessions(accountId: "acc_nothing") }',
  'Mutation.changeName': 'mutation { changeName(input: { name: "" }) { id } }',
  'Mutation.exportAccount': 'mutation { exportAccount }',
  'Mutation.requestEmailChange': 'mutation { requestEmailChange(input: { newEmail: "" }) }',
  'Mutation.confirmEmailChange': 'mutation { confirmEmailChange(input: { token: "" }) }',
  'Mutation.undoEmailChange': 'mutation { undoEmailChange(input: { token: "" }) }',
  'Mutation.deleteAccount': 'mutation { deleteAccount(input: { confirm: false }) }',
} as const

// 401 without an identity, 403 without the permission, 200 with it, as the service's contract names each rule.
const everybody = { anonymous: 200, reader: 200, author: 200, other: 200, editor: 200, admin: 200 }
const accountsOnly = { ...everybody, anonymous: 401 }
const authors = { ...accountsOnly, reader: 403 }
const editors = { ...authors, author: 403, other: 403 }
const admins = { ...editors, editor: 403 }
const expected: Readonly<Record<keyof typeof fields, Readonly<Record<Who, number>>>> = {
  'Query.articles': everybody,
  'Query.article': everybody,
  'Query.node': accountsOnly,
  'Query.search': accountsOnly,
  'Query.accounts': admins,
  'Query.findAccounts': admins,
  'Query.viewer': accountsOnly,
  'Query.sessions': accountsOnly,
  'Query.csrfToken': everybody,
  'Account.role': accountsOnly,
  'Account.name': everybody,
  'Mutation.createArticle': authors,
  'Mutation.publishArticle': editors,
  'Mutation.addComment': accountsOnly,
  'Mutation.setRole': admins,
  'Mutation.lockAccount': admins,
  'Mutation.unlockAccount': admins,
  'Mutation.endSessions': admins,
  'Mutation.changeName': accountsOnly,
  'Mutation.exportAccount': accountsOnly,
  'Mutation.requestEmailChange': accountsOnly,
  'Mutation.confirmEmailChange': everybody,
  'Mutation.undoEmailChange': everybody,
  'Mutation.deleteAccount': accountsOnly,
}

describe('the rules of the publication', () => {
  const url = inject('quickstartUrl')
  const visitors = new Map<Who, Visitor>()
  const ask = (who: Who, query: string, variables?: Record<string, unknown>): Promise<Answer> => {
    const visitor = visitors.get(who)
    if (!visitor) throw new Error(`no visitor called ${who}`)
    return visitor.ask(query, variables)
  }

  beforeAll(async () => {
    visitors.set('anonymous', createVisitor(url))
    for (const who of signedIn) {
      const visitor = createVisitor(url)
      await visitor.signIn(`${who}@example.com`)
      visitors.set(who, visitor)
    }
  })

  const cases = Object.entries(expected).flatMap(([field, row]) =>
    Object.entries(row).map(([who, status]) => [field, status, who] as const),
  )

  test.each(cases)('%s answers %i to %s', async (field, status, who) => {
    const answer = await ask(who as Who, fields[field as keyof typeof fields])
    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.errors[0]?.extensions.code).toBe('UNAUTHENTICATED')
    if (status === 403) expect(answer.errors[0]?.extensions.code).toBe('FORBIDDEN')
    if (status !== 200) expect(answer.text).not.toContain('"data"')
  })

  const create = async (who: Who) => {
    const { data } = await ask(
      who,
      'mutation { createArticle(input: { title: "A draft of mine", body: "Words." }) { id } }',
    )
    return data.createArticle.id as string
  }
  const comment = async (who: Who, articleId: string) => {
    const { data } = await ask(
      who,
      'mutation ($a: ID!) { addComment(input: { articleId: $a, text: "A remark" }) { id } }',
      { a: articleId },
    )
    return data.addComment.id as string
  }
  const remove = 'mutation ($id: ID!) { deleteArticle(id: $id) }'
  const removeComment = 'mutation ($id: ID!) { deleteComment(id: $id) }'

  test('an article is deleted only by its author and by an administrator', async () => {
    const [own, other] = [await create('author'), await create('author')]
    for (const who of ['reader', 'other', 'editor'] as const) {
      const refused = await ask(who, remove, { id: own })
      expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN'])
    }
    expect((await ask('author', 'query ($id: ID!) { article(id: $id) { id } }', { id: own })).data.article).toEqual({
      id: own,
    })
    expect((await ask('author', remove, { id: own })).data).toEqual({ deleteArticle: true })
    expect((await ask('admin', remove, { id: other })).data).toEqual({ deleteArticle: true })
  })

  test('an editor may not change the article of an author, an administrator may', async () => {
    const id = await create('author')
    const update =
      'mutation ($id: ID!) { updateArticle(input: { id: $id, title: "Changed", body: "Words." }) { title } }'
    expect((await ask('editor', update, { id })).status).toBe(403)
    expect((await ask('admin', update, { id })).data.updateArticle.title).toBe('Changed')
  })

  test('a missing article is reported only to users who may change all articles', async () => {
    const id = 'art_nothing'
    expect((await ask('author', remove, { id })).status).toBe(403)
    const answer = await ask('admin', remove, { id })
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([200, 'NOT_FOUND'])
  })

  test('a comment is deleted by its writer and by an editor', async () => {
    const { data } = await ask('anonymous', '{ articles(first: 1) { id } }')
    const [first, second] = [await comment('reader', data.articles[0].id), await comment('reader', data.articles[0].id)]
    expect((await ask('author', removeComment, { id: first })).status).toBe(403)
    expect((await ask('anonymous', removeComment, { id: first })).status).toBe(401)
    expect((await ask('reader', removeComment, { id: first })).data).toEqual({ deleteComment: true })
    expect((await ask('editor', removeComment, { id: second })).data).toEqual({ deleteComment: true })
  })

  test('a draft is absent on every path for users who may not read it', async () => {
    const id = await create('author')
    const paths = {
      article: 'query ($id: ID!) { article(id: $id) { id } }',
      node: 'query ($id: ID!) { node(id: $id) { id } }',
      list: '{ articles(first: 100) { id } }',
      drafts: '{ articles(first: 100, status: DRAFT) { id } }',
      search: '{ search(text: "draft of mine", first: 100) { ... on Article { id } } }',
      author: '{ articles(first: 5) { author { articles(first: 50) { id } } } }',
      viewer: '{ viewer { articles(first: 50) { id } } }',
    } as const
    const commentId = await comment('author', id)
    for (const who of ['reader', 'other'] as const) {
      for (const [path, query] of Object.entries(paths)) {
        const { status, text } = await ask(who, query, { id })
        expect([path, status, text.includes(id)]).toEqual([path, 200, false])
      }
      expect((await ask(who, 'query ($id: ID!) { node(id: $id) { id } }', { id: commentId })).data.node).toBeNull()
      const after = 'query ($id: ID!) { articles(after: $id) { id } }'
      expect((await ask(who, after, { id })).data).toEqual((await ask(who, after, { id: 'art_nothing' })).data)
      const added = await ask(who, 'mutation ($a: ID!) { addComment(input: { articleId: $a, text: "T" }) { id } }', {
        a: id,
      })
      expect(added.errors[0]?.extensions.code).toBe('NOT_FOUND')
    }
    for (const who of ['author', 'editor', 'admin'] as const) {
      for (const path of ['article', 'node', 'list', 'drafts', 'search'] as const) {
        expect([path, (await ask(who, paths[path], { id })).text.includes(id)]).toEqual([path, true])
      }
    }
  })

  test('a comment on a draft does not even make a list shorter', async () => {
    const remark = 'mutation ($a: ID!, $t: String!) { addComment(input: { articleId: $a, text: $t }) { id } }'
    const published = await create('author')
    await ask('editor', 'mutation ($id: ID!) { publishArticle(id: $id) { id } }', { id: published })
    await ask('reader', remark, { a: published, t: 'Is it a quagga?' })
    const hidden = (await ask('author', remark, { a: await create('author'), t: 'It is a quagga.' })).data.addComment.id
    const latest = '{ search(text: "quagga", first: 1) { ... on Comment { id text } } }'
    for (const who of ['reader', 'other'] as const) {
      expect((await ask(who, latest)).data.search).toMatchObject([{ text: 'Is it a quagga?' }])
    }
    for (const who of ['author', 'editor'] as const) {
      expect((await ask(who, latest)).data.search).toEqual([{ id: hidden, text: 'It is a quagga.' }])
    }
  })

  test.each([
    ['mutation { createArticle(input: { title: " ", body: "B" }) { id } }', 'input.title', 200],
    ['mutation { createArticle(input: { title: "T", body: "" }) { id } }', 'input.body', 200],
    ['{ search(text: " ") { __typename } }', 'text', 200],
    ['{ articles(first: 101) { id } }', 'first', 400],
  ])('a refused input is named by its argument and its field: %s', async (query, field, expectedStatus) => {
    const { status, errors } = await ask('author', query)
    expect([status, errors[0]?.extensions]).toEqual([expectedStatus, { code: 'BAD_USER_INPUT', field }])
  })

  test('an e-mail is seen by the account itself and by accounts:read', async () => {
    expect((await ask('reader', '{ viewer { email } }')).data.viewer.email).toBe('reader@example.com')
    const foreign = '{ articles(first: 1) { author { email } } }'
    expect((await ask('anonymous', foreign)).status).toBe(401)
    const refused = await ask('reader', foreign)
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN'])
    expect((await ask('admin', foreign)).data.articles[0].author.email).toMatch(/@example\.com$/)
  })

  test('a changed role takes effect at once', async () => {
    const other = createVisitor(url)
    await other.signIn('other@example.com')
    const { data } = await other.ask('{ viewer { id } }')
    const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }'
    const answer = await ask('admin', setRole, { input: { accountId: data.viewer.id, role: 'READER' } })
    expect(answer.data.setRole.role).toBe('READER')
    expect((await other.ask('{ viewer { id } }')).status).toBe(401)
    await other.signIn('other@example.com')
    expect((await other.ask('mutation { createArticle(input: { title: "T", body: "B" }) { id } }')).status).toBe(403)
    await ask('admin', setRole, { input: { accountId: data.viewer.id, role: 'AUTHOR' } })
  })
})
