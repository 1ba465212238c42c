import { useEffect, useState } from 'react'
import { explain } from '../data/explain.ts'
import { useQuery } from '../data/use-query.ts'
import { useStream } from '../data/use-stream.ts'
import { Notice } from '../parts/notice.tsx'
import { Link } from '../routing/link.tsx'
import { type Article, hearOfArticles, listArticles } from './article.ts'
import { ArticleMeta } from './article-meta.tsx'

/** The articles, the latest first. Articles that are published while the list is open appear in it without a reload. */
export function ArticleList() {
  const { data, failure } = useQuery<{ readonly articles: readonly Article[] }>(listArticles)
  const [heard, setHeard] = useState<readonly Article[]>([])
  useStream<{ readonly articlePublished: Article }>(hearOfArticles, ({ articlePublished }) =>
    setHeard((before) => [articlePublished, ...before.filter(({ id }) => id !== articlePublished.id)]),
  )
  const fresh = new Set(heard.map(({ id }) => id))
  const articles = [...heard, ...(data?.articles ?? []).filter(({ id }) => !fresh.has(id))]
  return (
    <section aria-labelledby="articles">
      <div className="section-head">
        <h2 id="articles">Articles</h2>
        <p className="live">Live</p>
      </div>
      <Announcement article={heard[0]} />
      {failure && <Notice kind="bad">{explain(failure)}</Notice>}
      {!data && !failure ? <Skeleton /> : <Cards articles={articles} fresh={fresh} />}
    </section>
  )
}

function Cards({ articles, fresh }: { readonly articles: readonly Article[]; readonly fresh: ReadonlySet<string> }) {
  return (
    <ol className="cards">
      {articles.map((article) => (
        <li key={article.id} className={fresh.has(article.id) ? 'card fresh' : 'card'}>
          <h3>
            <Link to={`/app/articles/${article.id}`}>{article.title}</Link>
          </h3>
          <p className="excerpt">{article.body}</p>
          <ArticleMeta article={article} isFresh={fresh.has(article.id)} />
        </li>
      ))}
    </ol>
  )
}

/** Announces a new article once, for screen readers. */
function Announcement({ article }: { readonly article: Article | undefined }) {
  const [text, setText] = useState('')
  useEffect(() => {
    if (article) setText(`Just published: ${article.title}, by ${article.author.name}`)
  }, [article])
  return (
    <p role="status" className="hidden">
      {text}
    </p>
  )
}

function Skeleton() {
  return (
    <div className="cards" aria-hidden="true">
      {['a', 'b', 'c', 'd'].map((key) => (
        <div key={key} className="card skeleton" />
      ))}
    </div>
  )
}
