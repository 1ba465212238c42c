import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import { createMcp } from '@latchkey/mcp'
import type { Identity } from '@latchkey/rbac'
import { type GraphQLFieldResolver, isAbstractType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createPolicy } from '../../src/policy.ts'
import { clientPermissions } from '../../src/publication/demo-clients.ts'
import { server } from '../../src/server.ts'
import { initialScopes, tools } from '../../src/tools/tools.ts'

const subject = 'acc_owner'
const ofTwo = async (ids: readonly string[]) => new Map(ids.map((id) => [id, id === 'own' ? subject : 'acc_other']))
const owned = { ownersOf: ofTwo }
const policy = createPolicy(owned as never, owned as never).withOwnership({
  accounts: { ownerOf: (account: { readonly id: string }) => account.id },
})
const { schema } = server.access

/** What each field returns: only who may have it is decided here. */
const account = { __typename: 'Account', id: subject, name: 'Ada', email: 'ada@example.com' }
const comment = { __typename: 'Comment', id: '1', text: 'T', author: account }
const article = {
  __typename: 'Article',
  id: '1',
  title: 'T',
  body: 'B',
  status: 'DRAFT',
  wordCount: 1,
  author: account,
  comments: [comment],
}
const results: Readonly<Record<string, unknown>> = {
  articles: [article],
  article,
  search: [article, comment, account],
  viewer: account,
  findAccounts: { nodes: [account] },
  createArticle: article,
  updateArticle: article,
  deleteArticle: true,
  publishArticle: article,
  addComment: comment,
  deleteComment: true,
}
for (const type of Object.values(schema.getTypeMap())) {
  if (isAbstractType(type)) type.resolveType = undefined
  if (!isObjectType(type) || type.name.startsWith('__')) continue
  const isRoot = type === schema.getQueryType() || type === schema.getMutationType()
  for (const field of Object.values(type.getFields())) {
    const resolve: GraphQLFieldResolver<unknown, unknown> = () => results[field.name] ?? null
    field.resolve = isRoot ? resolve : undefined
  }
}
const access = compileAccess({ schema, policy })

/** What the metadata of the resource lists. */
const publishedScopes = ['openid', 'profile', 'email', 'online_access', ...clientPermissions]
const mcp = createMcp({ access, publishedScopes, resource: 'http://127.0.0.1:4000/mcp', tools, initialScopes })

let identity: Identity | null = null
const endpoint = createGraphqlHandler({
  access,
  identify: { read: async () => ({ credential: 'bearer', identity }) as never },
  publishedScopes,
  observe: { onEvent: () => undefined },
})

const headers = new Map([
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream, application/graphql-response+json'],
  ['mcp-protocol-version', '2025-11-25'],
])

/** A request as a server hands it over: one of Fetch would cost more than the decision. */
function post(target: string, body: object): HttpRequest {
  const { signal } = new AbortController()
  return {
    ...{ method: 'POST', target, authority: '127.0.0.1:4000', headers, cookies: new Map(), peerAddress: null, signal },
    body: async () => JSON.stringify(body),
  }
}

interface Decision {
  readonly is: 'open' | 'narrow' | 'refused' | 'unknown'
  readonly scopes: readonly string[] | null
}

/** What the endpoint decides. */
async function ofEndpoint(body: object): Promise<Decision> {
  const response = await endpoint.handle(post('/graphql', body))
  if (response.status === 200) return { is: 'open', scopes: null }
  const { challenge, scopes = null } = JSON.parse(String(response.body)).errors[0].extensions
  return { is: challenge === 'insufficient_scope' ? 'narrow' : 'refused', scopes }
}

/** What the resource decides. */
async function ofResource(name: string, args: object): Promise<Decision> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const { status, body } = await mcp.respond(post('/mcp', message), {
    identity,
    isTokenRefused: false,
    execute: (operation) => endpoint.handle(post('/graphql', operation)),
    limit: async () => null,
    called: () => undefined,
  })
  const { error, result } = JSON.parse(String(body))
  if (error?.code === -32602) return { is: 'unknown', scopes: null }
  if (status === 403) return { is: 'narrow', scopes: error.data.scopes }
  return { is: result.isError ? 'refused' : 'open', scopes: null }
}

const roles = ['READER', 'AUTHOR', 'EDITOR', 'ADMIN'] as const
const tried = ['openid', 'email', ...clientPermissions]
const sets = Array.from({ length: 2 ** tried.length }, (_none, set) =>
  tried.filter((_name, position) => (set & (1 << position)) !== 0),
)
type Verdict = (typeof mcp.verdicts)[number]

/** Whether a role can have all of an alternative: what is no permission anybody can have. */
const permissionsOf = (role: string) =>
  policy.permissions.filter((name) => policy.can(policy.identify({ subject, roles: [role] }), name as never))
const isUsable = (held: readonly string[], scopes: readonly string[]) =>
  scopes.every((scope) => held.includes(scope) || !policy.permissions.includes(scope as never))

/** What is published of a tool, for an account with a role and a grant of these scopes that owns what it names. */
function published({ roles: ofRoles, scopes }: Verdict, role: string, held: readonly string[], set: readonly string[]) {
  if (ofRoles[role] === 'no') return 'unknown'
  return scopes.some((one) => isUsable(held, one) && one.every((scope) => set.includes(scope))) ? 'open' : 'narrow'
}

const documentOf = (name: string) => tools.find(({ document }) => document.includes(` ${name}`))?.document ?? ''
const argumentsOf = (name: string, id: string) => {
  const [declared = ''] = documentOf(name).split('{')
  const all = { id, articleId: id, text: 'T', title: 'T', body: 'B' }
  return Object.fromEntries(Object.entries(all).filter(([key]) => declared.includes(`$${key}:`)))
}

async function decide(name: string, id: string) {
  const variables = argumentsOf(name, id)
  return {
    ofMcp: await ofResource(name, variables),
    ofGraphql: await ofEndpoint({ query: documentOf(name), variables }),
  }
}

describe('the published verdict of every tool', () => {
  let count = 0

  const cases = mcp.verdicts.flatMap((verdict) => roles.map((role) => ({ name: verdict.name, role, verdict })))

  test.each(cases)(
    'the verdict of $name is the same at /mcp and /graphql for $role with every set of scopes',
    async (one) => {
      const { name, role, verdict } = one
      const held = permissionsOf(role)
      const differing: unknown[] = []
      for (const scopes of sets) {
        identity = policy.identify({ subject, roles: [role], scopes, firstParty: false, clientId: 'agent' })
        const { ofMcp, ofGraphql } = await decide(name, 'own')
        const is = published(verdict, role, held, scopes)
        const expected = is === 'unknown' ? 'refused' : is
        const isSame = ofMcp.is === is && ofGraphql.is === expected && String(ofMcp.scopes) === String(ofGraphql.scopes)
        if (!isSame) differing.push([scopes, is, ofMcp, ofGraphql])
        count++
      }
      expect(differing).toEqual([])
    },
  )

  test('was compared for each tool, role and set of scopes', () => {
    process.stdout.write(`published verdict = /mcp = /graphql: ${count} decisions\n`)
    expect(count).toBe(tools.length * roles.length * sets.length)
  })

  test.each(roles)("a tool refuses %s another account's data as /graphql does", async (role) => {
    const held = permissionsOf(role)
    for (const verdict of mcp.verdicts.filter(({ name, owner }) => owner.length > 0 && name !== 'whoAmI')) {
      for (const scopes of sets) {
        identity = policy.identify({ subject, roles: [role], scopes, firstParty: false, clientId: 'agent' })
        const { ofMcp, ofGraphql } = await decide(verdict.name, 'other')
        const { is } = ofMcp
        expect([verdict.name, scopes, is === 'unknown' ? 'refused' : is, ofMcp.scopes]).toEqual([
          verdict.name,
          scopes,
          ofGraphql.is,
          ofGraphql.scopes,
        ])
        const isOwn = verdict.roles[role] === 'own' && published(verdict, role, held, scopes) === 'open'
        if (isOwn) expect([verdict.name, scopes, is]).toEqual([verdict.name, scopes, 'refused'])
      }
    }
  })
})

test('the tools of the publication are published as follows', () => {
  const lines = mcp.verdicts.map(({ name, kind, scopes, owner, stepUp, roles: ofRoles }) =>
    [
      name,
      kind,
      JSON.stringify(scopes),
      owner.join() || '-',
      JSON.stringify(stepUp),
      ...roles.map((role) => ofRoles[role]),
    ].join(' '),
  )
  expect(lines).toMatchInlineSnapshot(`
    [
      "listArticles query [[]] - null yes yes yes yes",
      "readArticle query [[]] - null yes yes yes yes",
      "searchArticles query [["articles:read"]] - null yes yes yes yes",
      "whoAmI query [["openid","email"],["openid","accounts:read"]] accounts null own own own yes",
      "findAccounts query [["accounts:read"]] - null no no no yes",
      "createDraft mutation [["articles:create"]] - null no yes yes yes",
      "updateArticle mutation [["articles:update"]] articles null no own own own",
      "deleteArticle mutation [["articles:delete"]] articles null no own own own",
      "publishArticle mutation [["articles:publish"]] - null no no yes yes",
      "addComment mutation [["comments:create"]] - null yes yes yes yes",
      "deleteComment mutation [["comments:create"],["comments:delete"]] comments null own own yes yes",
    ]
  `)
})
