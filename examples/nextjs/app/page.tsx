import { currentState, query } from './service'
import { WriteForm } from './write-form'

interface Articles {
  readonly articles: readonly {
    readonly id: string
    readonly title: string
    readonly author: { readonly name: string }
  }[]
}

export default async function Page() {
  const [state, { articles }] = await Promise.all([
    currentState(),
    query<Articles>('{ articles(first: 20) { id title author { name } } }'),
  ])
  const mayWrite = state.status === 'signed-in' && state.session.permissions.includes('articles:create')
  return (
    <>
      <h1>Articles</h1>
      <ul>
        {articles.map(({ id, title, author }) => (
          <li key={id}>
            <strong>{title}</strong> by {author.name}
          </li>
        ))}
      </ul>
      {mayWrite && <WriteForm />}
    </>
  )
}
