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
    "Articles of the account, newest first. Drafts are visible to their author and to editors."
    articles(first: Int = 10): [Article!]! @public
  }

  type Article implements Node {
    id: ID! @public
    title: String! @public
    body: String! @public
    status: ArticleStatus! @public
    "Number of words in the body."
    wordCount: Int! @public
    "Rating; null if the article is not rated."
    rating: Float @public
    author: Account! @public
    "Comments on the article, oldest first."
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
    "Articles, newest first. For the next page, pass the ID of the last article as after."
    articles(first: Int = 10, after: ID, status: ArticleStatus): [Article!]! @public
    "Article; null if it does not exist or is a draft of another author."
    article(id: ID!): Article @public
    "Article, comment or account by its ID."
    node(id: ID!): Node @authenticated
    "Accounts, articles and comments that contain the text."
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
    "Creates an article as a draft."
    createArticle(input: CreateArticleInput!): Article! @requires(permissions: "articles:create")
    "Changes the title and body of an article of the account."
    updateArticle(input: UpdateArticleInput!): Article!
      @requires(permissions: "articles:update")
      @owner(of: "articles", argument: "input.id")
    "Deletes an article of the account with its comments."
    deleteArticle(id: ID!): Boolean! @requires(permissions: "articles:delete") @owner(of: "articles", argument: "id")
    "Publishes a draft."
    publishArticle(id: ID!): Article! @requires(permissions: "articles:publish")
    "Adds a comment to an article. NOT_FOUND if the article does not exist."
    addComment(input: AddCommentInput!): Comment! @requires(permissions: "comments:create")
    "Deletes a comment of the account. Editors can delete all comments."
    deleteComment(id: ID!): Boolean!
      @owner(of: "comments", argument: "id", unless: "comments:delete")
      @scope(anyOf: [["comments:create"], ["comments:delete"]])
  }

  type Subscription {
    "New comments on an article."
    commentAdded(articleId: ID!): Comment! @authenticated @scope(anyOf: "articles:read")
    "Published articles."
    articlePublished: Article! @public
  }
`
