import { compileAccess, reportAccess } from '@latchkey/graphql'
import { expect, test } from 'vitest'
import { policy, schemaOf } from '../support/access-fixture.ts'

const sdl = `
  interface Node { id: ID! @authenticated }
  type Article implements Node { id: ID! @public, title: String @public }
  type Account { email: String @owner(of: "accounts", unless: "accounts:read") }
  type Secret @requires(permissions: [["articles:read", "accounts:read"], ["articles:publish"]]) { text: String @firstParty }
  union Hit = Article | Secret
  type Query { hit: Hit @public, account: Account @public, machine: String @client, health: String @public }
  type Mutation {
    signIn: String @public @credential
    changePassword: String @authenticated @credential
    publish: String @requires(permissions: "articles:publish") @stepUp(maxAgeSeconds: 300)
    update(id: ID!): String @requires(permissions: "articles:update") @owner(argument: "id")
  }`

test('reportAccess lists the rule and the outcome for each role of every coordinate', () => {
  const { text, rows, columns } = reportAccess(compileAccess({ schema: schemaOf(sdl), policy }))
  expect(text).toMatchInlineSnapshot(`
    "Coordinate               Rule                                                               anonymous  READER  AUTHOR  EDITOR   ADMIN    third party without scopes
    Account.email            owner of accounts, or accounts:read                                401        own     own     own      yes      403
    Article.id               authenticated                                                      401        yes     yes     yes      yes      403
    Article.title            public                                                             yes        yes     yes     yes      yes      yes
    Mutation.changePassword  authenticated; first party; credential                             401        yes     yes     yes      yes      403
    Mutation.publish         articles:publish; factor at most 300 s old                         401        403     403     step-up  step-up  403
    Mutation.signIn          public; credential                                                 yes        yes     yes     yes      yes      yes
    Mutation.update          articles:update; owner of articles by id                           401        403     own     own      yes      403
    Query.account            public                                                             yes        yes     yes     yes      yes      yes
    Query.health             public                                                             yes        yes     yes     yes      yes      yes
    Query.hit                accounts:read and articles:read, or articles:publish               401        403     403     yes      yes      403
    Query.machine            client                                                             401        403     403     403      403      403
    Secret.text              first party; accounts:read and articles:read, or articles:publish  401        403     403     yes      yes      403
    __schema                 refused                                                            401        403     403     403      403      403
    "
  `)
  expect(columns).toEqual(['anonymous', 'READER', 'AUTHOR', 'EDITOR', 'ADMIN', 'third party without scopes'])
  expect(rows.find(({ coordinate }) => coordinate === 'Mutation.update')).toEqual({
    coordinate: 'Mutation.update',
    rule: 'articles:update; owner of articles by id',
    outcomes: {
      anonymous: '401',
      READER: '403',
      AUTHOR: 'own',
      EDITOR: 'own',
      ADMIN: 'yes',
      'third party without scopes': '403',
    },
  })
})

test('reportAccess is the same for rules from SDL and from a map', () => {
  const bare = schemaOf(sdl.replaceAll(/ @\w+(\(((?!\)).)*\))?/g, ''))
  const rules = {
    'Node.id': 'authenticated',
    'Article.id': 'public',
    'Article.title': 'public',
    'Account.email': { owner: { of: 'accounts', unless: 'accounts:read' } },
    Secret: { permissions: [['articles:publish'], ['accounts:read', 'articles:read']] },
    'Secret.text': { firstParty: true },
    'Query.hit': 'public',
    'Query.account': 'public',
    'Query.machine': { client: true },
    'Query.health': 'public',
    'Mutation.signIn': { public: true, credential: true },
    'Mutation.changePassword': { authenticated: true, credential: true },
    'Mutation.publish': { permissions: 'articles:publish', stepUp: { maxAgeSeconds: 300 } },
    'Mutation.update': { permissions: 'articles:update', owner: { of: 'articles', argument: 'id' } },
  } as const
  const fromMap = reportAccess(compileAccess({ schema: bare, policy, rules }))
  expect(fromMap.text).toBe(reportAccess(compileAccess({ schema: schemaOf(sdl), policy })).text)
})

test('reportAccess has a row for introspection', () => {
  const schema = schemaOf('type Query { health: String @public }')
  const ruleOf = (introspection: 'public' | 'authenticated' | 'refused') =>
    reportAccess(compileAccess({ schema, policy, introspection })).rows.find(
      ({ coordinate }) => coordinate === '__schema',
    )
  expect(ruleOf('refused')).toMatchObject({ rule: 'refused', outcomes: { anonymous: '401', ADMIN: '403' } })
  expect(ruleOf('authenticated')).toMatchObject({
    rule: 'authenticated',
    outcomes: { anonymous: '401', READER: 'yes' },
  })
  expect(ruleOf('public')).toMatchObject({ rule: 'public', outcomes: { anonymous: 'yes' } })
})
