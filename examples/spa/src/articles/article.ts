/** An article in lists and on its page. */
export interface Article {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly status: 'DRAFT' | 'PUBLISHED'
  readonly wordCount: number
  readonly rating: number | null
  readonly author: { readonly id: string; readonly name: string }
}

const fields = 'id title body status wordCount rating author { id name }'

export const listArticles = `query Articles { articles(first: 100) { ${fields} } }`
export const readArticle = `query Article($id: ID!) {
  article(id: $id) { ${fields} comments(first: 50) { id text author { name } } }
}`
export const createArticle = `mutation Create($input: CreateArticleInput!) { createArticle(input: $input) { id } }`
export const updateArticle = `mutation Update($input: UpdateArticleInput!) { updateArticle(input: $input) { id } }`
export const publishArticle = `mutation Publish($id: ID!) { publishArticle(id: $id) { id } }`
export const addComment = `mutation Comment($input: AddCommentInput!) { addComment(input: $input) { id } }`
export const hearOfArticles = `subscription Published { articlePublished { ${fields} } }`
