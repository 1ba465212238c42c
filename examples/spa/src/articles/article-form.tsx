import { useState } from 'react'
import { ask } from '../data/ask.ts'
import { isAuthError } from '../data/is-auth-error.ts'
import { useQuery } from '../data/use-query.ts'
import { Field, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { navigate } from '../routing/navigate.ts'
import { type Article, createArticle, readArticle, updateArticle } from './article.ts'
import { NotYours } from './not-yours.tsx'

type Values = Readonly<Record<string, string>>

export function WriteArticle() {
  return (
    <Page title="Write an article" lead="It begins as a draft. An editor publishes it." isNarrow>
      <Form submit={create} button="Save draft">
        <ArticleFields />
      </Form>
    </Page>
  )
}

export function EditArticle({ id }: { readonly id: string }) {
  const { data } = useQuery<{ readonly article: Article | null }>(readArticle, { id })
  // A refused text stays in the form.
  const [refused, setRefused] = useState<Values | null>(null)
  if (!data?.article) return <div className="page" aria-busy="true" />
  const { article } = data
  const submit = async (values: Values) => {
    setRefused(null)
    try {
      await ask(updateArticle, { input: { id, ...values } })
    } catch (error) {
      if (!(isAuthError(error) && error.code === 'FORBIDDEN')) throw error
      return setRefused(values)
    }
    navigate(`/app/articles/${id}`)
  }
  return (
    <Page title="Edit article" isNarrow>
      {refused && <NotYours article={article} saveAsOwn={() => create(refused)} />}
      <Form submit={submit} button="Save changes" actions={<Link to={`/app/articles/${id}`}>Back to the article</Link>}>
        <ArticleFields initial={article} />
      </Form>
    </Page>
  )
}

function ArticleFields({ initial }: { readonly initial?: Article }) {
  return (
    <>
      <Field name="title" label="Title" initial={initial?.title ?? ''} />
      <Field name="body" label="Text" rows={9} initial={initial?.body ?? ''} />
    </>
  )
}

async function create(input: Values): Promise<void> {
  const { createArticle: created } = await ask<{ readonly createArticle: Article }>(createArticle, { input })
  navigate(`/app/articles/${created.id}`)
}
