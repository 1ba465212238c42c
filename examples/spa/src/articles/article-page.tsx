import { ask } from '../data/ask.ts'
import { explain } from '../data/explain.ts'
import { useQuery } from '../data/use-query.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { type Article, publishArticle, readArticle } from './article.ts'
import { ArticleMeta } from './article-meta.tsx'
import { type Comment, Comments } from './comments.tsx'
import { usePermission } from './use-permission.ts'

interface Read {
  readonly article: (Article & { readonly comments: readonly Comment[] }) | null
}

export function ArticlePage({ id }: { readonly id: string }) {
  const { data, failure, reload } = useQuery<Read>(readArticle, { id })
  if (failure) return <Page title="Article">{<Notice kind="bad">{explain(failure)}</Notice>}</Page>
  if (!data) return <div className="page" aria-busy="true" />
  if (!data.article) return <NoArticle />
  const { article } = data
  return (
    <Page title={article.title}>
      <ArticleMeta article={article} />
      <ArticleActions article={article} onChange={reload} />
      <article className="prose">
        {article.body.split(/\n+/).map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </article>
      <Comments articleId={article.id} comments={article.comments} onChange={reload} />
    </Page>
  )
}

function ArticleActions({ article, onChange }: { readonly article: Article; readonly onChange: () => void }) {
  const mayUpdate = usePermission('articles:update')
  const mayPublish = usePermission('articles:publish')
  const isDraft = article.status === 'DRAFT'
  const publish = async () => {
    await ask(publishArticle, { id: article.id })
    onChange()
  }
  return (
    <>
      {(mayUpdate || (isDraft && mayPublish)) && (
        <div className="actions">
          {isDraft && mayPublish && (
            <ActionButton kind="primary" act={publish}>
              Publish
            </ActionButton>
          )}
          {mayUpdate && (
            <Link to={`/app/edit/${article.id}`} className="button">
              Edit
            </Link>
          )}
        </div>
      )}
      {isDraft && !mayPublish && <Notice>A draft, which only you and the editors see. An editor publishes it.</Notice>}
    </>
  )
}

function NoArticle() {
  return (
    <Page title="No such article" lead="It is gone, or a draft that you may not see. The service does not say which.">
      <Link to="/" className="button">
        All articles
      </Link>
    </Page>
  )
}
