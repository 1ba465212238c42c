import type { DraftsOf } from './articles.ts'

export interface Comment {
  readonly id: string
  readonly text: string
  readonly authorId: string
  readonly articleId: string
}

/** The stored comments. `drafts` excludes comments on articles that the reader may not see. */
export interface Comments {
  get(id: string, drafts: DraftsOf): Promise<Comment | null>
  /**
   * Returns the first comments of each article, by one query. The caller has checked that the reader may see the articles.
   */
  listByArticles(articleIds: readonly string[], first: number): Promise<readonly Comment[]>
  /** Returns the earliest comments of an author, on all articles. */
  listByAuthor(authorId: string, first: number): Promise<readonly Comment[]>
  search(text: string, first: number, drafts: DraftsOf): Promise<readonly Comment[]>
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  create(comment: Omit<Comment, 'id'>): Promise<Comment>
  remove(id: string): Promise<boolean>
}
