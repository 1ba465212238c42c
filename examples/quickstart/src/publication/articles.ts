export type ArticleStatus = 'DRAFT' | 'PUBLISHED'

export interface Article {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly status: ArticleStatus
  readonly rating: number | null
  readonly authorId: string
}

/** The drafts that a list may show: all for an editor, their own for an author, none for a visitor. */
export type DraftsOf = 'everybody' | { readonly subject: string | null }

export interface ArticleQuery {
  readonly drafts: DraftsOf
  readonly first: number
  readonly after?: string | null
  readonly status?: ArticleStatus | null
  /** Only articles whose title or body contains this text. */
  readonly text?: string
}

/** The stored articles. `drafts` limits every result to articles that the reader may see. */
export interface Articles {
  get(id: string, drafts: DraftsOf): Promise<Article | null>
  /** Returns the articles that exist, in any order. */
  getMany(ids: readonly string[], drafts: DraftsOf): Promise<readonly Article[]>
  /** Returns the latest articles of each author, by one query. */
  listByAuthors(authorIds: readonly string[], first: number, drafts: DraftsOf): Promise<readonly Article[]>
  list(query: ArticleQuery): Promise<readonly Article[]>
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the ids of the authors of visible articles. */
  authors(drafts: DraftsOf): Promise<readonly string[]>
  create(article: Omit<Article, 'id'>): Promise<Article>
  update(id: string, change: Pick<Article, 'title' | 'body'>): Promise<Article | null>
  publish(id: string): Promise<Article | null>
  remove(id: string): Promise<boolean>
  /** Removes the drafts of an author. */
  removeDrafts(authorId: string): Promise<void>
}
