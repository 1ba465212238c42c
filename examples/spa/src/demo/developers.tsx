import { type Article, listArticles } from '../articles/article.ts'
import { own } from '../data/auth.ts'
import { useQuery } from '../data/use-query.ts'
import { Page } from '../parts/page.tsx'
import { DemoAccounts } from './demo-accounts.tsx'
import { type DemoOperation, otherOperations, ruleOperations } from './demo-operations.ts'

/** The page for developers: the endpoint, GraphiQL, operations that show the rules, curl, accounts to try. */
export function Developers() {
  const { data } = useQuery<{ readonly articles: readonly Article[] }>(listArticles)
  const endpoint = `${location.origin}/graphql`
  return (
    <Page
      title="For developers"
      lead={
        <>
          All you see here is one GraphQL endpoint, <code>{endpoint}</code>, with a rule on every field.
        </>
      }
    >
      <div className="panels">
        <section className="panel" aria-labelledby="rules">
          <h2 id="rules">See the rules at work</h2>
          <p>
            Each opens in <a href="/graphiql">GraphiQL</a>, ready to run. Run them in this order:
          </p>
          <Operations operations={data ? ruleOperations(data.articles) : []} />
          <h3>More operations</h3>
          <Operations operations={otherOperations} />
        </section>
        <section className="panel" aria-labelledby="terminal">
          <h2 id="terminal">From the terminal</h2>
          <pre>
            <code>{curl(endpoint)}</code>
          </pre>
          <h3>Pages without scripts</h3>
          <p>
            The service also has <a href="/sign-in?return_to=%2Faccount">pages of its own</a>:{' '}
            <a href="/sign-up">sign up</a>, <a href="/account">your account</a> and <a href="/devices">your devices</a>.
          </p>
        </section>
        {own && <DemoAccounts auth={own} />}
      </div>
    </Page>
  )
}

function Operations({ operations }: { readonly operations: readonly DemoOperation[] }) {
  return (
    <ol>
      {operations.map(({ title, query, variables }) => (
        <li key={title}>
          <a href={`/graphiql?${new URLSearchParams({ query, ...(variables && { variables: pretty(variables) }) })}`}>
            {title}
          </a>
        </li>
      ))}
    </ol>
  )
}

const pretty = (variables: object) => JSON.stringify(variables, null, 2)

const curl = (endpoint: string) => `curl ${endpoint} \\
  --header 'content-type: application/json' \\
  --data '{ "query": "{ articles(first: 3) { title } }" }'`
