import type { AuthState } from '@latchkey/client'
import { ArticleList } from './articles/article-list.tsx'
import { usePermission } from './articles/use-permission.ts'
import { own, type User } from './data/auth.ts'
import { DemoAccounts } from './demo/demo-accounts.tsx'
import { isDemo } from './demo/is-demo.ts'
import { Page } from './parts/page.tsx'
import { Link } from './routing/link.tsx'

export function Home({ state }: { readonly state: AuthState<User> }) {
  const mayWrite = usePermission('articles:create')
  const isOut = state.status === 'signed-out'
  return (
    <Page
      title="Stories from the lower river"
      lead="Everybody reads. Readers comment, authors write, editors publish: the service says who may do what."
    >
      {isOut && (
        <div className="actions">
          <Link to="/app/sign-in" className="button primary">
            Sign in
          </Link>
          <Link to="/app/sign-up" className="button">
            Create an account
          </Link>
        </div>
      )}
      {mayWrite && (
        <div className="actions">
          <Link to="/app/write" className="button primary">
            Write an article
          </Link>
        </div>
      )}
      <div className={isDemo ? 'with-aside' : undefined}>
        <ArticleList />
        {isDemo && <aside aria-label="Try it">{<TryIt isOut={isOut} />}</aside>}
      </div>
    </Page>
  )
}

function TryIt({ isOut }: { readonly isOut: boolean }) {
  return (
    <>
      {isOut && own && <DemoAccounts auth={own} />}
      <section className="panel" aria-labelledby="developers">
        <h2 id="developers">For developers</h2>
        <p>One GraphQL endpoint, a rule on every field.</p>
        <ul className="links">
          <li>
            <a href="/graphiql">GraphiQL</a>
          </li>
          <li>
            <Link to="/app/developers">Rules at work, curl, accounts</Link>
          </li>
        </ul>
      </section>
    </>
  )
}
