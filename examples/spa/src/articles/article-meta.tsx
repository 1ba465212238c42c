import type { Article } from './article.ts'

export function ArticleMeta({ article, isFresh = false }: { readonly article: Article; readonly isFresh?: boolean }) {
  const { status, author, wordCount, rating } = article
  return (
    <p className="meta">
      {status === 'DRAFT' && <span className="badge">Draft</span>}
      {isFresh && <span className="badge new">New</span>}
      <span>{author.name}</span>
      <span>{wordCount === 1 ? '1 word' : `${wordCount} words`}</span>
      {rating !== null && <span>{rating.toFixed(1)} of 5</span>}
    </p>
  )
}
