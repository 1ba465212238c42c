import { readFileSync } from 'node:fs'

/** The tools of agents, each the name of a document: a change of a document is reviewed like other code. */
export const tools = [
  tool('listArticles', 'List articles', 'Lists articles, newest first.'),
  tool('readArticle', 'Read an article', 'Returns an article with its first comments.'),
  tool('searchArticles', 'Search', 'Finds articles, comments and authors that contain a text.'),
  tool('whoAmI', 'Show the account', 'Returns the account for which the agent acts.'),
  tool('findAccounts', 'Find accounts', 'Finds accounts by name or email address. For administrators.'),
  tool('createDraft', 'Begin an article', 'Creates an article as a draft.', { destructive: false }),
  tool('updateArticle', 'Change an article', 'Replaces title and body of an article of the account.'),
  tool('deleteArticle', 'Delete an article', 'Deletes an article of the account with its comments.'),
  tool('publishArticle', 'Publish an article', 'Makes a draft visible to everybody. For editors.', {
    destructive: false,
  }),
  tool('addComment', 'Comment', 'Adds a comment to an article.', { destructive: false }),
  tool('deleteComment', 'Delete a comment', 'Deletes a comment of the account; editors can delete all comments.'),
]

/** The scopes that a client without a token is advised to request first. */
export const initialScopes = ['openid', 'articles:read']

interface Tool {
  readonly document: string
  readonly title: string
  readonly description: string
  readonly destructive?: boolean
}

function tool(name: string, title: string, description: string, hints: { readonly destructive?: boolean } = {}): Tool {
  const document = readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8')
  return { document, title, description, ...hints }
}
