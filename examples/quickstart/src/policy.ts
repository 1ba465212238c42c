import { definePolicy } from '@latchkey/rbac'
import type { ServerContext } from '@latchkey/server'
import type { Article, Articles } from './publication/articles.ts'
import type { Comment, Comments } from './publication/comments.ts'

/** The context of every resolver. */
export type PublicationContext = ServerContext<PublicationPolicy>

/** The policy of the publication: its roles, their permissions, and the owners of articles and comments. */
export type PublicationPolicy = ReturnType<typeof createPolicy>

export function createPolicy(articles: Articles, comments: Comments) {
  return definePolicy({
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
      'audit:read',
      'ownership:bypass',
    ],
    roles: {
      READER: { permissions: ['articles:read', 'comments:create'] },
      AUTHOR: { inherits: ['READER'], permissions: ['articles:create', 'articles:update', 'articles:delete'] },
      EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish', 'comments:delete'] },
      ADMIN: {
        inherits: ['EDITOR'],
        permissions: ['accounts:read', 'accounts:update', 'audit:read', 'ownership:bypass'],
      },
    },
    ownership: {
      articles: { ownerOf: (article: Article) => article.authorId, ownersById: (ids) => articles.ownersOf(ids) },
      comments: { ownerOf: (comment: Comment) => comment.authorId, ownersById: (ids) => comments.ownersOf(ids) },
    },
  })
}
