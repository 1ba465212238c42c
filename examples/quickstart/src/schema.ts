/**
 * The publication's own part of the schema; `@latchkey/server` adds the accounts. Every field carries its rule: one
 * without stops the start and is named.
 */
export const typeDefs = /* GraphQL */ `
  interface Node {
    id: ID! @public
  }

  enum ArticleStatus {
    DRAFT
    PUBLISHED
  }

  extend type Account implements Node {
    articles(first: Int = 10): [Article!]! @public
  }

  type Article implements Node {
    id: ID! @public
    title: String! @public
    body: String! @public
    status: ArticleStatus! @public
    wordCount: Int! @public
    rating: Float @public
    author: Account! @public
    comments(first: Int = 10): [Comment!]! @public
  }

  type Comment implements Node {
    id: ID! @public
    text: String! @public
    author: Account! @public
    article: Article! @public
  }

  union SearchResult = Article | Comment | Account

  type Query {
    articles(first: Int = 10, after: ID, status: ArticleStatus): [Article!]! @public
    article(id: ID!): Article @public
    node(id: ID!): Node @authenticated
    search(text: String!, first: Int = 10): [SearchResult!]! @requires(permissions: "articles:read")
  }

  input CreateArticleInput {
    title: String!
    body: String!
  }

  input UpdateArticleInput {
    id: ID!
    title: String!
    body: String!
  }

  input AddCommentInput {
    articleId: ID!
    text: String!
  }

  type Mutation {
    createArticle(input: CreateArticleInput!): Article! @requires(permissions: "articles:create")
    updateArticle(input: UpdateArticleInput!): Article!
      @requires(permissions: "articles:update")
      @owner(of: "articles", argument: "input.id")
    deleteArticle(id: ID!): Boolean! @requires(permissions: "articles:delete") @owner(of: "articles", argument: "id")
    publishArticle(id: ID!): Article! @requires(permissions: "articles:publish")
    addComment(input: AddCommentInput!): Comment! @requires(permissions: "comments:create")
    deleteComment(id: ID!): Boolean!
      @owner(of: "comments", argument: "id", unless: "comments:delete")
      @scope(anyOf: [["comments:create"], ["comments:delete"]])
  }

  type Subscription {
    commentAdded(articleId: ID!): Comment! @authenticated @scope(anyOf: "articles:read")
    articlePublished: Article! @public
  }
`
