import type { Account } from '@latchkey/accounts'
import { AccessError, type Resolvers } from '@latchkey/graphql'
import type { PublicationContext } from './policy.ts'
import type { Announcements } from './publication/announcements.ts'
import type { Article, ArticleStatus, Articles } from './publication/articles.ts'
import type { Comment, Comments } from './publication/comments.ts'
import { deletedAccount } from './publication/deleted-account.ts'
import { draftsFor } from './publication/drafts.ts'
import { requireFirst, requireText } from './publication/input.ts'
import { createLoaders } from './publication/loaders.ts'

type Paging = { readonly first?: number | null }
type ArticlesArguments = Paging & { readonly after?: string | null; readonly status?: ArticleStatus | null }
type ArticleInput = { readonly title: string; readonly body: string }
type Input<Fields> = { readonly input: Fields }

/** Creates the resolvers of the schema. The rules of a field are checked before its resolver runs. */
export function createResolvers(
  articles: Articles,
  comments: Comments,
  announcements: Announcements,
): Resolvers<PublicationContext> {
  const readArticle = (id: string, context: PublicationContext) => articles.get(id, draftsFor(context))
  const requireArticle = async (id: string, context: PublicationContext): Promise<Article> => {
    const article = await readArticle(id, context)
    if (!article) throw new AccessError('NOT_FOUND')
    return article
  }
  const readComment = (id: string, context: PublicationContext) => comments.get(id, draftsFor(context))
  const load = createLoaders(articles, comments)
  const author = async ({ authorId }: Article | Comment, _args: object, context: PublicationContext) =>
    (await load(context).account(authorId)) ?? deletedAccount(authorId)
  /** Finds only authors of visible articles: a search does not list all accounts. */
  const authorsNamed = async (text: string, context: PublicationContext): Promise<Account[]> => {
    const ids = await articles.authors(draftsFor(context))
    const accounts = await Promise.all(ids.map((id) => load(context).account(id)))
    return accounts.flatMap((account) => (account?.name.toLowerCase().includes(text.toLowerCase()) ? [account] : []))
  }

  return {
    Query: {
      articles: (_source, { first, after, status }: ArticlesArguments, context) =>
        articles.list({
          drafts: draftsFor(context),
          first: requireFirst(first),
          after: after ?? null,
          status: status ?? null,
        }),
      article: (_source, { id }: { id: string }, context) => readArticle(id, context),
      node: async (_source, { id }: { id: string }, context) =>
        (await readArticle(id, context)) ?? (await readComment(id, context)) ?? context.accounts.get(id),
      search: async (_source, { text, first }: Paging & { text: string }, context) => {
        const wanted = requireText('text', text)
        const limit = requireFirst(first)
        const drafts = draftsFor(context)
        const found = await articles.list({ drafts, first: limit, text: wanted })
        const remarks = await comments.search(wanted, limit, drafts)
        return [...(await authorsNamed(wanted, context)), ...found, ...remarks].slice(0, limit)
      },
    },
    Mutation: {
      createArticle: (_source, { input }: Input<ArticleInput>, { authorize }) =>
        articles.create({
          ...articleFrom(input),
          status: 'DRAFT',
          rating: null,
          authorId: authorize({ authenticated: true, permissions: 'articles:create' }).subject,
        }),
      updateArticle: async (_source, { input }: Input<ArticleInput & { id: string }>) =>
        found(await articles.update(input.id, articleFrom(input))),
      deleteArticle: async (_source, { id }: { id: string }) => found((await articles.remove(id)) || null),
      publishArticle: async (_source, { id }: { id: string }) => {
        const before = await articles.get(id, 'everybody')
        const article = found(await articles.publish(id))
        if (before?.status === 'DRAFT') announcements.articlePublished(article)
        return article
      },
      addComment: async (_source, { input }: Input<{ articleId: string; text: string }>, context) => {
        const article = await requireArticle(input.articleId, context)
        const authorId = context.authorize({ authenticated: true, permissions: 'comments:create' }).subject
        const comment = await comments.create({
          text: requireText('input.text', input.text),
          authorId,
          articleId: article.id,
        })
        announcements.commentAdded(comment)
        return comment
      },
      deleteComment: async (_source, { id }: { id: string }) => found((await comments.remove(id)) || null),
    },
    // An event is an id. Its article or comment is read for each subscriber when it arrives: if the subscriber may not
    // read it, the event is not sent.
    Subscription: {
      commentAdded: {
        async subscribe(_source, { articleId }: { articleId: string }, context) {
          await requireArticle(articleId, context)
          return announcements.ofComments(articleId)
        },
        resolve: async (id: string, _args, context) => found(await readComment(id, context)),
      },
      articlePublished: {
        subscribe: () => announcements.ofArticles(),
        resolve: (id: string, _args, context) => requireArticle(id, context),
      },
    },
    Account: {
      articles: ({ id }: Account, { first }: Paging, context) => load(context).articlesOf(id, requireFirst(first)),
    },
    Article: {
      wordCount: ({ body }: Article) => body.split(/\s+/).filter(Boolean).length,
      author,
      comments: ({ id }: Article, { first }: Paging, context) => load(context).commentsOf(id, requireFirst(first)),
    },
    Comment: {
      author,
      article: async ({ articleId }: Comment, _args, context) => found(await load(context).article(articleId)),
    },
    Node: { __resolveType: typeNameOf },
    SearchResult: { __resolveType: typeNameOf },
  }
}

function articleFrom({ title, body }: ArticleInput): ArticleInput {
  return { title: requireText('input.title', title), body: requireText('input.body', body) }
}

/** Returns the value or throws `NOT_FOUND`. The rules have already refused readers who may not know whether it exists. */
function found<Value>(value: Value | null): Value {
  if (value === null) throw new AccessError('NOT_FOUND')
  return value
}

const typeNames: Readonly<Record<string, string>> = { art: 'Article', com: 'Comment', acc: 'Account' }

function typeNameOf({ id }: { readonly id: string }): string | undefined {
  return typeNames[id.slice(0, 3)]
}
