import { compileAccess, reportAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import { expect, test } from 'vitest'
import { schemaOf } from '../support/access-fixture.ts'

// The rules of a whole publication (accounts, articles, comments) in the words of the directives.

interface Owned {
  readonly owner: string
}
const owned = { ownerOf: ({ owner }: Owned) => owner, ownersById: async () => new Map<string, string>() }
const policy = definePolicy({
  permissions: [
    'articles:read',
    'articles:create',
    'articles:update',
    'articles:delete',
    'articles:publish',
    'comments:create',
    'comments:delete',
    'accounts:read',
    'accounts:update',
    'ownership:bypass',
  ],
  roles: {
    READER: { permissions: ['articles:read', 'comments:create'] },
    AUTHOR: { inherits: ['READER'], permissions: ['articles:create', 'articles:update', 'articles:delete'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish', 'comments:delete'] },
    ADMIN: { inherits: ['EDITOR'], permissions: ['accounts:read', 'accounts:update', 'ownership:bypass'] },
  },
  ownership: { articles: owned, comments: owned, accounts: { ownerOf: (account: { id: string }) => account.id } },
})

const sdl = `
  interface Node { id: ID! @public }
  enum Role { READER AUTHOR EDITOR ADMIN }
  type Account implements Node {
    id: ID! @public
    name: String! @public
    email: String @owner(unless: "accounts:read")
    role: Role! @authenticated
    articles(first: Int = 10): [Article!]! @public
  }
  type Article implements Node { id: ID! @public, title: String! @public, author: Account! @public }
  type Comment implements Node { id: ID! @public, text: String! @public, author: Account! @public }
  type Session { id: ID! @public }
  type SignInPayload { account: Account @public, accessToken: String @public }
  union SearchResult = Article | Comment | Account
  input UpdateArticleInput { id: ID!, title: String! }
  input SetRoleInput { accountId: ID!, role: Role! }
  type Query {
    articles(first: Int = 10): [Article!]! @public
    node(id: ID!): Node @authenticated
    search(text: String!): [SearchResult!]! @requires(permissions: "articles:read")
    accounts: [Account!]! @requires(permissions: "accounts:read")
    viewer: Account! @authenticated
    sessions: [Session!]! @authenticated @firstParty
    csrfToken: String @public
  }
  type Mutation {
    createArticle(title: String!): Article! @requires(permissions: "articles:create")
    updateArticle(input: UpdateArticleInput!): Article! @requires(permissions: "articles:update") @owner(argument: "input.id")
    deleteArticle(id: ID!): Boolean! @requires(permissions: "articles:delete") @owner(argument: "id")
    publishArticle(id: ID!): Article! @requires(permissions: "articles:publish")
    addComment(text: String!): Comment! @requires(permissions: "comments:create")
    deleteComment(id: ID!): Boolean! @owner(of: "comments", argument: "id", unless: "comments:delete")
    setRole(input: SetRoleInput!): Account! @requires(permissions: "accounts:update") @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    signIn(email: String!, password: String!): SignInPayload! @public @credential
    signOut: Boolean! @public
    changePassword(currentPassword: String!): Boolean! @authenticated @firstParty @credential
  }
  type Subscription { commentAdded(articleId: ID!): Comment! @authenticated, articlePublished: Article! @public }`

test('the rules of a publication are expressed, and reported', () => {
  const { text } = reportAccess(compileAccess({ schema: schemaOf(sdl), policy, introspection: 'public' }))
  expect(text).toMatchInlineSnapshot(`
    "Coordinate                     Rule                                                                               anonymous  READER  AUTHOR  EDITOR  ADMIN    third party without scopes
    Account.articles               public                                                                             yes        yes     yes     yes     yes      yes
    Account.email                  owner of accounts, or accounts:read                                                401        own     own     own     yes      403
    Account.id                     public                                                                             yes        yes     yes     yes     yes      yes
    Account.name                   public                                                                             yes        yes     yes     yes     yes      yes
    Account.role                   authenticated                                                                      401        yes     yes     yes     yes      403
    Article.author                 public                                                                             yes        yes     yes     yes     yes      yes
    Article.id                     public                                                                             yes        yes     yes     yes     yes      yes
    Article.title                  public                                                                             yes        yes     yes     yes     yes      yes
    Comment.author                 public                                                                             yes        yes     yes     yes     yes      yes
    Comment.id                     public                                                                             yes        yes     yes     yes     yes      yes
    Comment.text                   public                                                                             yes        yes     yes     yes     yes      yes
    Mutation.addComment            comments:create                                                                    401        yes     yes     yes     yes      403
    Mutation.changePassword        authenticated; first party; credential                                             401        yes     yes     yes     yes      403
    Mutation.createArticle         articles:create                                                                    401        403     yes     yes     yes      403
    Mutation.deleteArticle         articles:delete; owner of articles by id                                           401        403     own     own     yes      403
    Mutation.deleteComment         owner of comments by id, or comments:delete                                        401        own     own     yes     yes      403
    Mutation.publishArticle        articles:publish                                                                   401        403     403     yes     yes      403
    Mutation.setRole               accounts:update; factor at most 300 s old, the first one where there is no second  401        403     403     403     step-up  403
    Mutation.signIn                public; credential                                                                 yes        yes     yes     yes     yes      yes
    Mutation.signOut               public                                                                             yes        yes     yes     yes     yes      yes
    Mutation.updateArticle         articles:update; owner of articles by input.id                                     401        403     own     own     yes      403
    Query.accounts                 accounts:read                                                                      401        403     403     403     yes      403
    Query.articles                 public                                                                             yes        yes     yes     yes     yes      yes
    Query.csrfToken                public                                                                             yes        yes     yes     yes     yes      yes
    Query.node                     authenticated                                                                      401        yes     yes     yes     yes      403
    Query.search                   articles:read                                                                      401        yes     yes     yes     yes      403
    Query.sessions                 authenticated; first party                                                         401        yes     yes     yes     yes      403
    Query.viewer                   authenticated                                                                      401        yes     yes     yes     yes      403
    Session.id                     public                                                                             yes        yes     yes     yes     yes      yes
    SignInPayload.accessToken      public                                                                             yes        yes     yes     yes     yes      yes
    SignInPayload.account          public                                                                             yes        yes     yes     yes     yes      yes
    Subscription.articlePublished  public                                                                             yes        yes     yes     yes     yes      yes
    Subscription.commentAdded      authenticated                                                                      401        yes     yes     yes     yes      403
    __schema                       public                                                                             yes        yes     yes     yes     yes      yes
    "
  `)
})
